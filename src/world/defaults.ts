import { nextIdAfter } from './numbers.ts'
import { type Draft, recordOf } from './Draft.ts'
import { addDuration, type Instant, instantOf, lastInstant } from './time.ts'
import { fillRecord, type ServiceSources } from './fields.ts'
import { isTable, servicesBoundTo, touchedRecords } from './change.ts'
import { boundAddress } from './addresses.ts'
import type { NamedEntry, NamedFault, NamedInvoice, NamedProduct, NamedService } from './NamedWorld.ts'
import { defaultAssumptions, defaultUpdateListInterval } from './values.ts'
import {
  type ClockSetting,
  type Fault,
  type Invoice,
  type NextIds,
  type Product,
  type Service,
  type TimelineEntry,
  type WorldChange,
  type WorldData,
} from './World.ts'
import { diffPatch } from './mergePatch.ts'

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
  const has = (key: keyof WorldData): boolean => Object.hasOwn(patch, key)
  const empty = emptyWorld(world.password, undefined, world.clock)
  const next = { ...world.next, ...named.next }
  const filled: Partial<WorldData> = { next }
  if (named.password !== undefined) filled.password = named.password
  if (has('tokens')) filled.tokens = named.tokens ?? empty.tokens
  if (has('credit')) filled.credit = named.credit ?? empty.credit
  if (has('seed')) filled.seed = named.seed ?? empty.seed
  if (has('assumptions')) filled.assumptions = { ...empty.assumptions, ...named.assumptions }
  if (has('limits')) filled.limits = { ...empty.limits, ...named.limits }
  if (has('clients'))
    filled.clients = mapped(named.clients, (client, id) => fillRecord('clients', client, { id }))
  if (has('products')) filled.products = mapped(named.products, (product) => fillProduct(product, now))
  const { services = {} } = named
  if (has('services')) filled.services = fillServices(draft, filled, next, now)
  if (has('invoices')) {
    filled.invoices = {}
    for (const [id, invoice] of Object.entries(named.invoices ?? {})) {
      const service = filled.services?.[invoice.serviceid] ?? recordOf(draft, 'services', invoice.serviceid)
      filled.invoices[id] = fillInvoice(invoice, service as Service | undefined, now)
      next.invoice = nextIdAfter(next.invoice, Number(id))
    }
  }
  for (const id of Object.keys(services)) next.service = nextIdAfter(next.service, Number(id))
  if (has('faults')) {
    const { faults = [] } = named
    for (const { id = 0 } of faults) next.fault = nextIdAfter(next.fault, id)
    filled.faults = faults.map((fault) => fillFault(fault, fault.id ?? next.fault++))
  }
  if (has('timeline')) filled.timeline = fillTimeline(named.timeline ?? [], next, now)
  if (has('history'))
    filled.history = Object.fromEntries((named.history ?? []).map((happened, i) => [i + 1, happened]))
  return filled
}

/** @param now what `after` counts from */
function fillTimeline(
  named: readonly NamedEntry[],
  next: NextIds,
  now: Instant,
): Record<string, TimelineEntry> {
  for (const { id = 0 } of named) next.timeline = nextIdAfter(next.timeline, id)
  return Object.fromEntries(named.map((entry) => [entry.id ?? next.timeline++, fillEntry(entry, now)]))
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
  const filled: Record<string, U> = {}
  for (const [id, record] of Object.entries(records)) filled[id] = fill(record, id)
  return filled
}

export function fillProduct(named: NamedProduct, now: Instant): Product {
  return fillRecord('products', named, { now })
}

/** @param next is advanced past the order ids of the services */
function fillServices(
  draft: Draft,
  { seed = draft.world.seed, products = {} }: Partial<WorldData>,
  next: NextIds,
  now: Instant,
): Record<string, Service> {
  const { world, named, isNew } = draft
  const services = Object.entries(named.services ?? {})
  const bound = new Set<string | undefined>()
  const orders = new Set<number>()
  for (const [, { bindedip, orderid }] of services) {
    bound.add(bindedip)
    if (orderid === undefined) continue
    orders.add(orderid)
    next.order = nextIdAfter(next.order, orderid)
  }
  let isUsedUp = false // then there's no point in searching
  const filled: Record<string, Service> = {}
  for (const [id, service] of services) {
    const newOrder = (): number => {
      // In a new world it follows from the service's id, so adding a service doesn't renumber the other orders.
      const ownOrder = Number(id) + firstIds.order - firstIds.service
      const orderid = isNew && !orders.has(ownOrder) ? ownOrder : next.order
      orders.add(orderid)
      next.order = nextIdAfter(next.order, orderid)
      return orderid
    }
    const newAddress = (): string => {
      const isBound = (ip: string): boolean => bound.has(ip) || !servicesBoundTo(world, ip).next().done
      const ip = isUsedUp ? undefined : boundAddress([seed, 'bindedip', id], isBound)
      isUsedUp ||= ip === undefined
      bound.add(ip)
      return ip ?? ''
    }
    const product = products[service.product] ?? recordOf(draft, 'products', service.product)
    filled[id] = fillService(service, { id, seed, product, now, newOrder, newAddress })
  }
  return filled
}

/** A complete service. Defaults come from the product, or else are generated from the seed. */
export function fillService(named: NamedService, sources: ServiceSources): Service {
  return fillRecord('services', named, sources)
}

/** A complete invoice. Its service can be missing. */
export function fillInvoice(named: NamedInvoice, service: Service | undefined, now: Instant): Invoice {
  return fillRecord('invoices', named, { service, now })
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
  const { world, patch } = draft
  const filled = { ...fillDraft(draft, now), ...besides }
  const before: Record<string, unknown> = {}
  for (const key of Object.keys(filled) as (keyof WorldData)[])
    before[key] = isTable(key) ? touchedRecords(world[key], patch[key]) : world[key]
  const change = diffPatch(before, filled) as WorldChange | undefined
  const { timeline } = change ?? {}
  // Entries are replaced whole (`isAtomic`).
  for (const id of Object.keys(timeline ?? {}))
    (timeline as Record<string, unknown>)[id] = filled.timeline?.[id] ?? null
  return change
}
