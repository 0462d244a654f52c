import type { ContractOperation } from '../../contract/Contract.ts'
import type { Instant } from '../../world/time.ts'
import type { JournalEntry } from '../JournalEntry.ts'

/** How much it hurts, the worst first. */
export const severities = ['high', 'medium', 'low'] as const

export type Severity = (typeof severities)[number]

/** One thing that a client does and that will hurt: what is noted of a request for it, and what is made of the notes. */
export interface FindingRule<Evidence> {
  /** What is looked for, in a few words */
  words: string
  severity: Severity
  /** Whether requests of an operation are looked at; asked once for each operation. */
  concerns: (operation: ContractOperation) => boolean
  /** What has to be known of a request later, free of credentials; undefined: nothing. As JSON has it. */
  note: (closing: ClosingRequest) => Evidence | undefined
  /** Looks through the requests that something was noted of, the oldest first. */
  find(noted: readonly Noted<Evidence>[]): Found[]
}

/** A request whose answer is made, and whose record is about to be. */
export interface ClosingRequest {
  operation: ContractOperation
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Path parameters, decoded */
  path: Readonly<Record<string, string>>
  /** The body, where it is JSON */
  body: unknown
  /** Whether it made a change on the world */
  changed: boolean
  answer: { case?: string; body: string }
}

/** A request with what was noted of it. */
export interface Noted<Evidence> {
  record: FindingRecord
  evidence: Evidence
}

/** A request of the journal, as far as findings look at it. */
export interface FindingRecord {
  account: string | null
  operation: string | null
  /** By the world's clock */
  time: Instant
  /** Real time, milliseconds */
  at: number
  /** Which life of the account's world it is */
  era: number
  /** Whether the answer never reached the client */
  lost: boolean
  /** As it is shown */
  entry: JournalEntry
  /** A text that is told of it, without its credentials */
  redact: (text: string) => string
}

/** What was found: a sentence that teaches, and the requests that show it, the oldest first. */
export interface Found {
  message: string
  shown: FindingRecord[]
}

/** Those that have the same key, in their order. */
export function groups<One>(all: readonly One[], key: (one: One) => readonly unknown[]): One[][] {
  const found = new Map<string, One[]>()
  for (const one of all) {
    const name = JSON.stringify(key(one))
    const group = found.get(name)
    if (group) group.push(one)
    else found.set(name, [one])
  }
  return [...found.values()]
}

/** What belongs together: an account's world as long as it was not put back to what it had been. */
export function worldOf({ record }: Noted<unknown>): readonly unknown[] {
  return [record.account, record.era]
}
