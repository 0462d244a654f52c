import type { Contract } from '../contract/Contract.ts'
import { serviceBoundTo } from '../world/bindings.ts'
import { diffPatch, isObject, mergePatch } from '../world/mergePatch.ts'
import { expireSessions } from '../world/sticky.ts'
import { instantOf, type Instant } from '../world/time.ts'
import { defaultAssumptions, defaultUpdateListInterval } from '../world/values.ts'
import type { ClockSetting, Product, Service, World } from '../world/World.ts'
import type { PatchOf, WorldChange } from '../world/WorldChange.ts'
import { clockAt, forward, readClock, timeOf } from '../state/clock.ts'
import { fillFault, fillInvoice, fillNamedService, fillProduct } from './buildWorld.ts'
import { checkAccountPart, type PathIssue } from './checkScenario.ts'
import type { ScenarioAccount, ScenarioClock } from './ScenarioDocument.ts'

/** What a patch makes of a world: the change, or what is wrong with it. Neither: it changes nothing. */
export interface Patched {
  change?: WorldChange
  issues: PathIssue[]
}

const kinds = ['clients', 'products', 'services', 'invoices'] as const

/**
 * Reads a JSON Merge Patch on a world, in the form that accounts have in scenarios: what it touches is checked and
 * filled in like a scenario's records. It costs what the patch costs, however large the world is.
 */
export function patchWorld(world: World, patch: unknown, contract: Contract, real: Instant): Patched {
  if (!isObject(patch)) return { issues: [{ path: [], message: 'a merge patch is an object' }] }
  const part = touched(world, patch, real)
  const issues = checkAccountPart(part, contract)
  if (issues.length) return { issues }
  const clock = patchedClock(world, patch, part, real)
  const wrong = [
    ...checkClock(clock, world, real),
    ...checkPassword(patch),
    ...checkGenerate(patch),
    ...checkServices(world, patch, part),
    ...checkNext(world, part),
  ]
  if (wrong.length || !clock) return { issues: wrong }
  return { issues: [], ...changeOf(world, patch, part, clock, real) }
}

/** Of the world what the patch names, with the patch applied. What it removes is absent. */
function touched(world: World, patch: Record<string, unknown>, real: Instant): ScenarioAccount {
  const part: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__' || value === null) continue
    part[key] = isKind(key) ? touchedRecords(world[key], value) : merged(shown(world, key, real), value)
  }
  return part as unknown as ScenarioAccount
}

function touchedRecords(records: object, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const named = Object.entries(patch).filter(([id, value]) => id !== '__proto__' && value !== null)
  return Object.fromEntries(
    named.map(([id, value]) => {
      const record = merged(own(records, id), value)
      // Removed, an address would be made up again; a service that is to have none says so by being empty.
      if (isObject(record) && isObject(value) && value['bindedip'] === null) record['bindedip'] = ''
      return [id, record]
    }),
  )
}

/** The patch applied to a copy. */
function merged(value: unknown, patch: unknown): unknown {
  return mergePatch(structuredClone(value), patch)
}

/** A part of the world in the form that it has in scenarios. */
function shown(world: World, key: string, real: Instant): unknown {
  return key === 'clock' ? readClock(world.clock, real) : own(world, key)
}

function own(bag: object, key: string): unknown {
  return Object.hasOwn(bag, key) ? (bag as Record<string, unknown>)[key] : undefined
}

function isKind(key: string): key is (typeof kinds)[number] {
  return kinds.some((kind) => kind === key)
}

/** The clock as the patch leaves it; undefined where it would go back. */
function patchedClock(
  { clock }: World,
  patch: Record<string, unknown>,
  { clock: wanted }: ScenarioAccount,
  real: Instant,
): ClockSetting | undefined {
  if (!Object.hasOwn(patch, 'clock')) return clock
  const { now, frozen } = readingOf(wanted, real)
  const at = forward(clock, now, real)
  return at === undefined ? undefined : clockAt(at, frozen, real)
}

