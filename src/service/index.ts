import { orderedTwice } from './findings/orderedTwice.ts'
import { orderLost } from './findings/orderLost.ts'
import { passwordNotEncoded } from './findings/passwordNotEncoded.ts'
import { throttleIgnored } from './findings/throttleIgnored.ts'
import { unsafeGet } from './findings/unsafeGet.ts'

/*
 * The rules of this API, for the engine. Code outside this folder imports only what this file exports, types, and the
 * structure of a world (`records.ts`, `settings.ts`).
 */

// Records and settings
export { getFields, withFieldsInOrder, getNoun } from './records.ts'
export { normalize } from './normalize.ts'
export { accountShape } from './schema.ts'
export { emptyWorld } from './defaults.ts'
export { addGenerated } from './generate.ts'
export { summary, summaryCells, summaryColumns } from './summary.ts'
export { getBalance, shownBalance, spend } from './balance.ts'
export { withStaleRecords } from './staleRecords.ts'
export { asShown } from './asShown.ts'

// Words for reports
export { describeChange, hasNoEffect } from './describeChange.ts'
export { assignedIds } from './assignedIds.ts'

// Changes
export { createDraft, withEntryMaps } from './draft.ts'
export { checkDraft } from './invariants.ts'
export { draftedChange, fillDraft } from './defaults.ts'

// The timeline
export {
  findTransition,
  limitByAssumption,
  transitionFlags,
  describeMoved,
  transitions,
  withoutUsages,
  withUsages,
} from './transitions.ts'
export { transitionShape } from './schema.ts'
export { fillEntry } from './defaults.ts'
export { countUnrenewed, describeUnrenewed, isKeptRenewal, renewalCycle } from './renewals.ts'

// Requests
export { operations } from './operations/operations.ts'
export { formatNumbers } from './formatNumbers.ts'
export { caseValues } from './caseValues.ts'

// Lines of IP lists, for `calibrate`
export { addressPattern, parseIpLine, quoteField } from './ipLine.ts'

export { orderLookups } from './findings/orders.ts'

export const findings = [orderedTwice, orderLost, throttleIgnored, unsafeGet, passwordNotEncoded] as const
