import { type Instant, type ObservedCall, parseTime, type TimeZone, isObject } from '../../simulator.ts'

/** An update of an IP list, accepted or refused. */
export interface ListUpdate {
  service: string
  exchange: number
  at: Instant
  /** The time in the refusal, verbatim */
  statedTime: string | undefined
}

/** The update of an IP list by a call, if any. */
export function readListUpdate(call: ObservedCall, exchange: number): ListUpdate | undefined {
  const { operationId, path, requestBody, status, refusal, at } = call
  const isUpdate = operationId === 'updateService' && requestBody['update_list'] === 'true'
  const statedTime = refusal?.variables['timestamp']
  return isUpdate && (status === 200 || statedTime !== undefined)
    ? { service: path['id'] ?? '', exchange, at, statedTime }
    : undefined
}

/** Bounds of the minimum interval between updates, in seconds, as implied by one update. Times are only known to the second. */
interface Bounds {
  low: number
  high: number
  isStated: boolean
  evidence: readonly number[]
}

export interface Interval {
  /** Minimum and maximum interval that explain all updates. If the minimum is greater, the updates are contradictory */
  low: number
  high: number
  /** The interval, if the updates determine it; otherwise null */
  interpretation: number | null
  evidence: number[]
  /** Whether one interval explains all times in refusals, in some time zone */
  isPossible: boolean
  /** An interval that is consistent with all updates */
  seconds: number
}

/**
 * Infers the interval between two updates of an IP list, from the times in refusals and from accepted updates.
 * @param groups groups of a recording; the same id may belong to different services in each
 */
export function inferInterval(
  groups: readonly (readonly ListUpdate[])[],
  defaultInterval: number,
  zone: TimeZone,
): Interval {
  const all = groups.flatMap((updates) => collectBounds(updates, zone))
  const low = all.reduce((most, one) => Math.max(most, one.low), 0)
  const high = all.reduce((least, one) => Math.min(least, one.high), Infinity)
  const stated = all.filter(({ isStated }) => isStated)
  const decisive =
    stated.length > 0 && low <= high ? stated : all.filter((one) => one.low === low || one.high === high)
  const evidence = [...new Set(decisive.flatMap((one) => one.evidence))].toSorted((a, b) => a - b)
  const interpretation =
    low > high ? null : stated.length > 0 ? roundest(low, high, defaultInterval) : high <= 1 ? 0 : null
  const seconds = interpretation ?? Math.max(0, Math.min(defaultInterval, high - 1))
  const lowest = Math.min(...stated.map((one) => one.high))
  const isPossible = stated.every((one) => one.low <= lowest)
  return { low, high, interpretation, evidence, isPossible, seconds }
}

/** The bounds implied by each update after the first one of a list. */
function collectBounds(updates: readonly ListUpdate[], zone: TimeZone): Bounds[] {
  const last = new Map<string, ListUpdate>()
  return updates.flatMap((update): Bounds[] => {
    const before = last.get(update.service)
    if (update.statedTime === undefined) last.set(update.service, update)
    if (!before) return []
    const evidence = [before.exchange, update.exchange]
    const elapsed = (update.at - before.at) / 1000
    if (update.statedTime === undefined)
      return [{ low: 0, high: Math.floor(elapsed) + 1, isStated: false, evidence }]
    const seconds = (parseTime(update.statedTime, zone) - before.at) / 1000
    return [{ low: Math.floor(seconds) - 1, high: Math.ceil(seconds), isStated: true, evidence }]
  })
}

/** The roundest possible value, because people choose round values. */
function roundest(low: number, high: number, defaultInterval: number): number {
  if (low <= defaultInterval && defaultInterval <= high) return defaultInterval
  const seconds = Array.from({ length: high - low + 1 }, (_, i) => high - i).filter((one) => one > 0)
  const round = [60, 30, 10, 5].flatMap((unit) => seconds.find((one) => one % unit === 0) ?? [])
  return round[0] ?? seconds[0] ?? 0
}

/** A time without a zone in a response, and when it can be. */
export interface StatedTime {
  text: string
  exchange: number
  earliest: Instant
  latest: Instant
}

/** The ends of the sessions that a call rotated or listed. They reveal the time zone, because a session ends within its TTL. */
export function readZoneTimes(call: ObservedCall, exchange: number): StatedTime[] {
  const { operationId, status, body, at } = call
  if (!/^(?:rotate|list)StickySessions?$/.test(operationId) || status !== 200) return []
  return [body].flat().flatMap((session): StatedTime[] => {
    const { ttl, expires_at } = isObject(session) ? session : {}
    const latest = at + Number(ttl) * 60_000
    if (typeof expires_at !== 'string' || Number.isNaN(latest + parseTime(expires_at, 'UTC'))) return []
    return [{ text: expires_at, exchange, earliest: Array.isArray(body) ? at : latest, latest }]
  })
}

/** Times are only known to the second, in responses and recordings. */
const tolerance = 2000

/** The times in refusals, which are after the refusal. */
export function collectStatedTimes(updates: readonly ListUpdate[]): StatedTime[] {
  return updates.flatMap(({ statedTime, exchange, at }) =>
    statedTime === undefined
      ? []
      : { text: statedTime, exchange, earliest: at + tolerance, latest: Infinity },
  )
}

/** Whether a time is possible in a zone. */
export function isPossibleIn({ text, earliest, latest }: StatedTime, zone: TimeZone): boolean {
  const instant = parseTime(text, zone)
  return earliest - tolerance <= instant && instant <= latest + tolerance
}

const wholeHours = Array.from({ length: 27 }, (_, i) => 14 - i) // +14 first, in which a time is the earliest

/** Time zones in order of preference: of zones with the same offset, the first one explains the times. */
function* listZones(): Generator<TimeZone> {
  for (const hours of wholeHours) yield `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
  yield* ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Yangon'] // the list below has their old names
  yield* Intl.supportedValuesOf('timeZone')
}

/**
 * Time zones in which the times in responses are possible, besides the known ones: one for all times if there is one. A zone
 * in which the sessions end at once is a last resort: with a TTL of 15 minutes, it is next to the zone of new sessions.
 */
export function inferTimeZones(times: readonly StatedTime[], known: readonly TimeZone[]): TimeZone[] {
  const likely = times.map((one) => ({
    ...one,
    earliest: Math.min(one.latest, one.earliest + 2 * tolerance),
  }))
  const findZone = (...all: StatedTime[]): TimeZone[] => {
    for (const zone of listZones()) if (all.every((time) => isPossibleIn(time, zone))) return [zone]
    return []
  }
  const isUnexplained = (time: StatedTime): boolean => !known.some((zone) => isPossibleIn(time, zone))
  if (!likely.some(isUnexplained)) return []
  const common = [...findZone(...likely), ...findZone(...times)].slice(0, 1)
  const zones = common.length > 0 ? common : times.filter(isUnexplained).flatMap((time) => findZone(time))
  return [...new Set(zones)]
}
