import type { ClockReading } from '../admin/shapes.ts'
import { isRealDate, lastInstant, type Instant } from './time.ts'
import type { ClockSetting } from './World.ts'

/** Real time in milliseconds since 1970. The only place that reads it. */
export function realTime(): Instant {
  return Date.now()
}

/** The current time in a world. A running clock stops at the end of the calendar. */
export function timeOf(clock: ClockSetting, real: Instant): Instant {
  return 'frozen' in clock ? Date.parse(clock.frozen) : Math.min(real + clock.offset, lastInstant)
}

/** A clock that shows `now`, frozen or running from there. */
export function clockAt(now: Instant, frozen: boolean, real: Instant): ClockSetting {
  return frozen ? { frozen: new Date(now).toISOString() } : { offset: now - real }
}

export function readClock(clock: ClockSetting, real: Instant): ClockReading {
  return { now: new Date(timeOf(clock, real)).toISOString(), frozen: 'frozen' in clock }
}

/** A running clock moves on while a request is in flight: anything less than this (ms) in the past counts as now. */
const travel = 1000

/**
 * The instant that a clock shows when it is set to `wanted`. Clocks never go back.
 * @returns undefined if it would
 */
export function forward(clock: ClockSetting, wanted: Instant, real: Instant): Instant | undefined {
  const now = timeOf(clock, real)
  return wanted < now - ('frozen' in clock ? 0 : travel) ? undefined : Math.max(wanted, now)
}

const iso8601Duration =
  /^P(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?=\d)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/

/**
 * Adds an ISO 8601 duration (`PT1H`, `P1M`) to an instant; months and years follow the calendar, in UTC.
 * @returns undefined if the duration is invalid, or leads past the end of the calendar
 */
export function addDuration(at: Instant, duration: string): Instant | undefined {
  const match = iso8601Duration.exec(duration)
  if (!match) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number((part ?? '0').replace(',', '.')))
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + years * 12 + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  const rest = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000
  const sum = date.getTime() + Math.round(rest)
  return sum <= lastInstant ? sum : undefined // NaN, too
}

/** Parses an ISO 8601 instant with a time zone, from 1970 to 9899; undefined if it isn't one. */
export function parseInstant(text: string): Instant | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  if (!isRealDate(text.slice(0, 10))) return undefined
  const at = Date.parse(text)
  return at >= 0 && at <= lastInstant ? at : undefined
}
