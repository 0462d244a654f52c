import { counted } from '../lib/text.ts'
import { cycleDuration } from './billing.ts'
import type { Draft } from './draft.ts'
import { generatedIdLimit } from '../world/numbers.ts'
import {
  formatDate,
  type Instant,
  toIsoString,
  lastInstant,
  parseDateTime,
  type TimeZone,
} from '../world/time.ts'
import type { Table } from '../world/Table.ts'
import type { NextIds, TimelineEntry, World, WorldChange, WorldData } from '../world/World.ts'
import type { Service } from './records.ts'

/*
 * With `limits.renewal`, each service has a timeline entry that renews it on its due date, and each active service that
 * is overdue has one that renews it now. Loads, orders, patches, activations and renewals add this entry. It moves with
 * the due date. Days are those of the account's time zone.
 */

type RenewableService = Pick<Service, 'nextduedate' | 'status'>

/** Cache of up to 1,000 starts of days: another time zone moves all renewals, and many services are due on the same day. */
const starts = new Map<string, string>()

/** The start of the day on which a service is due. */
function dueAt({ timeZone }: { timeZone: TimeZone }, { nextduedate }: RenewableService): string {
  const day = `${nextduedate} ${timeZone}`
  const known = starts.get(day)
  if (known !== undefined) return known
  let at = parseDateTime(`${nextduedate} 00:00:00`, timeZone)
  // Where clocks are set forward at midnight, the day begins later.
  while (formatDate(at, timeZone) < nextduedate) at += 30 * 60_000
  if (starts.size >= 1000) starts.clear()
  starts.set(day, toIsoString(at))
  return toIsoString(at)
}

const endStatuses: readonly string[] = ['Terminated', 'Cancelled', 'Fraud']

/**
 * The timeline entry that renews a service. An active service whose due date has passed is renewed now.
 * @returns undefined if the service has ended, or isn't active and its due date has passed
 */
export function renewalEntry(
  { assumptions }: Pick<World, 'assumptions'>,
  id: number,
  service: RenewableService,
  now: Instant,
): TimelineEntry | undefined {
  const due = Date.parse(dueAt(assumptions, service))
  if (due > lastInstant || endStatuses.includes(service.status)) return undefined
  if (due < now && service.status !== 'Active') return undefined
  return { at: toIsoString(Math.max(due, now)), renew: id, description: `renewal of service ${id}` }
}

/** The interval of a service's renewals (ISO 8601 duration). */
export function renewalCycle({ limits, services }: World, { renew }: TimelineEntry): string | undefined {
  const service = limits.renewal && renew !== undefined ? services.get(renew) : undefined
  return service && cycleDuration(service.billingcycle)
}

/**
 * The timeline change that schedules a service's renewal after a renewal or an activation.
 * @param before the service before that
 */
export function scheduleRenewal(
  world: World,
  id: number,
  before: RenewableService,
  after: RenewableService,
  now: Instant,
): WorldChange {
  const { limits, timeline, next, assumptions } = world
  const findRenewals = (at: string): number[] =>
    timeline.findIds(at).filter((one) => isRenewal(timeline.get(one), id, at))
  const hasFreeId = next.timeline < generatedIdLimit
  const entry = limits.renewal && hasFreeId && renewalEntry(world, id, after, now)
  if (!entry) return {}
  const isMoved = after.nextduedate !== before.nextduedate
  const obsolete = isMoved ? findRenewals(dueAt(assumptions, before)).map((one) => [one, null] as const) : []
  const isScheduled = findRenewals(entry.at).length > 0
  return {
    timeline: { ...Object.fromEntries(obsolete), ...(!isScheduled && { [next.timeline]: entry }) },
    ...(!isScheduled && { next: { timeline: next.timeline + 1 } }),
  }
}

function isRenewal(entry: TimelineEntry | undefined, id: number, at: string): boolean {
  return entry?.renew === id && entry.at === at && entry.every === undefined
}

/** Whether `limits.renewal` keeps an entry in the timeline. */
export function isKeptRenewal({ limits, services, assumptions }: World, entry: TimelineEntry): boolean {
  const { renew: id } = entry
  const service = id === undefined ? undefined : services.get(id)
  if (limits.renewal !== true || id === undefined || !service) return false
  return isRenewal(entry, id, dueAt(assumptions, service))
}

/** How many active services fell due after one time and by another, and were not renewed. */
export function countUnrenewed({ services, assumptions }: World, after: Instant, by: Instant): number {
  const [first, last] = [after, by].map((time) => formatDate(time, assumptions.timeZone)) as [string, string]
  return [...services.values()].filter(
    ({ status, nextduedate }) => status === 'Active' && first < nextduedate && nextduedate <= last,
  ).length
}

/** Says how to switch renewals on, if services fell due without one. */
export function describeUnrenewed(count: number): string {
  if (count === 0) return ''
  return `${counted(count, 'service')} fell due, and renewals are off. To switch them on: proxysim state patch '{"limits":{"renewal":true}}'`
}

/** Timeline entries by id; null removes one. */
export type RenewalChange = Record<string, TimelineEntry | null>

/** The parts of a world on which renewals depend */
const causes = ['services', 'timeline', 'limits', 'assumptions'] as const

/**
 * The changes to a draft's timeline after which each service has the renewal that its limits require. Entries that were
 * written by hand stay beside it; one at the same time is the same.
 * @param filled the parts of the draft, with defaults
 * @param next counters, advanced past the ids of new entries
 */
export function renewalChange(
  { world, input, patch, isNew }: Draft,
  filled: Partial<WorldData>,
  next: NextIds,
  now: Instant,
): RenewalChange {
  const isOn = (filled.limits ?? world.limits).renewal === true
  const wasOn = !isNew && world.limits.renewal === true
  // An export has next ids, and already contains its remaining renewals.
  if ((!isOn && !wasOn) || (isNew && input.next?.timeline !== undefined)) return {}
  if (!causes.some((part) => Object.hasOwn(patch, part))) return {}
  const assumptions = filled.assumptions ?? world.assumptions
  const services = new Map(mergedRecords(world.services, patch['services'], filled.services))
  const findRenewal = (id: number): TimelineEntry | undefined => {
    const service = services.get(id)
    return isOn && service ? renewalEntry({ assumptions }, id, service, now) : undefined
  }
  const change: RenewalChange = {}
  const scheduled = new Set<string>()
  for (const [entryId, entry] of mergedRecords(world.timeline, patch['timeline'], filled.timeline)) {
    if (entry.renew === undefined || entry.every !== undefined) continue
    const isObsolete = wasOn && isKeptRenewal(world, entry) && findRenewal(entry.renew)?.at !== entry.at
    if (isObsolete) change[entryId] = null
    else scheduled.add(`${entry.renew} ${entry.at}`)
  }
  for (const id of services.keys()) {
    const entry = findRenewal(id)
    if (entry && !scheduled.has(`${id} ${entry.at}`) && next.timeline < generatedIdLimit)
      change[next.timeline++] = entry
  }
  return change
}

/** The records of a part of the world after a patch. */
function* mergedRecords<T>(
  records: Table<T>,
  patch: unknown,
  patched: Readonly<Record<string, T>> = {},
): Generator<[id: number, T]> {
  if (patch !== null)
    for (const [id, record] of records.entries()) if (!Object.hasOwn(Object(patch), id)) yield [id, record]
  for (const [id, record] of Object.entries(patched)) yield [Number(id), record]
}
