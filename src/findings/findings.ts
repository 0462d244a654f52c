import { getEntry } from '../journal/getEntry.ts'
import { groupBy } from '../lib/groups.ts'
import type { components } from '../contract/admin.gen.ts'
import type { Contract } from '../contract/Contract.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { parseJson } from '../lib/json.ts'
import { findings } from '../service/index.ts'
import { isObject } from '../world/mergePatch.ts'
import {
  getArrival,
  severities,
  type FindingRule,
  type Mistake,
  type ObservedRequest,
} from './FindingRule.ts'
import { headerMissing } from './headerMissing.ts'
import { refusalRepeated } from './refusalRepeated.ts'
import { retryAfterIgnored } from './retryAfterIgnored.ts'
import { unknownField } from './unknownField.ts'

type Schemas = components['schemas']

/** All rules, the most severe first. Types and docs are derived from them. */
const rules = [...findings, retryAfterIgnored, unknownField, refusalRepeated, headerMissing].toSorted(
  (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
)

export type FindingName = (typeof rules)[number]['name']

/** A habit of the client that would break in production, and the requests that show it */
export type Finding = Omit<Schemas['Finding'], 'finding'> & { finding: FindingName }

export const findingRules = Object.fromEntries(rules.map((rule) => [rule.name, rule])) as Readonly<
  Record<FindingName, FindingRule>
>

/** Maximum number of requests stored for each rule */
const maxStored = 1000

/** Maximum number of old requests kept because they are unresolved */
const maxUnresolved = 100

/** A client's mistakes, found in its requests. Each rule has its own limit, so that frequent mistakes don't displace rare ones. */
export class Findings {
  readonly #contract: Contract
  readonly #rules = rules.map((rule) => ({ rule, stored: [] as ObservedRequest[] }))

  /** @param records the first records, oldest first */
  constructor(contract: Contract, records: readonly JournalRecord[] = []) {
    this.#contract = contract
    for (const record of records) this.add(record)
  }

  /** Adds a request that has ended. */
  add(record: JournalRecord): void {
    const request = toRequest(this.#contract, record)
    if (!request) return
    for (const { rule, stored } of this.#rules)
      if (rule.appliesTo(request) && stored.push(request) > maxStored) dropOldest(rule, stored)
  }

  /** The findings, the most severe first. */
  get list() {
    return withoutExplained(this.collect())
  }

  /**
   * The findings, including those that another one explains (`withoutExplained`).
   * @param withIntended whether to include what the client may have done on purpose
   */
  collect(withIntended = false) {
    return this.#findMistakes()
      .filter(({ mayBeIntended }) => withIntended || !mayBeIntended)
      .map(toFinding)
  }

  #findMistakes() {
    return this.#rules.flatMap(({ rule, stored }) =>
      groupBy(stored, rule.key)
        .flatMap((group) => rule.find(group))
        .map((mistake) => ({ rule, ...mistake })),
    )
  }
}

/** Leaves out findings that another one explains: an order that was placed twice isn't also one that nobody knows. */
export function withoutExplained<Found extends Pick<Finding, 'finding' | 'requests'>>(
  found: readonly Found[],
): Found[] {
  const explained = found.map(({ finding, requests }) => ({
    name: findingRules[finding].explains,
    requests,
  }))
  return found.filter(
    ({ finding, requests }) =>
      !explained.some(
        (one) =>
          one.name === finding && requests.every(({ id }) => one.requests.some((each) => each.id === id)),
      ),
  )
}

function toFinding<Name extends FindingName>({
  rule,
  message,
  examples,
}: Mistake & { rule: FindingRule<Name> }) {
  const label = commonValue(examples.map(({ record }) => record.origin?.label ?? null))
  const inOrder = examples.toSorted((one, other) => getArrival(one) - getArrival(other))
  return {
    finding: rule.name,
    severity: rule.severity,
    account: commonValue(examples.map(({ record }) => record.account)),
    ...(label !== null && { label }),
    operation: commonValue(examples.map(({ record }) => record.operation)),
    message,
    advice: rule.advice,
    requests: inOrder.map(({ record }) => {
      const { id, time, method, path, status } = getEntry(record)
      return { id, time, method, path, status }
    }),
  }
}

/** The parts that rules examine; undefined if the request matches no operation. */
function toRequest({ match }: Contract, record: JournalRecord): ObservedRequest | undefined {
  const matched = match(record.method, record.path.split('?', 1)[0] as string)
  if (!matched || !('operation' in matched)) return undefined
  const body = parseJson(record.requestBody)
  return { ...matched, body: isObject(body) ? body : {}, record, entry: () => getEntry(record) }
}

/** Drops the older half of the stored requests, except unresolved ones. */
function dropOldest({ key, unresolved = () => [] }: FindingRule, stored: ObservedRequest[]): void {
  const older = stored.slice(0, maxStored / 2)
  const retained = groupBy(stored, key).flatMap(unresolved)
  stored.splice(0, older.length, ...older.filter((one) => retained.includes(one)).slice(-maxUnresolved))
}

/** The common value; null if the values differ. */
function commonValue(values: readonly (string | null)[]): string | null {
  const [first = null] = values
  return values.every((value) => value === first) ? first : null
}
