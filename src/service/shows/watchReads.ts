import { type Kind, kinds, type World } from '../../world/World.ts'
import { existingClient, isPlaceholder } from './applyFacts.ts'

/** Fields that affect a response without appearing in it → the paths of their facts */
const decisiveFields: { readonly [K in Kind]?: Readonly<Record<string, string>> } = {
  products: Object.fromEntries(['price', 'product_type'].map((name) => [name, name])),
  services: {
    ...Object.fromEntries(
      ['status', 'product_type', 'client', 'list_updated_at'].map((name) => [name, name]),
    ),
    sticky: 'sticky/sessions',
  },
}

/** Returns a view of a world that reports the path of each field that is read and affects a response. */
export function watchReads(world: World, report: (path: string) => void): World {
  const tables = kinds.map((kind) => [kind, watchTable(world[kind], kind, report)])
  return {
    ...world,
    ...(Object.fromEntries(tables) as Pick<World, Kind>),
    get credit() {
      report('credit')
      return world.credit
    },
  }
}

function watchTable<T extends object>(
  table: T & { get: (id: string) => object | undefined },
  kind: Kind,
  report: (path: string) => void,
): T {
  const getRecord = (id: string): object | undefined => {
    if (kind === 'clients' && Number(id) === existingClient) return {}
    if (!isPlaceholder(id)) report(`${kind}/${id}`)
    const existing = table.get(id)
    return (
      existing &&
      new Proxy(existing, {
        get(target, name) {
          const path = decisiveFields[kind]?.[name as string]
          if (path !== undefined) report(`${kind}/${id}/${path}`)
          return target[name as never]
        },
      })
    )
  }
  return new Proxy(table, {
    get(target, name) {
      if (name === 'get') return getRecord
      if (name === 'has') return (id: string) => getRecord(id) !== undefined
      const value: unknown = target[name as never]
      return typeof value === 'function'
        ? (...args: unknown[]) => {
            report(name === 'findIds' ? `${kind}?${String(args[0])}` : `${kind}/*`)
            return value.apply(target, args) as unknown
          }
        : value
    },
  })
}
