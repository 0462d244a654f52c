import type { Group } from '../lib/groups.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import type { JournalEntry } from '../contract/shapes.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'

/** Severity, the worst first. */
export const severities = ['high', 'medium', 'low'] as const

export type Severity = (typeof severities)[number]

/** A client mistake that would cause trouble in production: its description, and how to detect it. */
export interface FindingRule<Name extends string = string> {
  name: Name
  severity: Severity
  /** The mistake as a sentence with the client as subject */
  description: string
  /** How to fix the mistake, in a sentence or two */
  advice: string
  /** Whether the mistake affects all operations alike, so that `sweep` doesn't report it again for another operation */
  isPerClient?: boolean
  /** Whether the mistake creates records that the client didn't want */
  addsRecords?: boolean
  /** Whether the mistake leaves records that the client doesn't know about */
  leavesOrphans?: boolean
  /** The finding that this one explains: it isn't reported for the same requests, too */
  explains?: string
  /** Whether the mistake is a call before the time that a response named */
  isEarlyCall?: boolean
  /** Whether the rule examines a request. Only the latest matching requests are kept */
  appliesTo: (request: ObservedRequest) => boolean
  /** Groups requests: those with the same key are examined together */
  key: (request: ObservedRequest) => readonly unknown[]
  /** Examines requests with the same key, oldest first. */
  find: (requests: Group<ObservedRequest>) => readonly Mistake[]
  /** The requests that a later request may still turn into a mistake. They are kept, even if many others follow. @default none */
  unresolved?: (requests: Group<ObservedRequest>) => readonly ObservedRequest[]
}

/** The parts of a request that rules examine. */
export interface ObservedRequest {
  operation: ContractOperation
  /** Path parameters, decoded */
  path: Readonly<Record<string, string>>
  /** The fields of the body; `{}` if it isn't a JSON object */
  body: Readonly<Record<string, unknown>>
  record: JournalRecord
  /** The redacted journal entry */
  entry: () => JournalEntry
}

/** A mistake found in a client's requests. */
export interface Mistake {
  /** A sentence without credentials, to be followed by the rule's advice. It repeats only what the journal shows. */
  message: string
  /** The requests that show it, oldest first */
  examples: readonly ObservedRequest[]
  /**
   * Whether the client may have done this on purpose: it placed an identical order after a response had shown it the lost one.
   * Only `sweep`, which knows how much should have been ordered, may treat it as a mistake. @default false
   */
  mayBeIntended?: boolean | undefined
}

/** Identifies the history that a request belongs to. Requests before and after a load or rewind aren't comparable. */
export function historyKey({ record }: ObservedRequest): readonly unknown[] {
  const { account, before, origin = before?.origin } = record
  return [account, origin?.load, origin?.rewind]
}

/** Real time at which a request was handled first. */
export function getArrival({ record: { at, durationMs } }: ObservedRequest): number {
  return at - durationMs
}

/** A request that arrives on another connection within this many milliseconds after a response may already have been under way. */
const skew = 50

/** Whether a client sent a request after it had the response to an earlier one. */
export function isSentAfter(later: ObservedRequest, earlier: ObservedRequest): boolean {
  return !earlier.record.isUndelivered && isSentAfterEnd(later, earlier)
}

/**
 * Whether a client sent a request after an earlier one had ended. On the same connection, each request is sent after the previous
 * response. On another one, it isn't enough that it arrived later, unless it was opened after the response, or the response was sent so
 * late that requests which were under way at the same time arrived before.
 */
export function isSentAfterEnd(later: ObservedRequest, earlier: ObservedRequest): boolean {
  const [{ connectedAt, arrivedAt, position }, { at, durationMs }] = [later.record, earlier.record]
  if (connectedAt === earlier.record.connectedAt) return position > earlier.record.position
  return arrivedAt >= at && (durationMs > skew || connectedAt >= at || arrivedAt - at > skew)
}
