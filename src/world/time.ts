import type { BillingCycle } from './values.ts'

/** Instants are milliseconds since 1970 (UTC). The document names no time zone; ours is UTC. */
export type Instant = number

const dayLength = 24 * 60 * 60 * 1000
const dates = new Map<number, string>()

/** YYYY-MM-DD */
export function dateOf(at: Instant): string {
  const day = Math.floor(at / dayLength)
  let date = dates.get(day)
  if (date === undefined) {
    date = new Date(at).toISOString().slice(0, 10)
    if (dates.size >= 1000) dates.clear() // many at a time are of few days
    dates.set(day, date)
  }
  return date
}

/** YYYY-MM-DD HH:MM:SS */
export function dateTimeOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

/** ISO 8601 to the millisecond, as instants are kept in the state. */
export function instantOf(at: Instant): string {
  return new Date(at).toISOString()
}

const monthsOf: Record<BillingCycle, number> = {
  Free: 12, // a free service has no price to fall due; it is looked at once a year
  Monthly: 1,
  Quarterly: 3,
  'Semi-Annually': 6,
  Annually: 12,
  Biennially: 24,
  Triennially: 36,
}

/** The date (YYYY-MM-DD) one billing cycle after `date`; the 31st becomes the month's last day. */
export function nextDue(date: string, cycle: BillingCycle): string {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number)
  const months = year * 12 + (month - 1) + monthsOf[cycle]
  const last = new Date(Date.UTC(Math.floor(months / 12), (months % 12) + 1, 0)).getUTCDate()
  return dateOf(Date.UTC(Math.floor(months / 12), months % 12, Math.min(day, last)))
}
