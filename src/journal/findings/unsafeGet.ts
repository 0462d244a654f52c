import type { JournalRecord } from '../Journal.ts'
import { groups, keyOf, type Evidence, type Rule } from './Evidence.ts'

/** Operations that change state although they are GETs */
const unsafe = ['rotateStickySession', 'changeStickyTtl', 'resetStickySessions']

/** Milliseconds of real time within which nobody means the same thing twice */
const soon = 1000

/** An unsafe GET fetched again within a second, conditionally or as a prefetch. */
export const unsafeGet: Rule = (records) =>
  groups(records, ({ operation, account, entry }) =>
    operation !== null && unsafe.includes(operation) ? keyOf(account, operation, entry.path) : undefined,
  ).flatMap(ofPath)

function ofPath(fetches: readonly JournalRecord[]): Evidence[] {
  const shown = new Set<JournalRecord>()
  const ways = new Set<string>()
  let before: JournalRecord | undefined
  for (const fetch of fetches) {
    if (fetch.clues.speculative !== undefined) {
      shown.add(fetch)
      ways.add(`as ${fetch.clues.speculative}`)
    }
    if (wasRefused(fetch)) continue
    if (before && fetch.clues.at - before.clues.at <= soon) {
      shown.add(before).add(fetch)
      ways.add('again within a second')
    }
    before = fetch
  }
  const [first] = fetches
  if (!first || shown.size === 0) return []
  return [
    {
      message: `${first.entry.method} ${first.entry.path} was fetched ${[...ways].join(' and ')}. It changes state although it is a GET: fetch it once, on purpose, and keep caches, prefetching and automatic retries away from it.`,
      shown: fetches.filter((one) => shown.has(one)),
    },
  ]
}

/** A refusal changed nothing, so to ask again does no harm. */
function wasRefused({ status }: JournalRecord): boolean {
  return status !== null && status >= 400
}
