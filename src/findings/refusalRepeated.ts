import { getEntry } from '../journal/getEntry.ts'
import { groupBy } from '../lib/groups.ts'
import { counted } from '../lib/text.ts'
import {
  getArrival,
  historyKey,
  isSentAfter,
  type FindingRule,
  type Mistake,
  type ObservedRequest,
} from './FindingRule.ts'

/** Milliseconds, by the real and by the account's clock, in which a request is sent too often */
const period = 60_000

const tooOften = 3

export const refusalRepeated: FindingRule<'refusal-repeated'> = {
  name: 'refusal-repeated',
  severity: 'low',
  description:
    'It sends a request a third time within a minute, although it was refused twice and nothing has changed since.',
  advice:
    'A 400, 401 or 422 is final: the same request is refused again. Report the error instead of repeating the request; real services lock accounts after repeated failures.',
  // The other requests of an account show what changed in between.
  appliesTo: ({ record }) => record.account !== null || record.status === 401 || record.status === 400,
  key: historyKey,
  find(requests) {
    const harmless = new Set(
      requests.flatMap(({ record: { countsFaults, version, delayedBy } }) =>
        !countsFaults || version === null ? [] : delayedBy === undefined ? version : version - 1,
      ),
    )
    for (const { record } of requests) if (record.change) harmless.delete(record.version ?? 0)
    return groupBy(requests.filter(isFinal), getIdentity)
      .map((group) => findRepeats(group, harmless))
      .filter((repeats) => repeats.length > 0)
      .map(toMistake)
  },
}

const finalStatuses: readonly (number | null)[] = [400, 401, 422]

/** Whether the contract has this refusal, and the same request would get it again. */
function isFinal({ operation, record }: ObservedRequest): boolean {
  const { status, isUndelivered, overridden } = record
  if (isUndelivered || overridden || !finalStatuses.includes(status)) return false
  return operation.cases.some((one) => one.name === record.case && one.status === status && !one.isTransient)
}

/** Method, path, body, credentials and refusal. */
function getIdentity({ record }: ObservedRequest): readonly unknown[] {
  const { method, path, requestHeaders, requestBody, bodyDigest, omitted, case: name } = record
  // The part of a body that wasn't kept is compared by its length.
  const body = requestBody ?? bodyDigest ?? requestHeaders['content-length']
  return [method, path, body, omitted?.request, requestHeaders['authorization'], name]
}

/**
 * The requests that were sent at least three times in a row within a minute, each after the previous refusal. The requests in between
 * also count, although they may have been sent at the same time as others.
 * @param harmless the versions of the account after which only counters of faults changed
 */
function findRepeats(
  group: readonly ObservedRequest[],
  harmless: ReadonlySet<number | null>,
): ObservedRequest[] {
  const requests = group.toSorted((one, other) => getArrival(one) - getArrival(other))
  const sequence: number[] = []
  const repeats = new Set<ObservedRequest>()
  for (const [index, request] of requests.entries()) {
    const last = requests[sequence.at(-1) ?? -1]
    if (last && !isSentAfter(request, last)) continue
    sequence.push(index)
    const first = sequence.at(-tooOften) ?? index
    const from = requests[first] as ObservedRequest
    if (sequence.length >= tooOften && isWithinPeriod(from, request) && isUnchanged(from, request, harmless))
      for (const one of requests.slice(first, index + 1)) repeats.add(one)
  }
  return [...repeats]
}

function isWithinPeriod(from: ObservedRequest, to: ObservedRequest): boolean {
  return getArrival(to) - getArrival(from) <= period && to.record.time - from.record.time <= period
}

/** Whether nothing of the account changed between two requests, except counters of faults. */
function isUnchanged(
  from: ObservedRequest,
  to: ObservedRequest,
  harmless: ReadonlySet<number | null>,
): boolean {
  const [first, last] = [getVersion(from), getVersion(to)]
  if (first === undefined || last === undefined) return first === last
  for (let version = first; version < last; version++) if (!harmless.has(version)) return false
  return true
}

/** The version of the account, which the credentials may name although they are wrong; undefined if there is none. */
function getVersion({ record: { version, before, known } }: ObservedRequest): number | undefined {
  return version ?? before?.version ?? known?.version
}

function toMistake(examples: readonly ObservedRequest[]): Mistake {
  const [first] = examples as [ObservedRequest]
  const { method, path, status, case: name } = getEntry(first.record)
  const times = counted(examples.length, 'time')
  return {
    message: `${method} ${path} was sent ${times}, although it was refused with ${status} (${name}).`,
    examples,
  }
}
