import { entryOf } from '../journal/redaction/redactRecord.ts'
import { isObject } from '../world/mergePatch.ts'
import { dateTimeOf, parseDateTime, type Instant } from '../world/time.ts'
import { groups, worldOf, type FindingRule, type Found, type Noted } from './FindingRule.ts'

/** A request to update a service's IP list; `until` is the time that its 429 named. */
export interface Note {
  service: string
  until?: Instant
}

export const throttleIgnored: FindingRule<Note, 'throttle-ignored'> = {
  name: 'throttle-ignored',
  severity: 'medium',
  words: 'It sends `update_list` again before the time that the 429 named.',
  advice:
    'Read "Next update possible" and wait for it: every attempt before it is refused, and the real service may count it against you.',
  note({ operation, path, body, response }) {
    const isThrottled = operation.responses[429] !== undefined
    if (!isThrottled || !isObject(body) || body['update_list'] !== 'true') return undefined
    const [named] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(response.body) ?? []
    const isRefused = response.case === 'update-list-throttled' && named !== undefined
    return { service: path['id'] ?? '', ...(isRefused && { until: parseDateTime(named) }) }
  },
  find: (updates) => groups(updates, (one) => [worldOf(one), one.note.service]).flatMap(ofService),
}

function ofService(updates: readonly Noted<Note>[]): Found[] {
  const shown = new Set<Noted<Note>>()
  let refused: Noted<Note> | undefined
  for (const update of updates) {
    if (refused && isTooEarly(update, untilOf(refused))) shown.add(refused).add(update)
    // A 429 that never arrived told the client nothing.
    if (update.note.until !== undefined && !update.record.lost) refused = update
  }
  const [first] = shown
  if (!first) return []
  const until = dateTimeOf(untilOf(first))
  const { method, path } = entryOf(first.record)
  const message = `${method} ${path} sent update_list again before ${until}, the time that the 429 named.`
  return [{ message, examples: [...shown] }]
}

function untilOf({ note }: Noted<Note>): Instant {
  return note.until ?? 0
}

/**
 * The 429 names whole seconds, rounded up, but the throttle counts milliseconds: what it let through isn't too early.
 */
function isTooEarly({ note, record }: Noted<Note>, until: Instant): boolean {
  return record.time < until && (note.until !== undefined || record.time <= until - 1000)
}
