import type { JournalRecord } from './Journal.ts'
import { duplicateOrder } from './findings/duplicateOrder.ts'
import type { Rule } from './findings/Evidence.ts'
import { headerMissing } from './findings/headerMissing.ts'
import { passwordNotEncoded } from './findings/passwordNotEncoded.ts'
import { throttleIgnored } from './findings/throttleIgnored.ts'
import { unsafeGet } from './findings/unsafeGet.ts'

const rules = {
  'duplicate-order': duplicateOrder,
  'throttle-ignored': throttleIgnored,
  'unsafe-get': unsafeGet,
  'password-not-encoded': passwordNotEncoded,
  'header-missing': headerMissing,
} satisfies Record<string, Rule>

export type FindingName = keyof typeof rules

/** Something that a client does and that will hurt against the real service. */
export interface Finding {
  finding: FindingName
  account: string | null
  operation: string | null
  /** What it does, why it hurts and what to do instead */
  message: string
  /** The requests that show it, the oldest first */
  requests: { id: number; time: string; method: string; path: string; status: number | null }[]
}

/** What the requests of the journal, the oldest first, say of the client that sent them. The worst comes first. */
export function findings(records: readonly JournalRecord[]): Finding[] {
  return Object.entries(rules).flatMap(([name, rule]) =>
    rule(records).map(({ message, shown }) => ({
      finding: name as FindingName,
      account: shown[0]?.account ?? null,
      operation: shown[0]?.operation ?? null,
      message: shown.reduce((text, record) => record.redact(text), message),
      requests: shown.map(({ entry: { id, time, method, path, status } }) => ({
        id,
        time,
        method,
        path,
        status,
      })),
    })),
  )
}
