import {
  groups,
  worldOf,
  type ClosingRequest,
  type FindingRule,
  type Found,
  type Noted,
} from './FindingRule.ts'

interface Evidence {
  /** The path parameters. Requests that differ only in query or spelling count as the same. */
  of: readonly string[]
  /** Conditional, a prefetch or a HEAD */
  speculative?: string
}

/** Nobody repeats a request on purpose within this many milliseconds, in real time and by the world's clock. */
const soon = 1000

/** A GET that changes state, repeated within a second, conditional, prefetched or sent as a HEAD. */
export const unsafeGet: FindingRule<Evidence> = {
  words: 'a GET that changes state, repeated at once, conditional or prefetched',
  severity: 'medium',
  concerns: ({ method, changesState }) => method === 'GET' && changesState,
  // A request that changed nothing does no harm.
  note: ({ changed, path, method, headers }) =>
    changed ? { of: Object.values(path), ...speculation(method, headers) } : undefined,
  find: (fetches) =>
    groups(fetches, (one) => [worldOf(one), one.record.raw.operation, one.evidence.of]).flatMap(ofPath),
}

function ofPath(fetches: readonly Noted<Evidence>[]): Found[] {
  const shown = new Set<Noted<Evidence>>()
  const ways = new Set<string>()
  let before: Noted<Evidence> | undefined
  for (const fetch of fetches) {
    if (fetch.evidence.speculative !== undefined) {
      shown.add(fetch)
      ways.add(`as ${fetch.evidence.speculative}`)
    }
    if (before && isSoonAfter(fetch, before)) {
      shown.add(before).add(fetch)
      ways.add('again within a second')
    }
    before = fetch
  }
  const [first] = fetches
  if (!first || shown.size === 0) return []
  const { method, path } = first.record.entry
  return [
    {
      message: `${method} ${path} was fetched ${[...ways].join(' and ')}. It changes state although it is a GET: fetch it once, on purpose, and keep caches, prefetching and automatic retries away from it.`,
      shown: fetches.filter((one) => shown.has(one)).map(({ record }) => record),
    },
  ]
}

function isSoonAfter({ record: fetch }: Noted<Evidence>, { record: before }: Noted<Evidence>): boolean {
  return fetch.raw.at - before.raw.at <= soon && fetch.raw.time - before.raw.time <= soon
}

function speculation(method: string, headers: ClosingRequest['headers']): Pick<Evidence, 'speculative'> {
  if (method === 'HEAD') return { speculative: 'a HEAD request' }
  if (Object.keys(headers).some((name) => name.startsWith('if-')))
    return { speculative: 'a conditional request' }
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''))
  return /prefetch|prerender|preview/i.test(purposes.join(' ')) ? { speculative: 'a prefetch' } : {}
}
