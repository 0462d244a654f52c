import type { World, WorldChange } from '../../world/World.ts'
import { fieldsOf, kinds } from '../records.ts'

type Fields = Record<string, unknown>

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
