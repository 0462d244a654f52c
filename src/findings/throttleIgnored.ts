import { isObject } from '../world/mergePatch.ts'
import { dateTimeOf, parseDateTime, type Instant } from '../world/time.ts'
import { groups, worldOf, type FindingRule, type Found, type Noted } from './FindingRule.ts'

/** A request to update a service's IP list; `until` is the time that its 429 named. */
export interface Evidence {
  service: string
  until?: Instant
}

export const throttleIgnored: FindingRule<Evidence, 'throttle-ignored'> = {
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
  find: (updates) => groups(updates, (one) => [worldOf(one), one.evidence.service]).flatMap(ofService),
}

function ofService(updates: readonly Noted<Evidence>[]): Found[] {
  const shown = new Set<Noted<Evidence>>()
  let refused: Noted<Evidence> | undefined
  for (const update of updates) {
    if (refused && isTooEarly(update, untilOf(refused))) shown.add(refused).add(update)
    // A 429 that never arrived told the client nothing.
    if (update.evidence.until !== undefined && !update.record.raw.lost) refused = update
  }
  const [first] = shown
  if (!first) return []
  const until = dateTimeOf(untilOf(first))
  const message = `update_list was sent again for service ${first.evidence.service} before ${until}, the time that the 429 named.`
  return [{ message, shown: [...shown] }]
}

function untilOf({ evidence }: Noted<Evidence>): Instant {
  return evidence.until ?? 0
}

/**
 * The 429 names whole seconds, rounded up, but the throttle counts milliseconds: what it let through isn't too early.
 */
function isTooEarly({ evidence, record }: Noted<Evidence>, until: Instant): boolean {
  return record.raw.time < until && (evidence.until !== undefined || record.raw.time <= until - 1000)
}
