import type { Readings } from '../scenario/ScenarioDocument.ts'
import { change, worldOf } from '../world/change.ts'
import { emptyWorld } from '../world/defaults.ts'
import type { World } from '../world/World.ts'
import { adopt, plenty, type Fact } from './adopt.ts'
import type { Survey } from './Knowledge.ts'
import { password } from './Simulator.ts'

/** The world at the beginning. @param assumed what must have been so, beside what was seen */
export function startingWorld(
  survey: Survey,
  assumptions: Readings,
  updateListInterval: number,
  assumed: ReadonlyMap<string, unknown> = new Map(),
): World {
  const { facts, firstIds } = survey
  const empty = worldOf({ ...emptyWorld(password, undefined, { offset: 0 }), credit: plenty })
  const all = [...assumed, ...facts].map(([path, value]): Fact => ({ path, value }))
  // Services after the clients whose they may be, and types before what only a type has
  const inOrder = all.toSorted((a, b) => rank(a.path) - rank(b.path))
  const ids = firstIds && { next: firstIds }
  const world = adopt(change(empty, { assumptions, limits: { updateListInterval }, ...ids }), inOrder)
  const byName = new Map(world.products.map(({ productName }, id) => [productName, id]))
  const products = world.services.map(({ product_name, product }, id): [number, object] => [
    id,
    { product: byName.get(product_name) ?? product },
  ])
  return hideUnlisted(change(world, { services: Object.fromEntries(products) }), survey)
}

/** A product that exists and isn't in the full list is hidden. */
export function hideUnlisted(world: World, { facts, listedProducts }: Survey): World {
  const isHidden = (path: string): boolean =>
    listedProducts?.has(path) === false && !facts.has(`${path}/product_hidden`)
  const hidden = [...world.products.keys()].filter((id) => isHidden(`products/${id}`))
  return change(world, { products: Object.fromEntries(hidden.map((id) => [id, { product_hidden: true }])) })
}

function rank(path: string): number {
  const [kind, , field] = path.split('/')
  if (field === undefined) return kind === 'services' ? 1 : 0
  return field === 'product_type' ? 2 : 3
}
