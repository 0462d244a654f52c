import { nextIdAfter } from './numbers.ts'
import { type Draft, recordsOf } from './Draft.ts'
import { addDuration, type Instant, instantOf, lastInstant } from './time.ts'
import { fillRecord } from './fields.ts'
import { differenceOf, touchedParts } from './change.ts'
import { boundAddress } from './addresses.ts'
import type { NamedEntry, NamedFault, NamedWorld } from './NamedWorld.ts'
import { defaultAssumptions, defaultUpdateListInterval } from './values.ts'
import {
  type ClockSetting,
  type Fault,
  type NextIds,
  type Service,
  type TimelineEntry,
  type WorldChange,
  type WorldData,
} from './World.ts'
import { isObject } from './mergePatch.ts'

/*
 * The defaults for whatever isn't given, for scenarios, patches, orders and faults alike. Complete values stay as they
 * are, so an exported world comes back unchanged.
 */

const firstIds: NextIds = { service: 5001, order: 7001, invoice: 9001, fault: 1, timeline: 1 }

export function emptyWorld(password: string, seed: number | undefined, clock: ClockSetting): WorldData {
  return {
    version: 0,
    origin: { load: 0 },
    seed: seed ?? 1,
    password,
    tokens: [],
    credit: 0,
    clients: {},
    products: {},
    services: {},
    invoices: {},
    timeline: {},
    history: {},
    limits: { updateListInterval: defaultUpdateListInterval },
    assumptions: { ...defaultAssumptions },
    faults: [],
    clock,
    next: { ...firstIds },
  }
}

/** Everything that a draft touches, with defaults filled in. */
export function fillDraft(draft: Draft, now: Instant): Partial<WorldData> {
  const { world, patch, named } = draft
  const empty = emptyWorld(world.password, undefined, world.clock)
  const next = { ...world.next, ...named.next }
  const filled: Partial<WorldData> = { next }
  /** In this order, as one may need another. A part that is missing here is a compile error. */
  const parts: { [Part in Exclude<keyof NamedWorld, 'next'>]-?: () => WorldData[Part] } = {
    password: () => named.password ?? world.password,
    tokens: () => named.tokens ?? empty.tokens,
    credit: () => named.credit ?? empty.credit,
    seed: () => named.seed ?? empty.seed,
    assumptions: () => ({ ...empty.assumptions, ...named.assumptions }),
    limits: () => ({ ...empty.limits, ...named.limits }),
    clients: () => mapped(named.clients, (client, id) => fillRecord('clients', client, { id })),
    products: () => mapped(named.products, (product) => fillRecord('products', product, { now })),
    services: () => {
      const services = fillServices(draft, filled, next, now)
      for (const id of Object.keys(services)) next.service = nextIdAfter(next.service, Number(id))
      return services
    },
    invoices: () =>
      mapped(named.invoices, (invoice, id) => {
        next.invoice = nextIdAfter(next.invoice, Number(id))
        const service = filled.services?.[invoice.serviceid] ?? presentService(draft, invoice.serviceid)
        return fillRecord('invoices', invoice, { service, now })
      }),
    faults: () => {
      const { faults = [] } = named
      for (const { id = 0 } of faults) next.fault = nextIdAfter(next.fault, id)
      return faults.map((fault) => fillFault(fault, fault.id ?? next.fault++))
    },
    timeline: () => {
      const { timeline = [] } = named
      for (const { id = 0 } of timeline) next.timeline = nextIdAfter(next.timeline, id)
      return Object.fromEntries(timeline.map((entry) => [entry.id ?? next.timeline++, fillEntry(entry, now)]))
    },
    history: () => Object.fromEntries((named.history ?? []).map((happened, i) => [i + 1, happened])),
  }
  for (const [part, value] of Object.entries(parts))
    if (Object.hasOwn(patch, part)) Object.assign(filled, { [part]: value() })
  return filled
}

/** A service that a draft leaves as it is. */
function presentService({ world, patch }: Draft, id: number): Service | undefined {
  const { services } = patch
  const isTouched = services === null || (isObject(services) && Object.hasOwn(services, id))
  return isTouched ? undefined : world.services.get(id)
}

/** A complete entry, due at an instant. @param now what `after` counts from */
export function fillEntry({ id: _id, at, after, ...entry }: NamedEntry, now: Instant): TimelineEntry {
  const due = at === undefined ? addDuration(now, after ?? 'PT0S') : Date.parse(at)
  return { at: instantOf(due ?? lastInstant), ...entry }
}

function mapped<T, U>(
  records: Readonly<Record<string, T>> = {},
  fill: (record: T, id: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(records).map(([id, record]) => [id, fill(record, id)]))
}

/** @param next is advanced past the order ids of the services */
function fillServices(
  draft: Draft,
  { seed = draft.world.seed }: Partial<WorldData>,
  next: NextIds,
  now: Instant,
): Record<string, Service> {
  const { named, isNew } = draft
  const { products, services } = recordsOf(draft)
  const given = Object.values(named.services ?? {}).map(({ orderid }) => orderid)
  const taken = new Set<number | string | undefined>(given)
  for (const orderid of given) next.order = nextIdAfter(next.order, orderid ?? 0)
  let isUsedUp = false // then there's no point in searching
  return mapped(named.services, (service, id) => {
    const newOrder = (): number => {
      // In a new world it follows from the service's id, so adding a service doesn't renumber the other orders.
      const ownOrder = Number(id) + firstIds.order - firstIds.service
      const orderid = isNew && !taken.has(ownOrder) ? ownOrder : next.order
      taken.add(orderid)
      next.order = nextIdAfter(next.order, orderid)
      return orderid
    }
    const newAddress = (): string => {
      const isBound = (ip: string): boolean => taken.has(ip) || services.idsOf(ip).length > 0
      const ip = isUsedUp ? undefined : boundAddress([seed, 'bindedip', id], isBound)
      isUsedUp ||= ip === undefined
      taken.add(ip)
      return ip ?? ''
    }
    const product = products.get(service.product)
    return fillRecord('services', service, { id, seed, product, now, newOrder, newAddress })
  })
}

/** A complete fault, with counters at zero by default. */
export function fillFault(named: NamedFault, id: number): Fault {
  return { phase: 'before', seen: 0, used: 0, ...named, id }
}

/**
 * The change that a checked draft makes, with defaults filled in and without fields that stay the same; undefined if it
 * changes nothing.
 * @param besides settings that the caller decides on
 */
export function draftedChange(
  draft: Draft,
  now: Instant,
  besides: Partial<WorldData> = {},
): WorldChange | undefined {
  const filled = { ...fillDraft(draft, now), ...besides }
  const touched = Object.fromEntries(Object.keys(filled).map((key) => [key, draft.patch[key]]))
  return differenceOf(touchedParts(draft.world, touched), filled)
}
