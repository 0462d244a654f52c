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
  return { at: toIsoString(Math.max(due, now)), renew: id, description: `service ${id} is renewed` }
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
  const isScheduled =
    findRenewals(entry.at).length > 0 ||
    (!isMoved && timeline.map(({ renew }) => renew === id).includes(true))
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

/** The services whose renewals a patch of the timeline removes. */
function servicesWithoutRenewal(world: World, timeline: unknown): Set<number> {
  const isRemoved = (id: number): boolean =>
    timeline === null || (Object(timeline) as object as Record<string, unknown>)[id] === null
  return new Set(
    [...world.timeline.entries()].flatMap(([id, entry]) =>
      isRemoved(id) && isKeptRenewal(world, entry) ? (entry.renew ?? []) : [],
    ),
  )
}

/** How many active services fall due after one time and by another. */
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

/**
 * The entries that renew the services of a draft, according to its limits.
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
  const assumptions = filled.assumptions ?? world.assumptions
  // In another time zone, days begin at other times.
  const areAllMoved = isOn !== wasOn || assumptions.timeZone !== world.assumptions.timeZone
  const cleared =
    isOn && wasOn && Object.hasOwn(patch, 'timeline')
      ? servicesWithoutRenewal(world, patch['timeline'])
      : new Set<number>()
  const candidates = { ...filled.services }
  for (const id of cleared) {
    const service = world.services.get(id)
    if (service && !Object.hasOwn(Object(patch['services']), id) && patch['services'] !== null)
      candidates[id] ??= service
  }
  if (areAllMoved && patch['services'] !== null)
    for (const [id, service] of world.services.entries())
      if (!Object.hasOwn(Object(patch['services']), id)) candidates[id] ??= service
  const moved = Object.entries(candidates).filter(([id, { nextduedate, status }]) => {
    const before = world.services.get(id)
    const isActivated = status === 'Active' && before?.status !== status
    return areAllMoved || isActivated || cleared.has(Number(id)) || before?.nextduedate !== nextduedate
  })
  if (moved.length === 0) return {}
  const change: RenewalChange = {}
  const entriesByService = findEntries(
    new Set(moved.map(([id]) => Number(id))),
    [world.timeline.entries(), patch['timeline']],
    filled.timeline,
  )
  for (const [id, service] of moved) {
    const before = world.services.get(id)
    const serviceEntries = entriesByService.get(Number(id)) ?? []
    const obsolete = serviceEntries.filter(
      ([, entry]) => before && wasOn && isRenewal(entry, Number(id), dueAt(world.assumptions, before)),
    )
    const canAdd = obsolete.length === serviceEntries.length && next.timeline < generatedIdLimit
    const entry = isOn && canAdd ? renewalEntry({ assumptions }, Number(id), service, now) : undefined
    const kept = entry && obsolete.find(([, { at }]) => at === entry.at)
    for (const [entryId] of obsolete) if (entryId !== kept?.[0]) change[entryId] = null
    if (entry && !kept) change[next.timeline++] = entry
  }
  return change
}

/** The entries that renew these services, after a patch of the timeline. */
function findEntries(
  services: ReadonlySet<number>,
  [entries, patch]: [Iterable<[number, TimelineEntry]>, patch: unknown],
  patched: Readonly<Record<string, TimelineEntry>> = {},
): Map<number, [id: number, TimelineEntry][]> {
  const found = new Map<number, [number, TimelineEntry][]>()
  const add = (id: number, entry: TimelineEntry): void => {
    const { renew } = entry
    if (renew !== undefined && services.has(renew))
      found.set(renew, [...(found.get(renew) ?? []), [id, entry]])
  }
  if (patch !== null) for (const [id, entry] of entries) if (!Object.hasOwn(Object(patch), id)) add(id, entry)
  for (const [id, entry] of Object.entries(patched)) add(Number(id), entry)
  return found
}
