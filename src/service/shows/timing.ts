import { isObject } from '../../world/mergePatch.ts'
import type { Instant, TimeZone } from '../../world/time.ts'
import { type ObservedCall, parseTime } from './facts.ts'

/*
 * Time zone and interval between two updates of an IP list are tried together, because the time in a refusal is their sum.
 * This file finds the pairs worth trying; replays judge them.
 */

/** A time zone, and an interval in seconds. */
export interface Timing {
  zone: TimeZone
  interval: number
}

/** Whether a call shows the end of a sticky session, which reveals the time zone. */
export function showsZone({ operationId, status, body }: ObservedCall): boolean {
  return /^(?:rotate|list)StickySessions?$/.test(operationId) && status === 200 && readEnds(body).length > 0
}

/** Whether a call was refused with the time of the next possible update. */
export function statesNextUpdate({ refusal }: ObservedCall): boolean {
  return refusal?.variables['timestamp'] !== undefined
}

/**
 * Returns the pairs of zone and interval to try, the default first.
 * @param groups calls that start from the same state; the same id may belong to different services in each
 */
export function findTimings(
  groups: readonly (readonly ObservedCall[])[],
  knownZones: readonly TimeZone[],
  knownIntervals: readonly number[],
): Timing[] {
  const calls = groups.flat()
  const ends = calls.filter(showsZone)
  const isStated = calls.some(statesNextUpdate)
  const others =
    ends.length > 0
      ? ends.flatMap((call) => possibleZones(call, knownZones))
      : isStated
        ? [...wholeHours()]
        : []
  const zones = [...new Set([...knownZones, ...others])]
  const gaps = groups.flatMap((group) => [...findGaps(group)])
  return zones.flatMap((zone) => {
    const implied = impliedIntervals(gaps, zone, knownIntervals[0] ?? 0)
    const isTriedFully = zone === zones[0] || ends.length > 0 || !isStated
    const intervals = [...(isTriedFully ? knownIntervals : []), ...implied]
    return [...new Set(intervals)].flatMap((interval) => (interval >= 0 ? { zone, interval } : []))
  })
}

/** Two updates of the same list. */
interface Gap {
  since: Instant
  at: Instant
  /** The time in the refusal of the second one; undefined if it was accepted */
  stated: string | undefined
}

function* findGaps(calls: readonly ObservedCall[]): Generator<Gap> {
  const last = new Map<string, Instant>()
  for (const call of calls) {
    const { operationId, path, requestBody, status, refusal, at } = call
    const isUpdate = operationId === 'updateService' && requestBody['update_list'] === 'true'
    if (!isUpdate || (status !== 200 && !statesNextUpdate(call))) continue
    const { id = '' } = path
    const since = last.get(id)
    if (since !== undefined) yield { since, at, stated: refusal?.variables['timestamp'] }
    if (status === 200) last.set(id, at)
  }
}

/** The interval that explains all refusals, or otherwise the longest one that may explain the accepted updates. */
function impliedIntervals(gaps: readonly Gap[], zone: TimeZone, usual: number): number[] {
  const accepted = gaps.flatMap(({ since, at, stated }) =>
    stated === undefined ? Math.floor((at - since) / 1000) : [],
  )
  const stated = gaps.flatMap(({ since, stated: time }) =>
    time === undefined ? [] : (parseTime(time, zone) - since) / 1000,
  )
  if (stated.length === 0) return accepted.length > 0 ? [Math.min(...accepted)] : []
  // Times are only known to the second.
  const low = Math.max(...stated.map((one) => Math.floor(one) - 1))
  const high = Math.min(...stated.map(Math.ceil))
  return [low <= high ? roundest(low, high, usual) : high]
}

/** The roundest value, because people choose round values. */
function roundest(low: number, high: number, usual: number): number {
  if (low <= usual && usual <= high) return usual
  const seconds = Array.from({ length: high - low + 1 }, (_, i) => high - i)
  const round = [60, 30, 10, 5].flatMap((unit) => seconds.find((one) => one % unit === 0) ?? [])
  return round[0] ?? high
}

function* wholeHours(): Generator<TimeZone> {
  for (let hours = 14; hours >= -12; hours--)
    if (hours !== 0) yield `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}

/** A zone for each offset that is in use */
const allZones: readonly TimeZone[] = [
  ...wholeHours(),
  'America/St_Johns',
  'Pacific/Marquesas',
  'Asia/Tehran',
  'Asia/Kabul',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Yangon',
  'Australia/Eucla',
  'Australia/Darwin',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
]

/** The zones in which the sessions of a response have started, and not ended, one for each offset. */
function possibleZones({ body, at }: ObservedCall, known: readonly TimeZone[]): TimeZone[] {
  const zones = new Map<string, TimeZone>()
  for (const zone of [...known, ...allZones]) {
    const ends = readEnds(body).map(({ text, ttl }) => ({ end: parseTime(text, zone), ttl }))
    const isPossible = ends.every(({ end, ttl }) => at - 2000 <= end && end <= at + ttl * 60_000 + 2000)
    const offset = String(ends[0]?.end)
    if (isPossible && !zones.has(offset)) zones.set(offset, zone)
  }
  return [...zones.values()]
}

/** The ends of the sessions in a response. */
function readEnds(body: unknown): { text: string; ttl: number }[] {
  return [body].flat().flatMap((session) => {
    const { ttl, expires_at: text } = isObject(session) ? session : {}
    const isTime = typeof text === 'string' && !Number.isNaN(Number(ttl) + parseTime(text, 'UTC'))
    return isTime ? { text, ttl: Number(ttl) } : []
  })
}
