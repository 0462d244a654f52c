import {
  getArrival,
  historyKey,
  isSentAfter,
  type FindingRule,
  type ObservedRequest,
} from '../../findings/FindingRule.ts'
import type { WorldChange } from '../../world/World.ts'

/** Repetitions within this many milliseconds, in real time and by the world's clock, count as accidental. */
const maxInterval = 1000

export const unsafeGet: FindingRule<'unsafe-get'> = {
  name: 'unsafe-get',
  severity: 'medium',
  description: 'It repeats or prefetches a GET that changes something: `rotate`, `changettl` or `resetall`.',
  advice: 'Fetch them once, on purpose, and keep caches, prefetching and automatic retries away from them.',
  // A request that changed nothing is harmless, and so is setting a TTL that is already set.
  appliesTo: (request) =>
    request.operation.method === 'GET' &&
    request.operation.changesState &&
    request.record.change !== undefined &&
    !setsSameTtl(request),
  // Path parameters are decoded, so requests that differ only in query or percent-encoding are grouped.
  key: (fetch) => [historyKey(fetch), fetch.record.operation, Object.values(fetch.path)],
  find(fetches) {
    const allReasons = new Set<string>()
    const examples = fetches.filter((fetch, i) => {
      const isRepeated =
        fetches.slice(0, i).some((earlier) => isRepetition(fetch, earlier)) ||
        fetches.slice(i + 1).some((later) => isRepetition(later, fetch))
      const reasons = [
        describeAutomaticFetch(fetch),
        isRepeated ? 'again within a second' : undefined,
      ].filter((reason) => reason !== undefined)
      for (const reason of reasons) allReasons.add(reason)
      return reasons.length > 0
    })
    const [first] = examples
    if (!first) return []
    const { method, path } = first.entry()
    return [{ message: `${method} ${path} was fetched ${[...allReasons].join(' and ')}.`, examples }]
  },
}

function describeAutomaticFetch({
  record: { requestHeaders: headers },
}: ObservedRequest): string | undefined {
  if (Object.keys(headers).some((name) => name.startsWith('if-'))) return 'as a conditional request'
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''))
  return /prefetch|prerender|preview/i.test(purposes.join(' ')) ? 'as a prefetch' : undefined
}

/** Whether a fetch was sent within a second of the response to an earlier one. */
function isRepetition(later: ObservedRequest, earlier: ObservedRequest): boolean {
  return (
    later.record.time - earlier.record.time <= maxInterval &&
    getArrival(later) - earlier.record.at <= maxInterval &&
    isSentAfter(later, earlier)
  )
}

function setsSameTtl(request: ObservedRequest): boolean {
  if (request.record.operation !== 'changeStickyTtl') return false
  const { services } = request.entry().before as WorldChange
  return services?.[request.path['id'] as string]?.sticky?.ttl === undefined
}
