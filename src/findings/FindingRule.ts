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
  /** The advice, in a sentence or two */
  advice: string
  /** Whether a client that makes the mistake once makes it everywhere, so that further operations are no news */
  isEverywhere?: boolean
  /** Whether its requests add more records than the client wanted */
  addsRecords?: boolean
  /** Whether its requests created records that the client can't know */
  leavesOrphans?: boolean
  /** Whether the rule examines a request. Only the latest such requests are stored */
  concerns: (request: SeenRequest) => boolean
  /** Groups requests: those with the same key are examined together */
  key: (request: SeenRequest) => readonly unknown[]
  /** Examines requests with the same key, oldest first. */
  find: (requests: Group<SeenRequest>) => readonly Found[]
  /** The requests with the same key that stay stored, however many follow. @default none */
  unresolved?: (requests: Group<SeenRequest>) => readonly SeenRequest[]
}

/** The parts of a request that rules examine. */
export interface SeenRequest {
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
export interface Found {
  /** A sentence without credentials, to be followed by the rule's advice. It repeats only what the journal shows. */
  message: string
  /** The requests that show it, oldest first */
  examples: readonly SeenRequest[]
  /** Whether the client may have wanted what it did: an equal order after it had found the lost one. @default false */
  mayBeIntended?: boolean
}

type Group<One> = readonly [One, ...One[]]

/** Groups items by key, preserving their order. */
export function groups<One>(all: readonly One[], key: (one: One) => readonly unknown[]): Group<One>[] {
  const found = new Map<string, [One, ...One[]]>()
  for (const one of all) {
    const name = JSON.stringify(key(one))
    const group = found.get(name)
    if (group) group.push(one)
    else found.set(name, [one])
  }
  return [...found.values()]
}

/** The history that a request belongs to. Requests of different loads or rewinds aren't comparable. */
export function worldOf({ record }: SeenRequest): readonly unknown[] {
  const { account, origin } = record
  return [account, origin?.load, origin?.rewind]
}
