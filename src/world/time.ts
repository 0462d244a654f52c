/** Milliseconds since 1970 (UTC) */
export type Instant = number

/** An IANA time zone such as `UTC`, for dates and times without a zone (assumption `timeZone`) */
export type TimeZone = string

export function isTimeZone(name: string): boolean {
  try {
    return /^[a-z]/i.test(name) && getFormatter(name) !== undefined
  } catch {
    return false // a RangeError
  }
}

const formatters = new Map<TimeZone, Intl.DateTimeFormat>()

function getFormatter(timeZone: TimeZone): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    const digits = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
    const time = { minute: 'numeric', second: 'numeric', hourCycle: 'h23', timeZone } as const
    formatter = new Intl.DateTimeFormat('en-US', { ...digits, ...time })
    formatters.set(timeZone, formatter)
  }
  return formatter
}

/** The wall time of a zone, to the second, as if it were UTC. */
export function wallTime(at: Instant, zone: TimeZone): Instant {
  if (zone === 'UTC') return at
  const parts = getFormatter(zone).formatToParts(at)
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((type) => Number(parts.find((part) => part.type === type)?.value))
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** The instant at which clocks in the zone show the wall time. */
function fromWallTime(wall: Instant, zone: TimeZone): Instant {
  const guess = wall - (wallTime(wall, zone) - wall)
  return wall - (wallTime(guess, zone) - guess) // the offset may have changed in between
}

export const dayMs = 24 * 60 * 60 * 1000

/**
 * The latest time for clocks, and for dates that other dates are derived from. Stopping a century before year 10,000 keeps
 * the years of derived due dates, TTLs and throttles at four digits.
 */
export const lastDate = '9899-12-31'
export const lastInstant: Instant = Date.parse(`${lastDate}T23:59:59.999Z`)

/** Cache of up to 1,000 formatted dates: an order formats many dates, but only a few distinct ones. */
const dates = new Map<number, string>()

/** YYYY-MM-DD */
export function formatDate(at: Instant, zone: TimeZone): string {
  const day = Math.floor(wallTime(at, zone) / dayMs)
  const date = dates.get(day) ?? toIsoString(day * dayMs).slice(0, 10)
  if (dates.size < 1000) dates.set(day, date)
  return date
}

/** YYYY-MM-DD HH:MM:SS */
export function formatDateTime(at: Instant, zone: TimeZone): string {
  return toIsoString(wallTime(at, zone)).slice(0, 19).replace('T', ' ')
}

/** YYYY-MM-DD HH:MM:SS, rounded up, so that the instant has passed once a clock shows the result. */
export function dateTimeRoundedUp(at: Instant, zone: TimeZone): string {
  return formatDateTime(Math.ceil(at / 1000) * 1000, zone)
}

/** ISO 8601 with milliseconds, the format of instants in the state. */
export function toIsoString(at: Instant): string {
  return new Date(at).toISOString()
}

/** The instant of YYYY-MM-DD HH:MM:SS; NaN if the text is invalid. */
export function parseDateTime(text: string, zone: TimeZone): Instant {
  const wall = Date.parse(`${text.replace(' ', 'T')}Z`)
  return Number.isNaN(wall) ? wall : fromWallTime(wall, zone)
}

/** Whether a text is a date (YYYY-MM-DD) that exists; `Date.parse` reads 30 February as 2 March. */
export function isRealDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
}

/** The instant `months` calendar months later, clamped to the last day of the month. */
export function addMonths(at: Instant, months: number): Instant {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months + 1, 0) // the last day of the month
  date.setUTCDate(Math.min(day, date.getUTCDate()))
  return date.getTime()
}

/**
 * A clock, frozen at an instant (ISO 8601) or running: it showed `offset` at the real time `since` (both in milliseconds
 * since 1970), and has run `rate` times as fast as real time since then.
 */
