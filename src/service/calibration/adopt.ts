import { change, worldOf } from '../../world/change.ts'
import { type Kind, kinds, type NextIds, type World, type WorldChange } from '../../world/World.ts'
import { emptyWorld } from '../defaults.ts'
import { fieldsOf, fillRecord } from '../records.ts'
import type { StickySession } from '../sticky.ts'
import type { Facts, Interpretation } from './observe.ts'

/** The credit that is assumed until it is read: more than any order costs */
const unlimitedCredit = 1_000_000_000

/** Placeholder ids for records that were never read: a product, an existing client, and a missing client */
const unreadProduct = 9_999_999_999
const existingClient = 9_999_999_997
const missingClient = 9_999_999_998

type Fields = Record<string, unknown>

/** A new world with these facts. */
export function worldWith(facts: Facts, { assumptions, interval }: Interpretation, password: string): World {
  const empty = worldOf({ ...emptyWorld(password, undefined, { offset: 0 }), credit: unlimitedCredit })
  return adopt(change(empty, { assumptions, limits: { updateListInterval: interval } }), facts)
}

export function withNextIds(world: World, next: Partial<NextIds>): World {
  return { ...world, next: { ...world.next, ...next } }
}

/** The world with these facts. Unknown fields are filled in. */
export function adopt(world: World, facts: Facts): World {
  const records = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as Record<
    Kind,
    Map<number, Fields | undefined>
  >
  let { credit } = world
  for (const [path, value] of facts) {
    const [kind, id, name, part] = path.split('/') as [Kind, string?, string?, string?]
    if (id === undefined) credit = Number(value)
    else if (id === '*')
      continue // all records of this kind are known
    else if (name === undefined && value === false) records[kind].set(Number(id), undefined)
    else {
      const own = records[kind].get(Number(id)) ?? { ...(world[kind].get(id) ?? unreadOf(kind)) }
      records[kind].set(Number(id), own)
      if (name !== undefined) setField(own, name, part, value)
    }
  }
  for (const own of records.products.values())
    if (own && own['groupName'] === undefined) own['product_hidden'] ??= true // otherwise every list would show it
  const { seed, assumptions } = world
  const sources = { seed, now: 0, timeZone: assumptions.timeZone }
  const tables = kinds
    .filter((kind) => records[kind].size > 0)
    .map((kind) => {
      const complete = [...records[kind]].map(
        ([id, own]) => [id, own && fillRecord(kind, own, { id: String(id), ...sources })] as const,
      )
      return [kind, world[kind].with(complete as never)]
    })
  return { ...world, credit, ...Object.fromEntries(tables) }
}

/** Placeholder values for the required fields of a record that was never read. */
function unreadOf(kind: Kind): Fields {
  const required = fieldsOf(kind).filter(([, { isRequired }]) => isRequired)
  const values = { id: 1, text: 'Unknown', longText: 'Unknown' }
  const defaults = required.map(([name, { type }]) => [name, values[type as keyof typeof values] ?? 0])
  return { ...Object.fromEntries(defaults), ...unread[kind] } as Fields
}

