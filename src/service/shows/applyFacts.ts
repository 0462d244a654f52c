import { applyPatch, worldFromJson } from '../../world/change.ts'
import { type Kind, kinds, type NextIds, type World } from '../../world/World.ts'
import { emptyWorld } from '../defaults.ts'
import { fillRecord, getFields } from '../records.ts'
import type { StickySession } from '../sticky.ts'
import type { Facts, Interpretation } from './facts.ts'

/** The credit until it is read: more than any order costs */
const unlimitedCredit = 1_000_000_000

/* Placeholder ids for records that were never read: a product, an existing client, and a missing client. */
const placeholderProduct = 9_999_999_999
export const existingClient = 9_999_999_997
const missingClient = 9_999_999_998

export function isPlaceholder(id: string): boolean {
  return Number(id) >= existingClient
}

type Fields = Record<string, unknown>

/** Creates a world from facts. Unknown fields are filled in. */
export function createWorld(
  facts: Facts,
  { assumptions, interval }: Interpretation,
  password: string,
): World {
  const empty = worldFromJson({ ...emptyWorld(password, undefined, { offset: 0 }), credit: unlimitedCredit })
  return applyFacts(applyPatch(empty, { assumptions, limits: { updateListInterval: interval } }), facts)
}

export function withNextIds(world: World, next: Partial<NextIds>): World {
  return { ...world, next: { ...world.next, ...next } }
}

/** Applies facts to a world. Unknown fields are filled in. */
export function applyFacts(world: World, facts: Facts): World {
  const { seed, assumptions } = world
  const sources = { seed, now: 0, timeZone: assumptions.timeZone }
  const tables = [...recordsWithFacts(facts, world)].map(([kind, records]) => {
    const filled = [...records].map(
      ([id, fields]) => [id, fields && fillRecord(kind, fields, { id: String(id), ...sources })] as const,
    )
    return [kind, world[kind].with(filled as never)]
  })
  const credit = Number(facts.get('credit') ?? world.credit)
  return { ...world, credit, ...Object.fromEntries(tables) }
}

/** Applies facts to the records that they concern. A record that doesn't exist is undefined. */
function recordsWithFacts(facts: Facts, world: World): Map<Kind, Map<number, Fields | undefined>> {
  const recordsByKind = new Map(kinds.map((kind) => [kind, new Map<number, Fields | undefined>()]))
  for (const [path, value] of facts) {
    const [kind, id, name, part] = path.split('/') as [Kind, string?, string?, string?]
    const records = recordsByKind.get(kind)
    if (!records || id === undefined || id === '*') continue
    const existing = records.get(Number(id)) ?? { ...(world[kind].get(id) ?? placeholderRecord(kind)) }
    const exists = name !== undefined || value !== false
    records.set(Number(id), exists ? existing : undefined)
    if (name !== undefined) setField(existing, name, part, value)
  }
  // A product must be hidden unless a response shows the opposite; otherwise every list would show it.
  for (const product of recordsByKind.get('products')?.values() ?? [])
    for (const name of ['product_hidden', 'group_hidden']) if (product) product[name] ??= true
  return new Map([...recordsByKind].filter(([, records]) => records.size > 0))
}

/** Placeholder values for the required fields of a record that was never read. */
function placeholderRecord(kind: Kind): Fields {
  const required = getFields(kind).filter(([, { isRequired }]) => isRequired)
  const values = { id: 1, text: 'Unknown', longText: 'Unknown' }
  const defaults = required.map(([name, { type }]) => [name, values[type as keyof typeof values] ?? 0])
  return { ...Object.fromEntries(defaults), ...placeholders[kind] } as Fields
}

/** Placeholders that differ from the placeholder of the field's type */
const placeholders: { readonly [K in Kind]?: Fields } = {
  products: { product_type: 'fpr' },
  services: { client: existingClient, product: placeholderProduct, product_name: 'Unknown', bindedip: '' },
}

function setField(record: Fields, name: string, part: string | undefined, value: unknown): void {
  if (name === 'client' && typeof value === 'boolean') record[name] = value ? existingClient : missingClient
  else if (part === 'session') {
    const { sticky } = record as { sticky?: { sessions?: StickySession[] } }
    const { server, session } = value as StickySession
    const others = sticky?.sessions?.filter((one) => one.server !== server || one.session !== session) ?? []
    record[name] = { ...sticky, sessions: [...others, value] }
  } else if (part !== undefined) record[name] = { ...(record[name] as Fields | undefined), [part]: value }
  else if (value === null) delete record[name]
  else record[name] = value
}

/** The value at a path such as `services/5001/bindedip`. */
export function valueAt(world: World, path: string): unknown {
  const [kind, id, name, part] = path.split('/') as [Kind, string?, string?, string?]
  if (id === undefined) return world[kind]
  const record = world[kind].get(id) as Fields | undefined
  if (name === undefined) return record !== undefined
  const value = record?.[name] ?? null
  return part === undefined ? value : (value as Fields | null)?.[part]
}

/** Leaves a credit that was never read out of an account, unless an order needs it. */
export function omitUnknown<T extends { credit?: number }>({ credit, ...account }: T, hasOrders: boolean) {
  return credit === unlimitedCredit && !hasOrders ? account : { ...account, credit }
}

/** Completes a world for use in a scenario, where each service needs a product and a client. */
export function completeWorld(world: World): World {
  const byName = new Map(world.products.map(({ productName }, id) => [productName, id]))
  const needsClient = world.services.map(({ client }) => client).includes(existingClient)
  const [first] = world.clients.keys()
  const client = first ?? 1
  const clients = needsClient && first === undefined ? { 1: { email: 'client1@example.com' } } : {}
  const services = world.services.map((service, id): [number, object] => [
    id,
    {
      product: byName.get(service.product_name) ?? service.product,
      ...(service.client === existingClient && { client }),
    },
  ])
  return applyPatch(world, { clients, services: Object.fromEntries(services) })
}
