import { addGenerated } from './addGenerated.ts'
import { clockAt, timeOf } from '../state/clock.ts'
import type {
  ScenarioAccount,
  ScenarioClock,
  ScenarioDocument,
  ScenarioFault,
  ScenarioInvoice,
  ScenarioProduct,
  ScenarioService,
} from './ScenarioDocument.ts'
import { fillService, type NamedService } from '../world/newService.ts'
import { sessionAddress } from '../world/sticky.ts'
import { dateOf, instantOf, type Instant } from '../world/time.ts'
import { defaultAssumptions, defaultUpdateListInterval } from '../world/values.ts'
import type { ClockSetting, Fault, Invoice, Product, Service, World } from '../world/World.ts'

/** Counters start here where nothing is named. */
const firstIds = { service: 5001, order: 7001, invoice: 9001, fault: 1 }

/** The worlds of a scenario, by login. */
export async function buildWorlds(document: ScenarioDocument, real: Instant): Promise<Record<string, World>> {
  const worlds: Record<string, World> = {}
  for (const login of Object.keys(document.accounts)) worlds[login] = await buildWorld(document, login, real)
  return worlds
}

/** The world of one account of a scenario, with all that was left out filled in: the same for the same seed. */
export async function buildWorld(document: ScenarioDocument, login: string, real: Instant): Promise<World> {
  // A copy: the world is changed in place, and the scenario is there to be loaded again.
  const account = structuredClone(document.accounts[login]) as ScenarioAccount
  const clock = settingOf(account.clock ?? document.clock, real)
  const now = timeOf(clock, real)
  const { updateListInterval, ...assumptions } = account.assumptions ?? {}
  const world: World = {
    version: 0,
    seed: account.seed ?? document.seed ?? 1,
    password: account.password,
    tokens: account.tokens ?? [],
    credit: account.credit ?? 0,
    clients: {},
    products: {},
    services: {},
    invoices: {},
    limits: {
      updateListInterval:
        account.limits?.updateListInterval ?? updateListInterval ?? defaultUpdateListInterval,
    },
    assumptions: { ...defaultAssumptions, ...assumptions },
    faults: [],
    clock,
    next: { ...firstIds },
  }
  const generated = account.generate ? await addGenerated(account, world.seed, now) : account
  for (const [id, client] of Object.entries(generated.clients ?? {}))
    world.clients[id] = { email: client.email ?? `client${id}@example.com` }
  for (const [id, product] of Object.entries(generated.products ?? {}))
    world.products[id] = fillProduct(product, now)
  fillServices(world, generated.services ?? {}, now)
  for (const [id, invoice] of Object.entries(generated.invoices ?? {}))
    world.invoices[id] = fillInvoice(invoice, world, now)
  world.next = nextIds(world, account.next)
  world.next.fault = beyond(
    (account.faults ?? []).map(({ id }) => id ?? 0),
    world.next.fault,
  )
  for (const fault of account.faults ?? [])
    world.faults.push(fillFault(fault, fault.id ?? world.next.fault++))
  return world
}

function settingOf(clock: ScenarioClock | undefined, real: Instant): ClockSetting {
  if (clock === undefined) return { offset: 0 }
  return typeof clock === 'string'
    ? clockAt(Date.parse(clock), true, real)
    : clockAt(Date.parse(clock.now), clock.frozen, real)
}

export function fillProduct(named: ScenarioProduct, now: Instant): Product {
  const groupId = named.groupId ?? 1
  return {
    groupName: `Group ${groupId}`,
    created_at: dateOf(now),
    product_hidden: false,
    group_hidden: false,
    ...(named.product_type === 'fpr' && { ip_count: 1, update_time: `${dateOf(now)} 00:00:00`, geo: ['US'] }),
    ...named,
    groupId,
  }
}

