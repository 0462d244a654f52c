import type { ContractOperation } from '../../contract/Contract.ts'
import type { JournalRecord } from '../Journal.ts'

/** Severity, the worst first. */
export const severities = ['high', 'medium', 'low'] as const

export type Severity = (typeof severities)[number]

/** A client mistake that will hurt in production: what to note about each request, and how to find it in the notes. */
export interface FindingRule<Evidence> {
  /** What it looks for, in a few words */
  words: string
  severity: Severity
  /** Whether the rule applies to an operation; called once per operation */
  concerns: (operation: ContractOperation) => boolean
  /** The evidence to keep of a request, as JSON and free of credentials; undefined if there is none */
  note: (closing: ClosingRequest) => Evidence | undefined
  /** Whether a client that does it anywhere does it everywhere, so that it isn't new on another operation */
  isEverywhere?: boolean
  /** Whether there is one order too many: without that, an equal one was wanted */
  isAnOrderTooMany?: boolean
  /** Examines the requests that have evidence, oldest first. */
  find(noted: readonly Noted<Evidence>[]): Found[]
}

/** A request whose response is ready and whose record is about to be made. */
export interface ClosingRequest {
  operation: ContractOperation
  /** HEAD if only the headers of a GET were requested */
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Path parameters, decoded */
  path: Readonly<Record<string, string>>
  /** The body, if it is JSON */
  body: unknown
  /** Whether it changed the world */
  changed: boolean
  answer: { case?: string; body: string }
}

/** A request and its evidence. */
export interface Noted<Evidence> {
  record: JournalRecord
  evidence: Evidence
}

/** A message that explains the mistake, and the requests that show it, oldest first. */
export interface Found {
  message: string
  shown: JournalRecord[]
}

/** Groups items by key, keeping their order. */
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

/** Requests are only comparable within the same world, as long as it wasn't rewound or replaced. */
export function worldOf({ record }: Noted<unknown>): readonly unknown[] {
  return [record.raw.account, record.raw.origin?.load, record.raw.origin?.rewind]
}
