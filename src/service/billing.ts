import { addMonths, formatDate, dayMs, type Instant, type TimeZone, wallTime } from '../world/time.ts'
import type { BillingCycle } from './values.ts'

const monthsByCycle: Record<BillingCycle, number> = {
  Free: 1, // nothing is charged, but the due date still moves
  Monthly: 1,
  Quarterly: 3,
  'Semi-Annually': 6,
  Annually: 12,
  Biennially: 24,
  Triennially: 36,
}

/** The first due date after today that is a whole number of billing cycles after `date` (YYYY-MM-DD). */
export function nextDueDate(date: string, cycle: BillingCycle, at: Instant, zone: TimeZone): string {
  const [from, months, now] = [Date.parse(date), monthsByCycle[cycle], wallTime(at, zone)]
  let cycles = Math.max(1, Math.floor((now - from) / (months * 31 * dayMs))) // a lower bound
  let due = addMonths(from, months * cycles)
  while (due <= now) due = addMonths(from, months * ++cycles)
  return formatDate(due, 'UTC')
}

const firstDay = Date.parse('0000-01-01')

/** The latest possible registration date (YYYY-MM-DD) of a service due on `due`: not after today, and not before the year 0. */
export function registrationDate(due: string, cycle: BillingCycle, at: Instant, zone: TimeZone): string {
  const [last, months, now] = [Date.parse(due), monthsByCycle[cycle], wallTime(at, zone)]
  let cycles = Math.max(1, Math.floor((last - now) / (months * 31 * dayMs))) // a lower bound
  let from = addMonths(last, -months * cycles)
  while (from > now || addMonths(from, months * cycles) !== last) from = addMonths(last, -months * ++cycles)
  return formatDate(Math.max(from, firstDay), 'UTC')
}

/**
 * The first due date (YYYY-MM-DD) after `today` that is whole billing cycles after `due`: usually one. Cycles are counted from `regdate` if that leads to `due`: a
 * service registered on the 31st is due on 28 February and then on 31 March.
 */
export function followingDueDate(due: string, regdate: string, cycle: BillingCycle, today = due): string {
  const [from, last] = [new Date(regdate), new Date(due)]
  const months =
    12 * (last.getUTCFullYear() - from.getUTCFullYear()) + last.getUTCMonth() - from.getUTCMonth()
  const leadsToDue = formatDate(addMonths(from.getTime(), months), 'UTC') === due
  const [start, elapsed] = leadsToDue ? [from, months] : [last, 0]
  const length = monthsByCycle[cycle]
  let cycles = Math.max(1, Math.floor((Date.parse(today) - last.getTime()) / (length * 31 * dayMs))) // a lower bound
  const dateAfter = (): string => formatDate(addMonths(start.getTime(), elapsed + length * cycles), 'UTC')
  while (dateAfter() <= today) cycles++
  return dateAfter()
}

/** A billing cycle as an ISO 8601 duration. */
export function cycleDuration(cycle: BillingCycle): string {
  return `P${monthsByCycle[cycle]}M`
}
