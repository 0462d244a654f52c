import { isObject } from '../../world/mergePatch.ts'
import { dateTimeOf, parseDateTime, type Instant } from '../../world/time.ts'
import { groups, worldOf, type FindingRule, type Found, type Noted } from './FindingRule.ts'

/** A request to update a service's IP list; `until` is the time that its 429 named. */
interface Evidence {
  service: string
  until?: Instant
}

/** `update_list` sent again before the time that a 429 named. */
export const throttleIgnored: FindingRule<Evidence> = {
  words: 'update_list again before the time that the 429 named',
  severity: 'medium',
  concerns: ({ responses }) => responses[429] !== undefined,
  note({ path, body, answer }) {
    if (!isObject(body) || body['update_list'] !== 'true') return undefined
    const until = answer.case === 'update-list-throttled' ? namedTime(answer.body) : undefined
    return { service: path['id'] ?? '', ...(until !== undefined && { until }) }
  },
  find: (updates) => groups(updates, (one) => [worldOf(one), one.evidence.service]).flatMap(ofService),
}

/** The time in a 429, even if a fault made it. */
function namedTime(body: string): Instant | undefined {
  const [named] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(body) ?? []
  return named === undefined ? undefined : parseDateTime(named)
}

function ofService(updates: readonly Noted<Evidence>[]): Found[] {
  const shown = new Set<Noted<Evidence>>()
  let refused: Noted<Evidence> | undefined
  for (const update of updates) {
    if (refused && isTooEarly(update, namedBy(refused))) shown.add(refused).add(update)
    // A 429 that never arrived told the client nothing.
    if (update.evidence.until !== undefined && !update.record.raw.lost) refused = update
  }
  const [first] = shown
  if (!first) return []
  return [
    {
      message: `update_list was sent again for service ${first.evidence.service} before ${dateTimeOf(namedBy(first))}, the time that the 429 named. Read "Next update possible" and wait for it: every attempt before it is refused, and the real service may count it against you.`,
      shown: [...shown].map(({ record }) => record),
    },
  ]
}

/**
 * The 429 names whole seconds, rounded up, but the throttle counts milliseconds: what it let through isn't too early.
 */
function isTooEarly({ evidence, record }: Noted<Evidence>, named: Instant): boolean {
  if (record.raw.time >= named) return false
  return evidence.until !== undefined || record.raw.time <= named - 1000
}

function namedBy({ evidence }: Noted<Evidence>): Instant {
  return evidence.until ?? 0
}
