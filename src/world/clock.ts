import { isRealDate, lastInstant, type Instant } from './time.ts'
import type { ClockSetting } from './World.ts'

/** What a clock shows, in scenarios and in the control plane. */
export interface ClockReading {
  /** ISO 8601, in UTC */
  now: string
  frozen: boolean
  /** Seconds of this clock in one real second, while it isn't frozen */
  rate: number
}

/** Real time in milliseconds since 1970. The only place that reads it. */
export function realTime(): Instant {
  return Date.now()
}

/** The current time in a world. A running clock stops at the end of the calendar. */
export function timeOf(clock: ClockSetting, real: Instant): Instant {
  if ('frozen' in clock) return Date.parse(clock.frozen)
  return Math.min(Math.floor(real * (clock.rate ?? 1) + clock.offset), lastInstant)
}

/** A clock that shows `now`, frozen or running from there. */
export function clockAt(now: Instant, frozen: boolean, real: Instant, rate = 1): ClockSetting {
  const faster = rate === 1 ? {} : { rate }
  return frozen
    ? { frozen: new Date(now).toISOString(), ...faster }
    : { offset: now - real * rate, ...faster }
}

export function readClock(clock: ClockSetting, real: Instant): ClockReading {
  const { rate = 1 } = clock
  return { now: new Date(timeOf(clock, real)).toISOString(), frozen: 'frozen' in clock, rate }
}

/** A running clock moves on while a request is in flight: anything less than this (real ms) in the past counts as now. */
const travel = 1000

/**
 * The instant that a clock shows when it is set to `wanted`. Clocks never go back.
 * @returns undefined if it would
 */
export function forward(clock: ClockSetting, wanted: Instant, real: Instant): Instant | undefined {
  const now = timeOf(clock, real)
  const tolerated = 'frozen' in clock ? 0 : travel * (clock.rate ?? 1)
  return wanted < now - tolerated ? undefined : Math.max(wanted, now)
}

/** Parses an ISO 8601 instant with a time zone, from 1970 to 9899; undefined if it isn't one. */
export function parseInstant(text: string): Instant | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  if (!isRealDate(text.slice(0, 10))) return undefined
  const at = Date.parse(text)
  return at >= 0 && at <= lastInstant ? at : undefined
}
