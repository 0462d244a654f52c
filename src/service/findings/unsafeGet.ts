import { historyKey, type FindingRule, type ObservedRequest } from '../../findings/FindingRule.ts'

/** Repetitions within this many milliseconds, in real time and by the world's clock, count as accidental. */
const maxInterval = 1000

export const unsafeGet: FindingRule<'unsafe-get'> = {
  name: 'unsafe-get',
  severity: 'medium',
  description:
    'It fetches `rotate`, `changettl` or `resetall` again within a second, conditionally or as a prefetch.',
  advice:
    'These change state although they are GETs: fetch them once, on purpose, and keep caches, prefetching and automatic retries away from them.',
  // A request that changed nothing is harmless.
  appliesTo: ({ operation, record }) =>
    operation.method === 'GET' && operation.changesState && record.change !== undefined,
  // Path parameters are decoded, so requests that differ only in query or percent-encoding are grouped.
  key: (fetch) => [historyKey(fetch), fetch.record.operation, Object.values(fetch.path)],
  find(fetches) {
    const allReasons = new Set<string>()
    const examples = fetches.filter((fetch, i) => {
      const isRepeated = isSoonAfter(fetch, fetches[i - 1]) || isSoonAfter(fetches[i + 1], fetch)
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

function isSoonAfter(fetch: ObservedRequest | undefined, before: ObservedRequest | undefined): boolean {
  if (!fetch || !before) return false
  const [record, earlier] = [fetch.record, before.record]
  return record.at - earlier.at <= maxInterval && record.time - earlier.time <= maxInterval
}