function fillServices(world: World, services: Record<string, ScenarioService>, now: Instant): void {
  const named = Object.values(services)
  const bound = new Set(named.map(({ bindedip }) => bindedip))
  const isBound = (ip: string) => bound.has(ip)
  const ordered = new Set(named.map(({ orderid }) => orderid))
  let isUsedUp = false
  for (const [id, service] of Object.entries(services)) {
    const orderid = service.orderid ?? freeOrder(Number(id), ordered)
    ordered.add(orderid)
    // No address is left, and none need be looked for.
    const settled: ScenarioService =
      isUsedUp && typeOf(service, world) === 'fpr' ? { bindedip: '', ...service } : service
    const filled = fillNamedService(world, id, settled, { orderid, now, isBound })
    if (filled.bindedip) bound.add(filled.bindedip)
    else isUsedUp ||= filled.bindedip === '' && settled.bindedip === undefined
    world.services[id] = filled
  }
}

function typeOf({ product, product_type }: ScenarioService, { products }: World): string | undefined {
  return product_type ?? products[product]?.product_type
}

/** The order of a service follows from the service's id, so that one service more does not renumber the others'. */
function freeOrder(id: number, taken: ReadonlySet<number | undefined>): number {
  let orderid = id + firstIds.order - firstIds.service
  while (taken.has(orderid)) orderid++
  return orderid
}

/** A service of a scenario or a patch, with what was left out filled in. */
export function fillNamedService(
  world: World,
  id: string,
  service: ScenarioService,
  { orderid, now, isBound }: { orderid: number; now: Instant; isBound: (ip: string) => boolean },
): Service {
  const { sticky, ...rest } = service
  const { usage } = rest
  const named = (usage ? { ...rest, usage: { ...usage, stats: usage.stats ?? {} } } : rest) as NamedService
  const filled = fillService(named, {
    id: Number(id),
    orderid,
    seed: world.seed,
    product: world.products[service.product],
    now,
    isBound,
  })
  if (!sticky) return filled
  return {
    ...filled,
    sticky: {
      ttl: sticky.ttl ?? 10,
      sessions: (sticky.sessions ?? []).map((session) => {
        const rotations = session.rotations ?? 0
        return {
          server: session.server,
          session: session.session,
          ip: session.ip ?? sessionAddress(world.seed, id, { ...session, rotations }),
          rotations,
          since: session.since ?? instantOf(now),
        }
      }),
    },
  }
}

export function fillInvoice(named: ScenarioInvoice, world: World, now: Instant): Invoice {
  const service = world.services[named.serviceid]
  const created_at = named.created_at ?? service?.regdate ?? dateOf(now)
  return {
    description: service ? `${service.product_name}, order ${service.orderid}` : `Service ${named.serviceid}`,
    created_at,
    amount: service?.price ?? 0,
    paymentmethod: 'credit',
    ...((named.status === 'Paid' || named.status === 'Refunded') && { date_paid: created_at }),
    ...(named.status === 'Refunded' && { date_refunded: dateOf(now) }),
    ...named,
  }
}

/** A fault as it is armed: counters at nought. */
export function fillFault(fault: ScenarioFault, id: number): Fault {
  return { phase: 'before', seen: 0, used: 0, ...fault, id }
}

/** Beyond every id in use, so that no id is ever given twice. Ids that leave no room to count on are passed over. */
function nextIds(world: World, named: Partial<World['next']> = {}): World['next'] {
  const orders = Object.values(world.services).map(({ orderid }) => orderid)
  return {
    service: beyond(Object.keys(world.services).map(Number), named.service ?? firstIds.service),
    order: beyond(orders, named.order ?? firstIds.order),
    invoice: beyond(Object.keys(world.invoices).map(Number), named.invoice ?? firstIds.invoice),
    fault: named.fault ?? firstIds.fault,
  }
}

/** Ids have ten digits at most; from here on they would soon run out. */
const highest = 9_000_000_000

/** The least id, from `first` on, that is greater than all that are used. */
export function beyond(used: readonly number[], first: number): number {
  return used.reduce((next, id) => (id < highest ? Math.max(next, id + 1) : next), first)
}
