import { accountShape, transitionShape } from './schema.ts'
import { balanceOf, shownBalance, spend } from './balance.ts'
import { caseFill } from './caseFill.ts'
import { draftedChange, emptyWorld, fillDraft, fillEntry } from './defaults.ts'
import { draftOf } from './draft.ts'
import { withEarlierRecords } from './earlier.ts'
import { duplicateOrder } from './findings/duplicateOrder.ts'
import { orphanedOrder } from './findings/orphanedOrder.ts'
import { passwordNotEncoded } from './findings/passwordNotEncoded.ts'
import { throttleIgnored } from './findings/throttleIgnored.ts'
import { unsafeGet } from './findings/unsafeGet.ts'
import { addGenerated } from './generate.ts'
import { checkDraft } from './invariants.ts'
import { normalize } from './normalize.ts'
import { operations } from './operations/operations.ts'
import { timeless } from './operations/timeless.ts'
import { fieldsOf, inOrder, nounOf } from './records.ts'
import { renewalCycle } from './renewals.ts'
import { owns, summary, summaryCells, summaryColumns } from './summary.ts'
import {
  limitOfAssumption,
  transitionFlags,
  transitionOf,
  transitions,
  withoutUsages,
  withUsages,
} from './transitions.ts'
import { writeBody } from './writeBody.ts'

/*
 * The rules of this API, as the engine uses them. Code outside this folder imports nothing else from it except types, and
 * the structure of a world (`records.ts`, `settings.ts`), which both the rules and the engine use.
 */
export const service = {
  // Records and settings
  fieldsOf,
  inOrder,
  nounOf,
  normalize,
  accountShape,
  emptyWorld,
  addGenerated,
  summary,
  summaryColumns,
  summaryCells,
  balanceOf,
  shownBalance,
  spend,
  withEarlierRecords,
  limitOfAssumption,

  // Changes
  draftOf,
  checkDraft,
  fillDraft,
  draftedChange,

  // The timeline
  transitions,
  transitionShape,
  transitionFlags,
  transitionOf,
  fillEntry,
  renewalCycle,
  withUsages,
  withoutUsages,

  // Requests
  operations,
  timeless,
  owns,
  writeBody,
  caseFill,

  findings: [duplicateOrder, orphanedOrder, throttleIgnored, unsafeGet, passwordNotEncoded],
} as const
