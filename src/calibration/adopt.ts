import { change, worldOf } from '../world/change.ts'
import { draftedChange, emptyWorld } from '../service/defaults.ts'
import { draftOf } from '../world/Draft.ts'
import { instantOf } from '../world/time.ts'
import type { Interpretations } from '../scenario/ScenarioDocument.ts'
import type { Sticky, StickySession } from '../service/sticky.ts'
import type { Kind, NextIds, Usage, World } from '../world/World.ts'
import type { Fact } from './observe.ts'
import { password } from './Simulator.ts'

/** More than any order costs: the credit if it was never seen */
export const unlimitedCredit = 1_000_000_000

/** The id of a product that must exist but was never seen */
const unseenProduct = 9_999_999_999

/** The id of a client that doesn't exist */
const goneClient = 9_999_999_998

type Fields = Record<string, unknown>
type Patch = { [K in Kind]?: Record<string, Fields | null> }

/** The world of which this is known, by path, and which gives out these ids next. */
export function worldWith(
  facts: ReadonlyMap<string, unknown>,
  next: Partial<NextIds> | undefined,
  interpretations: Interpretations,
  interval: number,
): World {
  const empty = worldOf({ ...emptyWorld(password, undefined, { offset: 0 }), credit: unlimitedCredit })
  const set = change(empty, { assumptions: interpretations, limits: { updateListInterval: interval } })
  const known = [...facts].filter(([path]) => !path.endsWith('*')).map(([path, value]) => ({ path, value }))
  const world = adopt(set, known, next)
  // No response says which product a service is of.
  const byName = new Map(world.products.map(({ productName }, id) => [productName, id]))
  const products = world.services.map(({ product_name, product }, id): [number, object] => [
    id,
    { product: byName.get(product_name) ?? product },
  ])
  return change(world, { services: Object.fromEntries(products) })
}

/** The world in which all this is so, and these ids are the next. */
export function adopt(world: World, facts: readonly Fact[], next: Partial<NextIds> = {}): World {
  const patch: Patch = {}
  const paths = new Set(facts.map(({ path }) => path))
  const someClient = (): number => {
    const known = [...world.clients.keys(), ...Object.keys(patch.clients ?? {}).map(Number)]
    const found = known.find((id) => patch.clients?.[id] !== null)
    if (found === undefined) patch.clients = { ...patch.clients, 1: {} }
    return found ?? 1
  }
  /** What must be said of a record of which nothing is known. */
  const unseen: Record<Kind, (id: string) => Fields> = {
    clients: () => ({}),
    products: (id) => ({
      productName: `Product ${id}`,
      price: 0,
      product_type: 'fpr',
      product_hidden: !paths.has(`products/${id}/groupName`), // every list shows it, an order doesn't
    }),
    services: (id) => ({
      client: someClient(),
      product: unseenProduct,
      product_name: 'Unknown',
      price: 0,
      orderid: Number(id),
      bindedip: '',
    }),
    invoices: () => ({ serviceid: 1, status: 'Paid' }),
  }
  // Clients come before the services that need one, records before their fields.
  for (const { path, value } of facts.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)))) {
    const [kind, id, name, ...below] = path.split('/') as [Kind, string?, ...string[]]
    if (id === undefined) Object.assign(patch, { [kind]: value })
    else if (name === undefined && value === false) (patch[kind] ??= {})[id] = null
    else {
      const records = (patch[kind] ??= {})
      if (records[id] === null) continue
      const fields = (records[id] ??= world[kind].has(id) ? {} : unseen[kind](id))
      if (name === 'client') fields[name] = value === true ? someClient() : goneClient
      else if (name !== undefined)
        fields[name] = fieldOf(name, below, value, { ...world.services.get(id), ...fields }, world)
    }
  }
  return change(world, {
    ...draftedChange(draftOf(world, patch, 0), 0),
    ...(Object.keys(next).length > 0 && { next }),
  })
}

/** The value of a field, as a patch has it. */
function fieldOf(
  name: string,
  [part = '', ...below]: readonly string[],
  value: unknown,
  { usage, sticky }: { usage?: Partial<Usage>; sticky?: Partial<Sticky> },
  world: World,
): unknown {
  switch (name) {
    case 'bindedip':
      return value ?? ''
    case 'list_updated_at': // the value is the time of the next update
      return value === undefined ? null : instantOf(Number(value) - world.limits.updateListInterval * 1000)
    case 'usage': {
      if (part === '') return { ...usage, limit: 'none' }
      const gone = Object.fromEntries(Object.keys(usage?.stats ?? {}).map((day) => [day, null]))
      return { ...usage, [part]: part === 'stats' ? { ...gone, ...(value as object) } : value }
    }
    case 'sticky': {
      if (part === 'ttl') return { ...sticky, ttl: value }
      const [server, session, field = ''] = below.map(decodeURIComponent)
      const isIt = (one: StickySession): boolean => one.server === server && one.session === session
      const unseen = { server, session, ip: '198.18.0.1', rotations: 0 }
      const known = sticky?.sessions?.find(isIt) ?? unseen
      const others = sticky?.sessions?.filter((one) => !isIt(one)) ?? []
      const own = field === '' ? {} : { [field === 'expires_at' ? 'since' : field]: value }
      return { ...sticky, sessions: [...others, { ...known, ...own }] }
    }
    default:
      return value ?? null
  }
}
