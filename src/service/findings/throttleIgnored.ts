import { formatDateTime, parseDateTime, type Instant, type TimeZone } from '../../world/time.ts'
import {
  historyKey,
  isSentAfter,
  type FindingRule,
  type ObservedRequest,
} from '../../findings/FindingRule.ts'

export const throttleIgnored: FindingRule<'throttle-ignored'> = {
  name: 'throttle-ignored',
  severity: 'medium',
  isEarlyCall: true,
  description: 'It sends `update_list` again before the time given in the 429.',
  advice:
    'Read the time after "Next update possible" and wait until then: earlier attempts are refused, and the real service may count them against you.',
  appliesTo: ({ operation, body }) =>
    operation.responses[429] !== undefined && body['update_list'] === 'true',
  key: (update) => [historyKey(update), update.path['id']],
  find(updates) {
    const examples = new Set<ObservedRequest>()
    let refused: ObservedRequest | undefined
    for (const update of updates) {
      const isIgnored = refused && isSentAfter(update, refused) && isTooEarly(update, throttledUntil(refused))
      if (refused && isIgnored) examples.add(refused).add(update)
      // A client can't heed a 429 that it never received.
      if (throttledUntil(update) > 0 && !update.record.isUndelivered) refused = update
    }
    const [first] = examples
    if (!first) return []
    const { method, path } = first.entry()
    const until = formatDateTime(throttledUntil(first), getZone(first))
    const message = `${method} ${path} sent update_list again before ${until}, the time given in the 429.`
    return [{ message, examples: [...examples] }]
  },
}

function getZone({ record }: ObservedRequest): TimeZone {
  return record.before?.assumptions.timeZone ?? record.known?.timeZone ?? 'UTC'
}

/** The time given in the 429; 0 for other responses. */
function throttledUntil(request: ObservedRequest): Instant {
  const { record } = request
  if (record.case !== 'update-list-throttled') return 0
  const [time] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(record.responseBody ?? '') ?? []
  return time === undefined ? 0 : parseDateTime(time, getZone(request))
}

/** The 429 has whole seconds, rounded up, but the throttle counts milliseconds: an accepted request isn't too early. */
function isTooEarly(update: ObservedRequest, until: Instant): boolean {
  const { time } = update.record
  return time < until && (throttledUntil(update) > 0 || time <= until - 1000)
}
