import { dateTimeOf, type Instant, type TimeZone } from '../../world/time.ts'
import { isObject } from '../../world/mergePatch.ts'
import { type Call, instantIn } from './observe.ts'

/** An update of an IP list, accepted or refused. */
export interface ListUpdate {
  service: string
  exchange: number
  at: Instant
  /** The time in the refusal, verbatim */
  named: string | undefined
}

/** The update of an IP list in a call, if it is one. */
export function listUpdateOf(call: Call, exchange: number): ListUpdate | undefined {
  const { operationId, path, asked, status, refusal, at } = call
  const isUpdate = operationId === 'updateService' && asked['update_list'] === 'true'
  const named = refusal?.filled['timestamp']
  return isUpdate && (status === 200 || named !== undefined)
    ? { service: path['id'] ?? '', exchange, at, named }
    : undefined
}

/** The interval since the previous update, in seconds, as far as an update shows it. Clocks are only known to the second. */
interface Bounds {
  low: number
  high: number
  isNamed: boolean
  evidence: readonly number[]
}

export interface Interval {
  /** Minimum and maximum interval that explain all updates; contradictory if the minimum is greater */
  low: number
  high: number
  /** Null if the updates don't determine it */
  interpretation: number | null
  evidence: number[]
  /** An interval that is consistent with all updates */
  seconds: number
}

/**
 * Determines the interval between two updates of an IP list, from the times in refusals and from accepted
 * updates.
 * @param parts parts of a recording, in which the same id may belong to different services
 */
export function workOutInterval(
  parts: readonly (readonly ListUpdate[])[],
  usual: number,
  zone: TimeZone,
): Interval {
  const all = parts.flatMap((updates) => boundsIn(updates, zone))
  const low = all.reduce((most, one) => Math.max(most, one.low), 0)
  const high = all.reduce((least, one) => Math.min(least, one.high), Infinity)
  const named = all.filter(({ isNamed }) => isNamed)
  const telling =
    named.length > 0 && low <= high ? named : all.filter((one) => one.low === low || one.high === high)
  const evidence = [...new Set(telling.flatMap((one) => one.evidence))].toSorted((a, b) => a - b)
  const interpretation =
    low > high ? null : named.length > 0 ? roundest(low, high, usual) : high <= 1 ? 0 : null
  const seconds = interpretation ?? Math.max(0, Math.min(usual, high - 1))
  return { low, high, interpretation, evidence, seconds }
}

/** Updates of services whose list was updated before. */
function boundsIn(updates: readonly ListUpdate[], zone: TimeZone): Bounds[] {
  const last = new Map<string, ListUpdate>()
  return updates.flatMap((one): Bounds[] => {
    const before = last.get(one.service)
    if (one.named === undefined) last.set(one.service, one)
    if (!before) return []
    const evidence = [before.exchange, one.exchange]
    const waited = (one.at - before.at) / 1000
    if (one.named === undefined) return [{ low: 0, high: Math.floor(waited) + 1, isNamed: false, evidence }]
    const seconds = (instantIn(one.named, zone) - before.at) / 1000
    return [{ low: Math.floor(seconds) - 1, high: Math.ceil(seconds), isNamed: true, evidence }]
  })
}

/** The roundest of the possible values, because people choose those; otherwise the one in the refusal. */
function roundest(low: number, high: number, usual: number): number {
  if (low <= usual && usual <= high) return usual
  const seconds = Array.from({ length: high - low + 1 }, (_, i) => high - i).filter((one) => one > 0)
  const round = [60, 30, 10, 5].flatMap((unit) => seconds.find((one) => one % unit === 0) ?? [])
  return round[0] ?? seconds[0] ?? 0
}

/** A time without a zone in a response, and the instant that it should be. */
interface StatedTime {
  named: string
  instant: Instant
}

/** The end of a session that a call has just renewed, if it did. */
export function renewalOf({ operationId, status, body, at }: Call): StatedTime | undefined {
  const { ttl, expires_at } = isObject(body) ? body : {}
  if (operationId !== 'rotateStickySession' || status !== 200 || typeof expires_at !== 'string')
    return undefined
  return { named: expires_at, instant: at + Number(ttl) * 60_000 }
}

/** The end of the usual interval after each update, and the times in refusals. */
export function refusalsIn(updates: readonly ListUpdate[], usual: number): StatedTime[] {
  const last = new Map<string, Instant>()
  return updates.flatMap(({ service, named, at }) => {
    const before = last.get(service)
    if (named === undefined) last.set(service, at)
    return named === undefined || before === undefined ? [] : { named, instant: before + usual * 1000 }
  })
}

/** UTC offsets of zones that aren't whole hours, in minutes */
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
export function timeZonesOf(times: readonly StatedTime[], known: readonly TimeZone[]): TimeZone[] {
  const zones = times.flatMap(({ named, instant }): TimeZone[] => {
    const offset = instantIn(named, 'UTC') - instant
    const minutes = Math.round(offset / 60_000)
    const isNear = (zone: TimeZone): boolean =>
      Math.abs(instantIn(dateTimeOf(instant, zone), 'UTC') - instant - offset) <= 2000
    if (Math.abs(offset - minutes * 60_000) > 2000 || known.some(isNear)) return []
    const hours = minutes / 60
    const zone = Number.isInteger(hours)
      ? `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
      : oddZones[minutes]
    return zone !== undefined && hours >= -12 && hours <= 14 ? [zone] : []
  })
  return [...new Set(zones)]
}
