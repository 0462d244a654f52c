import { dateTimeOf, parseDateTime, type Instant, type TimeZone } from '../../world/time.ts'
import { worldOf, type FindingRule, type SeenRequest } from '../../findings/FindingRule.ts'

export const throttleIgnored: FindingRule<'throttle-ignored'> = {
  name: 'throttle-ignored',
  severity: 'medium',
  description: 'It sends `update_list` again before the time that the 429 named.',
  advice:
    'Read "Next update possible" and wait for it: every attempt before it is refused, and the real service may count it against you.',
  concerns: ({ operation, body }) => operation.responses[429] !== undefined && body['update_list'] === 'true',
  key: (update) => [worldOf(update), update.path['id']],
  find(updates) {
    const shown = new Set<SeenRequest>()
    let refused: SeenRequest | undefined
    for (const update of updates) {
      if (refused && isTooEarly(update, untilIn(refused))) shown.add(refused).add(update)
      // A client can't heed a 429 that it never received.
      if (untilIn(update) > 0 && !update.record.lost) refused = update
    }
    const [first] = shown
    if (!first) return []
    const { method, path } = first.entry()
    const until = dateTimeOf(untilIn(first), zoneOf(first))
    const message = `${method} ${path} sent update_list again before ${until}, the time that the 429 named.`
    return [{ message, examples: [...shown] }]
  },
}

function zoneOf({ record }: SeenRequest): TimeZone {
  return record.before?.assumptions.timeZone ?? 'UTC'
}

/** The time in the 429, or 0. */
function untilIn(request: SeenRequest): Instant {
  const { record } = request
  if (record.case !== 'update-list-throttled') return 0
  const [named] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(record.responseBody ?? '') ?? []
  return named === undefined ? 0 : parseDateTime(named, zoneOf(request))
}

/** The 429 has whole seconds, rounded up, but the throttle counts milliseconds: an accepted request isn't too early. */
function isTooEarly(update: SeenRequest, until: Instant): boolean {
  const { time } = update.record
  return time < until && (untilIn(update) > 0 || time <= until - 1000)
}
