import { kinds, type World, type WorldChange } from '../../world/World.ts'
import { getFields } from '../records.ts'

type Fields = Record<string, unknown>

/** Fields that the real service generates. In a new record, they are unknown until they are read. */
const generated = new Set(['username', 'password', 'nextduedate', 'ips', 'description', 'paymentmethod'])

/** Fields of a service → the fields of the product that they are copied from, if any */
const productFields = new Map(getFields('services').map(([name, { from }]) => [name, from]))

/** The paths whose values our rules determine after an operation's change. @param isKnown whether a path was known before */
export function derivedPaths(
  changed: WorldChange,
  before: World,
  isKnown: (path: string) => boolean,
): string[] {
  const paths = isKnown('credit') ? ['credit'] : []
  for (const kind of kinds)
    for (const [id, fields] of Object.entries(changed[kind] ?? {})) {
      const path = `${kind}/${id}`
      if (before[kind].has(id)) {
        const { sticky, ...others } = (fields ?? {}) as Fields & { sticky?: Fields }
        const names = ['bindedip', 'password', 'list_updated_at'].filter((name) =>
          Object.hasOwn(others, name),
        )
        paths.push(...names.map((name) => `${path}/${name}`))
        if (sticky?.['ttl'] !== undefined) paths.push(`${path}/sticky/ttl`)
        if (sticky?.['sessions'] && isKnown(`${path}/sticky/sessions`)) paths.push(`${path}/sticky/sessions`)
        continue
      }
      const { product } = (fields ?? {}) as Fields
      const names = getFields(kind).map(([name]) => name)
      const derived = names.filter((name) => {
        const from = kind === 'services' ? productFields.get(name) : undefined
        return !generated.has(name) && (from === undefined || isKnown(`products/${String(product)}/${from}`))
      })
      paths.push(path, `${path}/sticky/sessions`, ...derived.map((name) => `${path}/${name}`))
    }
  return paths
}

/** Whether all bindings of an address are known. @param path such as `services?192.0.2.1` */
export function areBindingsKnown(path: string, world: World, knows: (path: string) => boolean): boolean {
  const [, ip = ''] = path.split('?')
  const holders = world.services.findIds(ip)
  const isBindingKnown = (id: number): boolean => knows(`services/${id}/bindedip`)
  if (holders.length > 0) return holders.length === 1 && holders.every(isBindingKnown)
  return (
    knows('services/*') &&
    world.services.map(({ product_type }, id) => product_type === 'ppr' || isBindingKnown(id)).every(Boolean)
  )
}
