import { change } from '../world/change.ts'
import { fields, fillRecord } from '../world/fields.ts'
import { defined } from '../lib/json.ts'
import { diffPatch } from '../world/mergePatch.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { Table } from '../world/Table.ts'
import type { Sticky, StickySession } from '../world/sticky.ts'
import type { Kind, Service, Usage, World } from '../world/World.ts'

/** The value at a path of the world: `credit`, `services/5001` (whether it exists), `services/5001/usage/limit`. */
export interface Fact {
  path: string
  /** undefined: the record has no such field */
  value: unknown
}

/** More than any order costs: the credit if it was never seen */
export const plenty = 1_000_000_000

/** The id of a product that must exist but was never seen */
export const unseenProduct = 9_999_999_999

/** The id of a client that doesn't exist */
const goneClient = 9_999_999_998

type Fields = Record<string, unknown>

/** The world in which all this is so. */
export function adopt(world: World, facts: Iterable<Fact>): World {
  let adopted = world
  for (const fact of facts) adopted = adoptOne(adopted, fact)
  return adopted
}

function adoptOne(world: World, { path, value }: Fact): World {
  if (path === 'credit') return change(world, { credit: Number(value) })
  const [kind, id = '', ...names] = path.split('/') as [Kind, ...string[]]
  if (!Object.hasOwn(fields, kind)) return world
  const before = (world[kind] as Table<object>).get(id) as Fields | undefined
  const put = (record: Fields | undefined): World => {
    const patch = record ? diffPatch(before ?? {}, record) : null
    return patch === undefined || (patch === null && !before)
      ? world
      : change(world, { [kind]: { [id]: patch } })
  }
  if (names.length === 0) {
    if (value === false) return put(undefined)
    const made = before ? world : put(complete(kind, id, {}, world))
    return before || kind !== 'services' ? made : withClient(made, id, true)
  }
  if (!before) return adoptOne(adoptOne(world, { path: `${kind}/${id}`, value: true }), { path, value })
  const [name = '', ...below] = names
  const { only } = (fields[kind] as Record<string, { only?: string }>)[name] ?? {}
  if (only !== undefined && only !== before['product_type']) return world
  if (kind === 'services' && name === 'client') return withClient(world, id, value === true)
  if (name === 'product_type') return put(complete(kind, id, { ...before, product_type: value }, world))
  return put(defined({ ...before, [name]: fieldOf(world, before, name, below, value) }))
}

/** A record of which nothing else is known. */
function complete(kind: Kind, id: string, known: Fields, world: World): Fields {
  const [client = 1] = world.clients.keys()
  const assumed: Record<Kind, Fields> = {
    clients: { email: 'client@example.com' },
    products: { productName: `Product ${id}`, price: 0, product_type: 'fpr' },
    services: { client, product: unseenProduct, product_name: 'Unknown', orderid: Number(id), bindedip: '' },
    invoices: { serviceid: 1, status: 'Paid' },
  }
  const sources = {
    id,
    seed: world.seed,
    now: 0,
    newOrder: () => Number(id),
    newAddress: () => '',
  }
  return fillRecord(kind, { ...assumed[kind], ...known }, sources) as unknown as Fields
}

function fieldOf(
  world: World,
  record: Fields,
  name: string,
  below: readonly string[],
  value: unknown,
): unknown {
  switch (name) {
    case 'bindedip':
      return value ?? ''
    case 'list_updated_at': // the value is the time of the next update
      return value === undefined ? undefined : instantOf(Number(value) - intervalOf(world))
    case 'usage':
      return usageOf({ ...(record[name] as Usage), [below[0] ?? '']: value })
    case 'sticky': {
      const sticky = record[name] as Sticky
      if (below.length === 1) return { ...sticky, [below[0] as string]: value }
      const [, server, session] = below.map(decodeURIComponent)
      const others = sticky.sessions.filter((one) => one.server !== server || one.session !== session)
      return { ...sticky, sessions: value === false ? others : [...others, value as StickySession] }
    }
    default:
      return value
  }
}

/** A service whose client exists, or doesn't. */
function withClient(world: World, id: string, exists: boolean): World {
  const { client } = world.services.get(id) as Service
  if (exists === world.clients.has(client)) return world
  if (!exists) return change(world, { services: { [id]: { client: goneClient } } })
  const [some = client === goneClient ? 1 : client] = world.clients.keys()
  return change(adoptOne(world, { path: `clients/${some}`, value: true }), {
    services: { [id]: { client: some } },
  })
}

export function intervalOf({ limits }: World): Instant {
  return limits.updateListInterval * 1000
}

/** The rate is only kept if it isn't the sum of the days. */
function usageOf({ limit, stats, rate }: { [K in keyof Usage]?: unknown }): Usage {
  const days = (stats ?? {}) as Usage['stats']
  const sum = Object.values(days).reduce((all, one) => all + one, 0)
  return {
    limit: typeof limit === 'number' ? limit : 'none',
    stats: days,
    ...(typeof rate === 'number' && Math.abs(sum - rate) > 1e-9 && { rate }),
  }
}
