import { formatDateTime, type Instant, type TimeZone, isObject } from '../../simulator.ts'
import { type ObservedCall, parseTime } from './observe.ts'

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
  return { low, high, interpretation, evidence, seconds }
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

/** A time without a zone in a response, and the instant that it should represent. */
interface StatedTime {
  text: string
  instant: Instant
}

/** The end of the session that a call rotated, if any. */
export function readRenewal({ operationId, status, body, at }: ObservedCall): StatedTime | undefined {
  const { ttl, expires_at } = isObject(body) ? body : {}
  if (operationId !== 'rotateStickySession' || status !== 200 || typeof expires_at !== 'string')
    return undefined
  return { text: expires_at, instant: at + Number(ttl) * 60_000 }
}

/** The times in refusals, and the end of the default interval after the previous update. */
export function collectStatedTimes(updates: readonly ListUpdate[], defaultInterval: number): StatedTime[] {
  const last = new Map<string, Instant>()
  return updates.flatMap(({ service, statedTime, at }) => {
    const before = last.get(service)
    if (statedTime === undefined) last.set(service, at)
    return statedTime === undefined || before === undefined
      ? []
      : { text: statedTime, instant: before + defaultInterval * 1000 }
  })
}

/** Time zones whose UTC offset isn't a whole number of hours, by their offset in minutes */
const oddZones: Readonly<Record<number, TimeZone>> = {
  [-210]: 'America/St_Johns',
  210: 'Asia/Tehran',
  270: 'Asia/Kabul',
  330: 'Asia/Kolkata',
  345: 'Asia/Kathmandu',
  390: 'Asia/Yangon',
  570: 'Australia/Darwin',
  630: 'Australia/Adelaide',
}

/** Time zones that would explain the times in responses, besides the known ones. */
export function inferTimeZones(times: readonly StatedTime[], known: readonly TimeZone[]): TimeZone[] {
  const zones = times.flatMap(({ text, instant }): TimeZone[] => {
    const offset = parseTime(text, 'UTC') - instant
    const minutes = Math.round(offset / 60_000)
    const isExplained = (zone: TimeZone): boolean =>
      Math.abs(parseTime(formatDateTime(instant, zone), 'UTC') - instant - offset) <= 2000
    if (Math.abs(offset - minutes * 60_000) > 2000 || known.some(isExplained)) return []
    const hours = minutes / 60
    const zone = Number.isInteger(hours)
      ? `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
      : oddZones[minutes]
    return zone !== undefined && hours >= -12 && hours <= 14 ? [zone] : []
  })
  return [...new Set(zones)]
}
