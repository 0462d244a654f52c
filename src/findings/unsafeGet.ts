import { entryOf } from '../journal/redaction/redactRecord.ts'
import type { Headers } from '../journal/JournalRecord.ts'
import { worldOf, type FindingRule, type Noted } from './FindingRule.ts'

export interface Note {
  /** The path parameters. Requests that differ only in query or spelling count as the same. */
  of: readonly string[]
  speculative?: 'a conditional request' | 'a prefetch'
}

/** Nobody repeats a request on purpose within this many milliseconds, in real time and by the world's clock. */
const soon = 1000

export const unsafeGet: FindingRule<Note, 'unsafe-get'> = {
  name: 'unsafe-get',
  severity: 'medium',
  words:
    'It fetches `rotate`, `changettl` or `resetall` again within a second, conditionally or as a prefetch.',
  advice:
    'These change state although they are GETs: fetch them once, on purpose, and keep caches, prefetching and automatic retries away from them.',
  note({ operation, path, record }) {
    // A request that changed nothing does no harm.
    if (operation.method !== 'GET' || !operation.changesState || record.change === undefined) return undefined
    return { of: Object.values(path), ...speculation(record.requestHeaders) }
  },
  key: (fetch) => [worldOf(fetch), fetch.record.operation, fetch.note.of],
  find(fetches) {
    const ways = new Set<string>()
    const shown = fetches.filter((fetch, i) => {
      const { speculative } = fetch.note
      if (speculative !== undefined) ways.add(`as ${speculative}`)
      const isRepeated = isSoonAfter(fetch, fetches[i - 1]) || isSoonAfter(fetches[i + 1], fetch)
      if (isRepeated) ways.add('again within a second')
      return isRepeated || speculative !== undefined
    })
    const [first] = shown
    if (!first) return []
    const { method, path } = entryOf(first.record)
    return [{ message: `${method} ${path} was fetched ${[...ways].join(' and ')}.`, examples: shown }]
  },
}

function speculation(headers: Headers): Pick<Note, 'speculative'> {
  if (Object.keys(headers).some((name) => name.startsWith('if-')))
    return { speculative: 'a conditional request' }
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''))
  return /prefetch|prerender|preview/i.test(purposes.join(' ')) ? { speculative: 'a prefetch' } : {}
}

function isSoonAfter(fetch: Noted<Note> | undefined, before: Noted<Note> | undefined): boolean {
  if (!fetch || !before) return false
  const [one, other] = [fetch.record, before.record]
  return one.at - other.at <= soon && one.time - other.time <= soon
}
