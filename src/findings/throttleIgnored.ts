import { entryOf } from '../journal/redaction/redactRecord.ts'
import { isObject } from '../world/mergePatch.ts'
import { dateTimeOf, parseDateTime, type Instant } from '../world/time.ts'
import { worldOf, type FindingRule, type Noted } from './FindingRule.ts'

/** A request to update a service's IP list; `until` is the time that its 429 named, or 0. */
export interface Note {
  service: string
  until: Instant
}

export const throttleIgnored: FindingRule<Note, 'throttle-ignored'> = {
  name: 'throttle-ignored',
  severity: 'medium',
  words: 'It sends `update_list` again before the time that the 429 named.',
  advice:
    'Read "Next update possible" and wait for it: every attempt before it is refused, and the real service may count it against you.',
  note({ operation, path, body, record }) {
    const isThrottled = operation.responses[429] !== undefined
    if (!isThrottled || !isObject(body) || body['update_list'] !== 'true') return undefined
    const [named] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(record.responseBody ?? '') ?? []
    const isRefused = record.case === 'update-list-throttled' && named !== undefined
    return { service: path['id'] ?? '', until: isRefused ? parseDateTime(named) : 0 }
  },
  key: (update) => [worldOf(update), update.note.service],
  find(updates) {
    const shown = new Set<Noted<Note>>()
    let refused: Noted<Note> | undefined
    for (const update of updates) {
      if (refused && isTooEarly(update, refused.note.until)) shown.add(refused).add(update)
      // A 429 that never arrived told the client nothing.
      if (update.note.until > 0 && !update.record.lost) refused = update
    }
    const [first] = shown
    if (!first) return []
    const { method, path } = entryOf(first.record)
    const until = dateTimeOf(first.note.until)
    const message = `${method} ${path} sent update_list again before ${until}, the time that the 429 named.`
    return [{ message, examples: [...shown] }]
  },
}

/** The 429 names whole seconds, rounded up, but the throttle counts milliseconds: what it let through isn't too early. */
function isTooEarly({ note, record }: Noted<Note>, until: Instant): boolean {
  return record.time < until && (note.until > 0 || record.time <= until - 1000)
}