/** Fields whose placeholder isn't the one of their type */
const unread: { readonly [K in Kind]?: Fields } = {
  products: { product_type: 'fpr' },
  services: { client: existingClient, product: unreadProduct, product_name: 'Unknown', bindedip: '' },
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

/** The value at a path: `services/5001/bindedip`. */
export function valueAt(world: World, path: string): unknown {
  const [kind, id, name, part] = path.split('/') as [Kind, string?, string?, string?]
  if (id === undefined) return world[kind]
  const record = world[kind].get(id) as Fields | undefined
  if (name === undefined) return record !== undefined
  const value = record?.[name] ?? null
  return part === undefined ? value : (value as Fields | null)?.[part]
}

/** Fields that the real service generates. In a new record, they are unknown until they are read. */
const generated = new Set(['username', 'password', 'nextduedate', 'ips', 'description', 'paymentmethod'])

/** For each field of a service, the field of the product that it is copied from, if any */
const fromProduct = new Map(fieldsOf('services').map(([name, { from }]) => [name, from]))

/** The paths whose values follow from our rules after an operation made this change. @param knows whether a path was known before */
export function knownAfter(changed: WorldChange, before: World, knows: (path: string) => boolean): string[] {
  const known = knows('credit') ? ['credit'] : []
  for (const kind of kinds)
    for (const [id, fields] of Object.entries(changed[kind] ?? {})) {
      const path = `${kind}/${id}`
      if (before[kind].has(id)) {
        const { sticky, ...others } = (fields ?? {}) as Fields & { sticky?: Fields }
        const names = ['bindedip', 'password', 'list_updated_at'].filter((name) =>
          Object.hasOwn(others, name),
        )
        known.push(...names.map((name) => `${path}/${name}`))
        if (sticky?.['ttl'] !== undefined) known.push(`${path}/sticky/ttl`)
        if (sticky?.['sessions'] && knows(`${path}/sticky/sessions`)) known.push(`${path}/sticky/sessions`)
        continue
      }
      const { product } = (fields ?? {}) as Fields
      const names = fieldsOf(kind).map(([name]) => name)
      const derived = names.filter((name) => {
        const from = kind === 'services' ? fromProduct.get(name) : undefined
        return !generated.has(name) && (from === undefined || knows(`products/${String(product)}/${from}`))
      })
      known.push(path, `${path}/sticky/sessions`, ...derived.map((name) => `${path}/${name}`))
    }
  return known
}

/** The world as a scenario needs it: each service has a product and a client. */
export function startWorld(world: World): World {
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
  return change(world, { clients, services: Object.fromEntries(services) })
}

/** Fields that affect a response without appearing in it, with the paths under which their facts are stored */
const deciding: { readonly [K in Kind]?: Readonly<Record<string, string>> } = {
  products: Object.fromEntries(['price', 'product_type'].map((name) => [name, name])),
  services: {
    ...Object.fromEntries(
      ['status', 'product_type', 'client', 'list_updated_at'].map((name) => [name, name]),
    ),
    sticky: 'sticky/sessions',
  },
}

/** A view of a world that reports the path of each field that is read and affects a response. */
export function watched(world: World, report: (path: string) => void): World {
  const tables = kinds.map((kind) => [kind, watchedTable(world[kind], kind, report)])
  return {
    ...world,
    ...(Object.fromEntries(tables) as Pick<World, Kind>),
    get credit() {
      report('credit')
      return world.credit
    },
  }
}

function watchedTable<T extends object>(
  table: T & { get: (id: string) => object | undefined },
  kind: Kind,
  report: (path: string) => void,
): T {
  const record = (id: string): object | undefined => {
    if (kind === 'clients' && Number(id) === existingClient) return {}
    if (Number(id) < 9_000_000_000) report(`${kind}/${id}`)
    const own = table.get(id)
    return (
      own &&
      new Proxy(own, {
        get(target, name) {
          const path = deciding[kind]?.[name as string]
          if (path !== undefined) report(`${kind}/${id}/${path}`)
          return target[name as never]
        },
      })
    )
  }
  return new Proxy(table, {
    get(target, name) {
      if (name === 'get') return record
      if (name === 'has') return (id: string) => record(id) !== undefined
      const value: unknown = target[name as never]
      return typeof value === 'function'
        ? (...args: unknown[]) => {
            report(name === 'idsOf' ? `${kind}?${String(args[0])}` : `${kind}/*`)
            return value.apply(target, args) as unknown
          }
        : value
    },
  })
}

/** Whether it is known which services an address is bound to. @param path such as `services?192.0.2.1` */
export function knowsHolders(path: string, world: World, knows: (path: string) => boolean): boolean {
  const [, ip = ''] = path.split('?')
  const holders = world.services.idsOf(ip)
  const isKnown = (id: number): boolean => knows(`services/${id}/bindedip`)
  if (holders.length > 0) return holders.length === 1 && holders.every(isKnown)
  return (
    knows('services/*') &&
    world.services.map(({ product_type }, id) => product_type === 'ppr' || isKnown(id)).every(Boolean)
  )
}