/** As in a scenario: one that says nothing follows real time. */
function readingOf(clock: ScenarioClock | undefined, real: Instant): { now: Instant; frozen: boolean } {
  if (clock === undefined) return { now: real, frozen: false }
  return typeof clock === 'string'
    ? { now: Date.parse(clock), frozen: true }
    : { now: Date.parse(clock.now), frozen: clock.frozen }
}

function checkClock(clock: ClockSetting | undefined, world: World, real: Instant): PathIssue[] {
  if (clock) return []
  const now = instantOf(timeOf(world.clock, real))
  return [{ path: ['clock'], message: `the clock never goes back: it shows ${now}` }]
}

function checkPassword(patch: Record<string, unknown>): PathIssue[] {
  return patch['password'] === null ? [{ path: ['password'], message: 'is required' }] : []
}

function checkGenerate(patch: Record<string, unknown>): PathIssue[] {
  return Object.hasOwn(patch, 'generate')
    ? [{ path: ['generate'], message: 'is for scenarios only; name the records' }]
    : []
}

function checkServices(
  world: World,
  patch: Record<string, unknown>,
  { services = {}, products = {} }: ScenarioAccount,
): PathIssue[] {
  const named = isObject(patch['services']) ? patch['services'] : {}
  const bound = new Map<string, string>()
  return Object.entries(services).flatMap(([id, service]) => {
    const issues: PathIssue[] = []
    const { product, product_type, product_name, price, bindedip } = service
    const isKnown = own(products, String(product)) ?? own(world.products, String(product))
    if (!isKnown && (product_type === undefined || product_name === undefined || price === undefined))
      issues.push({ path: ['services', id, 'product'], message: `there is no product ${product}` })
    if (!bindedip) return issues
    const holder = bound.get(bindedip) ?? holderOf(world, bindedip, named)
    if (holder !== undefined && holder !== id)
      issues.push({
        path: ['services', id, 'bindedip'],
        message: `${bindedip} is bound to service ${holder} already`,
      })
    bound.set(bindedip, id)
    return issues
  })
}

/** Whom an address is bound to, among the services that the patch leaves alone. */
function holderOf(world: World, ip: string, named: object): string | undefined {
  const holder = serviceBoundTo(world, ip)
  return holder !== undefined && !Object.hasOwn(named, holder) ? holder : undefined
}

function checkNext(world: World, { next = {} }: ScenarioAccount): PathIssue[] {
  return Object.entries(next)
    .filter(([kind, id]) => id < world.next[kind as keyof World['next']])
    .map(([kind, id]) => ({
      path: ['next', kind],
      message: `ids are never used again: ${id} is less than ${world.next[kind as keyof World['next']]}`,
    }))
}

/** The true difference: what is the same afterwards is not in it. */
function changeOf(
  world: World,
  patch: Record<string, unknown>,
  part: ScenarioAccount,
  clock: ClockSetting,
  real: Instant,
): { change?: WorldChange } {
  const now = timeOf(clock, real)
  const next = { ...world.next, ...part.next }
  const filled = fill(world, part, next, now)
  const before: Record<string, unknown> = {}
  const after: Record<string, unknown> = {}
  for (const kind of kinds) {
    if (!Object.hasOwn(patch, kind)) continue
    before[kind] = pick(world[kind], removedOf(world[kind], patch[kind]).concat(Object.keys(filled[kind])))
    after[kind] = filled[kind]
  }
  for (const [key, value] of Object.entries(scalars(world, patch, part, next))) {
    before[key] = own(world, key)
    after[key] = value
  }
  before['clock'] = world.clock
  after['clock'] = clock
  before['next'] = world.next
  after['next'] = next
  const change = diffPatch(before, after) as WorldChange | undefined
  return withExpired(world, change, now)
}

