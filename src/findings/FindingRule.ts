import type { ContractOperation } from '../contract/Contract.ts'
import type { JournalEntry, JournalRecord } from '../journal/JournalRecord.ts'

/** Severity, the worst first. */
export const severities = ['high', 'medium', 'low'] as const

export type Severity = (typeof severities)[number]

/** A client mistake that will hurt in production: its words, and how to find it. */
export interface FindingRule<Name extends string = string> {
  name: Name
  severity: Severity
  /** What the client does, as a sentence */
  words: string
  /** What it should do instead, as a sentence or two */
  advice: string
  /** Whether a client that does it anywhere does it everywhere, so that it isn't new on another operation */
  isEverywhere?: boolean
  /** Whether it only counts if the client added more records than it wanted: otherwise an equal one was wanted */
  addsRecords?: boolean
  /** Whether its requests left records behind that the client can't know */
  leavesOrphans?: boolean
  /** Whether the rule looks at a request. The latest such requests are kept */
  concerns: (request: SeenRequest) => boolean
  /** Equal for requests that are examined together */
  key: (request: SeenRequest) => readonly unknown[]
  /** Examines requests with the same key, oldest first. */
  find: (requests: Group<SeenRequest>) => readonly Found[]
}

/** What rules know of a request for an operation. */
export interface SeenRequest {
  operation: ContractOperation
  /** Path parameters, decoded */
  path: Readonly<Record<string, string>>
  /** The fields of the body; none if it isn't a JSON object */
  body: Readonly<Record<string, unknown>>
  record: JournalRecord
  /** What may be shown of it */
  entry: () => JournalEntry
}

/** What a client did wrong. */
export interface Found {
  /** As a sentence, free of credentials: of the request, it repeats what its entry shows. The rule's advice follows it. */
  message: string
  /** The requests that show it, oldest first */
  examples: readonly SeenRequest[]
}

type Group<One> = readonly [One, ...One[]]

/** Groups items by key, keeping their order. */
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

/** Requests are only comparable within the same world, as long as it wasn't rewound or replaced. */
export function worldOf({ record }: SeenRequest): readonly unknown[] {
  const { account, origin } = record
  return [account, origin?.load, origin?.rewind]
}
