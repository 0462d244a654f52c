import { lastInstant, type Instant } from './time.ts'

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