/** A new time lets sessions fall due; those of services that the patch names are judged when they are read. */
function withExpired(world: World, change: WorldChange | undefined, now: Instant): { change?: WorldChange } {
  if (!change?.clock) return change ? { change } : {}
  const expired = expireSessions(world, now) ?? {}
  const services: Record<string, PatchOf<Service> | null> = { ...expired }
  for (const [id, service] of Object.entries(change.services ?? {}))
    services[id] = service ? { ...services[id], ...service } : null
  return { change: { ...change, ...(Object.keys(services).length > 0 && { services }) } }
}

function removedOf(records: object, patch: unknown): string[] {
  if (!isObject(patch)) return Object.keys(records) // the whole kind was removed
  return Object.keys(patch).filter((id) => patch[id] === null)
}

function pick(records: object, ids: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    ids.filter((id) => Object.hasOwn(records, id)).map((id) => [id, own(records, id)]),
  )
}

/** The touched records with what was left out filled in; `next` goes beyond every id that they use. */
function fill(world: World, part: ScenarioAccount, next: World['next'], now: Instant) {
  const clients = Object.fromEntries(
    Object.entries(part.clients ?? {}).map(([id, { email }]) => [
      id,
      { email: email ?? `client${id}@example.com` },
    ]),
  )
  const products = Object.fromEntries(
    Object.entries(part.products ?? {}).map(([id, product]) => [id, fillProduct(product, now)]),
  )
  const bound = new Set(Object.values(part.services ?? {}).map(({ bindedip }) => bindedip))
  const services: Record<string, Service> = {}
  for (const [id, service] of Object.entries(part.services ?? {})) {
    const product = (products[service.product] ?? own(world.products, String(service.product))) as
      | Product
      | undefined
    const orderid = service.orderid ?? next.order
    const filled = fillNamedService(
      { ...world, products: product ? { [service.product]: product } : {} },
      id,
      service,
      { orderid, now, isBound: (ip) => bound.has(ip) || serviceBoundTo(world, ip) !== undefined },
    )
    if (filled.bindedip) bound.add(filled.bindedip)
    next.order = Math.max(next.order, orderid + 1)
    next.service = Math.max(next.service, Number(id) + 1)
    services[id] = filled
  }
  const invoices = Object.fromEntries(
    Object.entries(part.invoices ?? {}).map(([id, invoice]) => {
      next.invoice = Math.max(next.invoice, Number(id) + 1)
      const service =
        services[invoice.serviceid] ?? (own(world.services, String(invoice.serviceid)) as Service | undefined)
      return [
        id,
        fillInvoice(invoice, { ...world, services: service ? { [invoice.serviceid]: service } : {} }, now),
      ]
    }),
  )
  return { clients, products, services, invoices }
}

/** What is not kept by id; a null sets what a scenario has that does not name it. */
function scalars(
  world: World,
  patch: Record<string, unknown>,
  { password, tokens = [], credit = 0, seed = 1, faults = [], limits, assumptions }: ScenarioAccount,
  next: World['next'],
): Partial<World> {
  const { updateListInterval, ...readings } = assumptions ?? {}
  const has = (key: string): boolean => Object.hasOwn(patch, key)
  const seconds = limits?.updateListInterval ?? updateListInterval ?? defaultUpdateListInterval
  return {
    ...(has('password') && { password: password ?? world.password }),
    ...(has('tokens') && { tokens }),
    ...(has('credit') && { credit }),
    ...(has('seed') && { seed }),
    ...((has('limits') || updateListInterval !== undefined) && { limits: { updateListInterval: seconds } }),
    ...(has('assumptions') && { assumptions: { ...defaultAssumptions, ...readings } }),
    ...(has('faults') && {
      faults: faults.map((fault) => {
        const id = fault.id ?? next.fault
        next.fault = Math.max(next.fault, id + 1)
        return fillFault(fault, id)
      }),
    }),
  }
}
