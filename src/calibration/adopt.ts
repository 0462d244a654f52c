import { change } from '../world/change.ts'
import { fillRecord } from '../world/fields.ts'
import type { NamedService } from '../world/NamedWorld.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { Kind, Service, StickySession, Usage, World } from '../world/World.ts'
import type { Observation } from './observe.ts'

/** More than any order costs: the credit if it was never seen */
export const plenty = 1_000_000_000

/** The id of a product that must exist but was never seen */
export const unseenProduct = 9_999_999_999

/** The id of a client that doesn't exist */
const goneClient = 9_999_999_998

/** The world in which everything is as observed. Missing records are created; of what nobody saw, anything is assumed. */
export function adopt(world: World, observed: Iterable<Pick<Observation, 'path' | 'value'>>): World {
  let adopted = world
  for (const { path, value } of observed) adopted = adoptOne(adopted, path, value)
  return adopted
}

function adoptOne(world: World, path: string, value: unknown): World {
  if (path === 'credit') return change(world, { credit: Number(value) })
  const [kind, id = '', ...field] = path.split('/') as [Kind, ...string[]]
  if (!Object.hasOwn(unseen, kind)) return world
  const record = world[kind].get(id)
  const put = (patch: object | null): World => change(world, { [kind]: { [id]: patch } })
  if (field.length === 0) {
    if (value === false) return record ? put(null) : world
    if (record) return world
    const made = put(unseen[kind](id, world))
    return kind === 'services' ? adoptOne(made, `${path}/client`, true) : made
  }
  if (!record) return world
  if (kind !== 'services') return put({ [field[0] as string]: value ?? null })
  const service = record as Service
  if (field[0] === 'client') return withClient(world, id, service, value === true)
  if (field[0] === 'usage' && service.usage) {
    const { limit, stats, rate } = service.usage
    const emptied = put({ usage: null }) // a patch would keep its days
    return change(emptied, {
      services: { [id]: { usage: usageOf({ limit, stats, rate, [field[1] as string]: value }) } },
    })
  }
  return put(servicePatch(world, id, service, field, value))
}

/** Records that exist, but of which nothing is known. */
const unseen: Record<Kind, (id: string, world: World) => object> = {
  clients: () => ({ email: 'client@example.com' }),
  products: (id) =>
    fillRecord('products', { productName: `Product ${id}`, price: 0, product_type: 'fpr' }, { now: 0 }),
  services: (id, world): Service => {
    const [client = 1] = world.clients.keys()
    return filled(id, world, {
      client,
      product: unseenProduct,
      product_name: 'Unknown',
      orderid: Number(id),
      bindedip: '',
    })
  },
  invoices: () => fillRecord('invoices', { serviceid: 1, status: 'Paid' }, { service: undefined, now: 0 }),
}

function filled(id: string, { seed }: World, named: NamedService): Service {
  const sources = { product: undefined, now: 0, newOrder: () => Number(id), newAddress: () => '' }
  return fillRecord('services', named, { id, seed, ...sources })
}

/** A service whose client exists, or doesn't. */
function withClient(world: World, id: string, { client }: Service, exists: boolean): World {
  const clients = world.clients
  if (exists === clients.has(client)) return world
  const [some = client === goneClient ? 1 : client] = clients.keys()
  if (!exists) return change(world, { services: { [id]: { client: goneClient } } })
  const added = clients.has(some) ? {} : { clients: { [some]: unseen.clients(id, world) } }
  return change(world, { ...added, services: { [id]: { client: some } } })
}

function servicePatch(
  world: World,
  id: string,
  service: Service,
  [field, part = '', ...names]: readonly string[],
  value: unknown,
): object {
  const isRotating = service.product_type === 'ppr'
  switch (field) {
    case 'product_type': {
      if (value === service.product_type) return {}
      const { bindedip: _, ip_count: __, usage: ___, sticky: ____, ...shared } = service
      const none = { bindedip: null, ip_count: null, usage: null, sticky: null }
      return {
        ...none,
        ...filled(id, world, {
          ...shared,
          product_type: value as never,
          ...(isRotating && { bindedip: '' }),
        }),
      }
    }
    case 'sticky': {
      if (!isRotating) return {}
      const { ttl = 10, sessions = [] } = service.sticky ?? {}
      if (names.length > 0)
        return { sticky: { ttl, sessions: withSession(sessions, names, value as StickySession) } }
      return { sticky: { ttl, sessions, [part]: value } }
    }
    case 'list_updated_at':
      // The time of the next update
      return { list_updated_at: value === undefined ? null : instantOf(Number(value) - intervalOf(world)) }
    case 'bindedip':
      return isRotating ? {} : { bindedip: value ?? '' }
    case 'ip_count':
      return isRotating ? {} : { ip_count: value ?? null }
    case undefined:
    case 'usage': // `adoptOne` does it
      return {}
    default:
      return { [field]: value ?? null }
  }
}

export function intervalOf({ limits }: World): Instant {
  return limits.updateListInterval * 1000
}

/** @param session undefined: there is none of these names */
function withSession(
  sessions: readonly StickySession[],
  [server, name]: readonly string[],
  session: StickySession | undefined,
): StickySession[] {
  const isOther = (one: StickySession): boolean =>
    encodeURIComponent(one.server) !== server || encodeURIComponent(one.session) !== name
  const at = sessions.findIndex((one) => !isOther(one))
  if (session && at >= 0) return sessions.with(at, session)
  return session ? [...sessions, session] : sessions.filter(isOther)
}

/** The rate is only kept if it isn't the sum of the days. */
function usageOf({ limit, stats, rate }: Record<'limit' | 'stats' | 'rate', unknown>): Usage {
  const days = (stats ?? {}) as Usage['stats']
  const sum = Object.values(days).reduce((all, one) => all + one, 0)
  return {
    limit: typeof limit === 'number' ? limit : 'none',
    stats: days,
    ...(typeof rate === 'number' && Math.abs(sum - rate) > 1e-9 && { rate }),
  }
}
