import { accountShape, transitionShape } from './schema.ts'
import { getBalance, shownBalance, spend } from './balance.ts'
import { caseValues } from './caseValues.ts'
import { draftedChange, emptyWorld, fillDraft, fillEntry } from './defaults.ts'
import { createDraft } from './draft.ts'
import { withStaleRecords } from './staleRecords.ts'
import { duplicateOrder } from './findings/duplicateOrder.ts'
import { orphanedOrder } from './findings/orphanedOrder.ts'
import { passwordNotEncoded } from './findings/passwordNotEncoded.ts'
import { throttleIgnored } from './findings/throttleIgnored.ts'
import { unsafeGet } from './findings/unsafeGet.ts'
import { addGenerated } from './generate.ts'
import { checkDraft } from './invariants.ts'
import { normalize } from './normalize.ts'
import { operations } from './operations/operations.ts'
import { cacheableOperations } from './operations/cacheable.ts'
import { getFields, withFieldsInOrder, getNoun } from './records.ts'
import { renewalCycle } from './renewals.ts'
import { hasRequestedService, summary, summaryCells, summaryColumns } from './summary.ts'
import {
  limitByAssumption,
  transitionFlags,
  findTransition,
  transitions,
  withoutUsages,
  withUsages,
} from './transitions.ts'
import { formatNumbers } from './formatNumbers.ts'

/*
 * The rules of this API, for the engine. Code outside this folder imports only this object, types, and the structure of a
 * world (`records.ts`, `settings.ts`).
 */
export const service = {
  // Records and settings
  getFields,
  withFieldsInOrder,
  getNoun,
  normalize,
  accountShape,
  emptyWorld,
  addGenerated,
  summary,
  summaryColumns,
  summaryCells,
  getBalance,
  shownBalance,
  spend,
  withStaleRecords,
  limitByAssumption,

  // Changes
  createDraft,
  checkDraft,
  fillDraft,
  draftedChange,

  // The timeline
  transitions,
  transitionShape,
  transitionFlags,
  findTransition,
  fillEntry,
  renewalCycle,
  withUsages,
  withoutUsages,

  // Requests
  operations,
  cacheableOperations,
  hasRequestedService,
  formatNumbers,
  caseValues,

  findings: [duplicateOrder, orphanedOrder, throttleIgnored, unsafeGet, passwordNotEncoded],
} as const
