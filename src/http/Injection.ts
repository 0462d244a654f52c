import type { JournalRecord } from '../journal/JournalRecord.ts'
import type { Instant } from '../world/time.ts'
import type { Fault } from '../world/World.ts'

/** A decision of `sweep` about one request, and the request's record. */
export interface Injection {
  /** The fault that triggers. The account's own faults then don't apply to the request */
  fault?: Fault
  /** The time that a case names, such as the end of a throttle. @default as the account's limits say */
  until?: Instant | undefined
  /** The record, set when the request has been handled */
  record?: JournalRecord
}
