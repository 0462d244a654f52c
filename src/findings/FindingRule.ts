import type { ContractOperation } from '../contract/Contract.ts'
import type { RawRecord } from '../journal/RawRecord.ts'

/** Severity, the worst first. */
export const severities = ['high', 'medium', 'low'] as const

export type Severity = (typeof severities)[number]

/** A client mistake that will hurt in production: its words, what to note about each request, and how to find it in the notes. */
export interface FindingRule<Evidence, Name extends string = string> {
  name: Name
  severity: Severity
  /** What the client does, as a sentence */
  words: string
  /** What it should do instead, as a sentence or two */
  advice: string
  /**
   * The evidence to keep of a request, as JSON and free of credentials; undefined if there is none, or if what the contract
   * says about the operation doesn't concern the rule
   */
  note: (exchange: NotedExchange) => Evidence | undefined
  /** Whether a client that does it anywhere does it everywhere, so that it isn't new on another operation */
  isEverywhere?: boolean
  /** Whether there is one order too many: without that, an equal one was wanted */
  isAnOrderTooMany?: boolean
  /** Examines the requests that have evidence, oldest first. */
  find(noted: readonly Noted<Evidence>[]): Found[]
}

/** What rules know of an exchange that has ended. */
export interface NotedExchange {
  operation: ContractOperation
  headers: RawRecord['requestHeaders']
  /** Path parameters, decoded */
  path: Readonly<Record<string, string>>
  /** The body, if it is JSON */
  body: unknown
  /** What it changed in the world; undefined if nothing */
  change: unknown
  response: { case?: string | undefined; body: string }
}

/** A record of the journal, as far as findings need it. */
export interface SeenRecord {
  readonly raw: RawRecord
  readonly entry: { id: number; time: string; method: string; path: string; status: number | null }
  redact(text: string): string
}

/** A request and its evidence. */
export interface Noted<Evidence> {
  record: SeenRecord
  evidence: Evidence
}

/** What the client did, before the rule's advice, and the requests that show it, oldest first. */
export interface Found {
  message: string
  shown: Noted<unknown>[]
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
