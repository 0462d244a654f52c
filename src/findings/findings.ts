import { evidenceOf, type Evidence } from '../journal/RawRecord.ts'
import { duplicateOrder } from './duplicateOrder.ts'
import {
  severities,
  type FindingRule,
  type Noted,
  type NotedExchange,
  type SeenRecord,
} from './FindingRule.ts'
import { headerMissing } from './headerMissing.ts'
import { passwordNotEncoded } from './passwordNotEncoded.ts'
import { throttleIgnored } from './throttleIgnored.ts'
import { unsafeGet } from './unsafeGet.ts'

/** All rules, the worst first. A new one is its file and its name here; contract, types and docs take theirs from it. */
const all = [duplicateOrder, throttleIgnored, unsafeGet, passwordNotEncoded, headerMissing].toSorted(
  (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
)

export type FindingName = (typeof all)[number]['name']

/** Only the rule itself reads and writes its evidence. */
const rules = all as readonly FindingRule<unknown, FindingName>[]

export const findingRules = Object.fromEntries(rules.map((rule) => [rule.name, rule])) as Readonly<
  Record<FindingName, FindingRule<unknown, FindingName>>
>

/** Collects the evidence of a request; undefined if there is none. */
export function noteEvidence(exchange: NotedExchange): Evidence | undefined {
  let evidence: Record<string, unknown> | undefined
  for (const rule of rules) {
    const noted = rule.note(exchange)
    if (noted !== undefined) (evidence ??= {})[rule.name] = noted
  }
  return evidence
}

/** Requests with evidence that are kept for each rule */
const mostNoted = 1000

/** What findings are derived from. It is bounded for each rule, so that a frequent one can't push out a rare one. */
export class FindingEvidence {
  readonly #noted = new Map<string, Noted<unknown>[]>()

  add(record: SeenRecord): void {
    for (const [name, evidence] of Object.entries(evidenceOf(record.raw) ?? {})) {
      const one = { record, evidence }
      const noted = this.#noted.get(name)
      if (!noted) this.#noted.set(name, [one])
      else if (noted.push(one) > mostNoted) noted.shift()
    }
  }

  /** The worst first. */
  get findings() {
    return rules.flatMap((rule) => {
      const { name, severity, advice } = rule
      return rule.find(this.#noted.get(name) ?? []).map(({ message, shown }) => {
        const records = shown.map(({ record }) => record)
        return {
          finding: name,
          severity,
          account: common(records.map(({ raw }) => raw.account)),
          operation: common(records.map(({ raw }) => raw.operation)),
          message: `${records.reduce((text, record) => record.redact(text), message)} ${advice}`,
          requests: records.map(({ entry: { id, time, method, path, status } }) => ({
            id,
            time,
            method,
            path,
            status,
          })),
        }
      })
    })
  }
}

/** The findings in the journal's requests, oldest first. */
export function findings(records: readonly SeenRecord[]): FindingEvidence['findings'] {
  const evidence = new FindingEvidence()
  for (const record of records) evidence.add(record)
  return evidence.findings
}

/** The value that all share; null if they differ. */
function common(values: readonly (string | null)[]): string | null {
  const [first = null] = values
  return values.every((value) => value === first) ? first : null
}