export type ClockSetting = ({ frozen: string } | { offset: number; since?: number }) & {
  /** Seconds that pass on the account's clock per real second. @default 1 */
  rate?: number
}

/** The state of a clock, in scenarios and in the control plane. */
export interface ClockReading {
  /** ISO 8601, in UTC */
  now: string
  frozen: boolean
  /** Seconds that pass on this clock per real second while it runs */
  rate: number
}

let latest: Instant = 0

/**
 * Real time in milliseconds since 1970. All code gets the time from this function. If the machine's clock is set back, the
 * result stays the same until the clock has caught up.
 */
export function realTime(): Instant {
  latest = Math.max(latest, Date.now())
  return latest
}

/** The current time in a world. A running clock stops at `lastInstant`. */
export function getAccountTime(clock: ClockSetting, real: Instant): Instant {
  if ('frozen' in clock) return Date.parse(clock.frozen)
  const { offset, since = 0, rate = 1 } = clock
  // `since` can be in the future if the machine's clock was set back before a restart.
  return Math.min(Math.max(Math.floor(Math.max(real - since, 0) * rate + offset), 0), lastInstant)
}

/** The end of a sentence that says how long something takes, in case it never ends by itself. */
export function frozenHint(clock: ClockSetting, seconds: number): string {
  return 'frozen' in clock
    ? `, but the clock is frozen: it does not move until proxysim clock --advance PT${seconds}S`
    : ''
}

/** A clock that shows `now`, frozen or running from there. */
export function clockAt(now: Instant, frozen: boolean, real: Instant, rate = 1): ClockSetting {
  const rateField = rate === 1 ? {} : { rate }
  if (frozen) return { frozen: toIsoString(now), ...rateField }
  // An offset alone is exact at rate 1. At higher rates, the product of real time and rate would lose precision.
  return rate === 1 ? { offset: now - real } : { offset: now, since: real, ...rateField }
}

export function readClock(clock: ClockSetting, real: Instant): ClockReading {
  const { rate = 1 } = clock
  return { now: toIsoString(getAccountTime(clock, real)), frozen: 'frozen' in clock, rate }
}

/** Tolerance in real milliseconds: a running clock moves on while a request is in flight, so a slightly earlier time counts as now. */
const inFlightTolerance = 1000

/** Whether an instant is before the time of a clock. @param now the clock's time */
export function isPast(clock: ClockSetting, at: Instant, now: Instant): boolean {
  return at < now - ('frozen' in clock ? 0 : inFlightTolerance * (clock.rate ?? 1))
}

/** The time of a clock after it is set to `target`; undefined if that would set it back. */
export function advanceTo(clock: ClockSetting, target: Instant, real: Instant): Instant | undefined {
  const now = getAccountTime(clock, real)
  return isPast(clock, target, now) ? undefined : Math.max(target, now)
}

/** Parses an ISO 8601 instant with a time zone, from 1970 to 9899; undefined if the text is invalid. */
export function parseInstant(text: string): Instant | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  if (!isRealDate(text.slice(0, 10))) return undefined
  const at = Date.parse(text)
  return at >= 0 && at <= lastInstant ? at : undefined
}

const iso8601Duration =
  /^P(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?=\d)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/

export function isDuration(text: string): boolean {
  return iso8601Duration.test(text)
}

/**
 * Adds an ISO 8601 duration (`PT1H`, `P1M`) to an instant, `count` times. Months and years follow the calendar, in UTC.
 * @returns undefined if the duration is invalid or the result is after `lastInstant`
 */
export function addDuration(at: Instant, duration: string, count = 1): Instant | undefined {
  const match = iso8601Duration.exec(duration)
  if (!match) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number((part ?? '0').replace(',', '.')))
  const fixedMs = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000
  const sum = addMonths(at, (years * 12 + months) * count) + Math.round(fixedMs * count)
  return sum <= lastInstant ? sum : undefined // also undefined for NaN
}
