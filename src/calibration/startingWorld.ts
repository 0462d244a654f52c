import type { Contract } from '../contract/Contract.ts'
import { checkScenario } from '../scenario/checkScenario.ts'
import { exportAccount } from '../scenario/exportScenario.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { change, worldOf } from '../world/change.ts'
import { emptyWorld } from '../world/defaults.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { Product, Service, World } from '../world/World.ts'
import { adopt, unseenProduct } from './adopt.ts'
import { login, password } from './Simulator.ts'
import type { Survey } from './survey.ts'

/** What a recording alone doesn't show of its start. */
export interface Start {
  /** In USD */
  credit: number
  /** Seconds between two updates of a list */
  interval: number
  /** When the recording begins */
  at: Instant
}

/** The world at the start of a recording. @param assumed what else must have been so */
export function startingWorld(
  { facts, whole, firstIds }: Survey,
  { credit, interval }: Start,
  assumed: ReadonlyMap<string, unknown> = new Map(),
): World {
  const empty = worldOf(emptyWorld(password, undefined, { offset: 0 }))
  const all = [...assumed, ...facts].map(([path, value]) => ({ path, value }))
  // Services after the clients whose they may be, and types before what only a type has
  const order = all.toSorted((a, b) => rank(a.path) - rank(b.path))
  const world = adopt(
    change(empty, { credit, limits: { updateListInterval: interval }, ...(firstIds && { next: firstIds }) }),
    order.filter(({ path }) => path !== 'credit'),
  )
  return change(world, { products: hiddenProducts(world, facts, whole), services: productsOf(world) })
}

function rank(path: string): number {
  const [kind, , field] = path.split('/')
  if (field === undefined) return kind === 'services' ? 1 : 0
  return field === 'product_type' ? 2 : 3
}

/** A product that was found by its id and not in the list is hidden. */
function hiddenProducts(
  world: World,
  facts: Survey['facts'],
  whole: Survey['whole'],
): Record<string, object> {
  const isHidden = (id: number): boolean =>
    whole.has('products') &&
    !['productName', 'created_at'].every((field) => facts.has(`products/${id}/${field}`)) &&
    !facts.has(`products/${id}/product_hidden`)
  const hidden = [...world.products.keys()].filter(isHidden)
  return Object.fromEntries(hidden.map((id) => [id, { product_hidden: true }]))
}

/** A service shows its product's name and price only. */
function productsOf(world: World): Record<string, object> {
  const products = [...world.products.entries()] as [number, Product][]
  const byName = new Map(products.map(([id, { productName }]) => [productName, id]))
  const byPrice = new Map(products.map(([id, { productName, price }]) => [`${price} ${productName}`, id]))
  const services = [...world.services.entries()] as [number, Service][]
  return Object.fromEntries(
    services.map(([id, { product_name, price }]) => [
      id,
      { product: byPrice.get(`${price} ${product_name}`) ?? byName.get(product_name) ?? unseenProduct },
    ]),
  )
}

/** The world as a scenario. */
export function scenarioOf(world: World, at: Instant, contract: Contract): ScenarioDocument {
  const { seed: _, tokens: __, faults: ___, clock: ____, ...account } = exportAccount(world, at)
  const document: ScenarioDocument = {
    description: 'What a recording of the real service shows, as it was at the beginning.',
    clock: instantOf(at),
    accounts: { [login]: account },
  }
  // The real service may have what our world can't: that is left out.
  for (let round = 0; round < 20; round++) {
    const issues = [...checkScenario(document, contract.operations)].flat()
    if (issues.length === 0) break
    for (const { path } of issues) drop(document as unknown as Record<string, unknown>, path)
  }
  return document
}

const requiredFields = ['client', 'product', 'product_type', 'price', 'productName', 'serviceid', 'status']

function drop(document: Record<string, unknown>, path: readonly (string | number)[]): void {
  // A required field that is wrong takes its record with it.
  const short = path.slice(0, requiredFields.includes(String(path[4])) ? 4 : 5)
  let node = document
  for (const key of short.slice(0, -1)) {
    if (typeof node[key] !== 'object' || node[key] === null) return
    node = node[key] as Record<string, unknown>
  }
  delete node[short.at(-1) as string]
}
