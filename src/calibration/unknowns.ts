import { asObject } from '../contract/Contract.ts'
import { isIpv4 } from '../service/addresses.ts'
import type { Kind, World } from '../world/World.ts'
import type { Knowledge } from './Knowledge.ts'
import type { Fact, Observation } from './observe.ts'

/** A way in which something may be that an exchange depends on and nobody saw. */
type Option = readonly Guess[]

export interface Guess extends Fact {
  /** It stands for many others, such as any price above the credit: it shows nothing */
  isLoose?: true
}

/** What decides how the API treats a record, the likeliest first. */
const deciding: Record<Kind, Record<string, readonly unknown[]>> = {
  clients: {},
  invoices: {},
  products: { product_type: ['fpr', 'ppr'] },
  // A service that isn't Active refuses more than one of another type.
  services: { status: ['Active', 'Suspended'], product_type: ['fpr', 'ppr'], client: [true, false] },
}

const maxCombinations = 64

/** How all may be that an exchange depends on and nobody saw, the likeliest first; as many ways as can be tried. */
export function waysOf(observation: Observation, world: World, knowledge: Knowledge): Guess[][] {
  let ways: Guess[][] = [[]]
  for (const options of unknowns(observation, world, knowledge))
    if (ways.length * options.length <= maxCombinations)
      ways = options.flatMap((option) => ways.map((before) => [...before, ...option]))
  return ways
}

/** Of the records and addresses that an exchange names, and of the credit, what nobody saw. */
function unknowns({ exchange, target, named }: Observation, world: World, knowledge: Knowledge): Option[][] {
  const found: Option[][] = []
  const either = (path: string, values: readonly unknown[]): void => {
    if (!knowledge.knows(path)) found.push(values.map((value) => [{ path, value }]))
  }
  const perhaps = (path: string, value: unknown): void => {
    if (!knowledge.knows(path)) found.push([[], [{ path, value, isLoose: true }]])
  }
  if (target !== undefined) {
    const [kind, id] = target.split('/') as [Kind, string]
    // The likeliest explanation of a refusal is that there is no such product, but that a service isn't Active.
    const isKnown = knowledge.knows(target)
    either(target, kind === 'services' ? [true, false] : [false, true])
    if (!isKnown || world[kind].has(id))
      for (const [field, values] of Object.entries(deciding[kind])) either(`${target}/${field}`, values)
    if (isKnown && kind === 'products') perhaps(`${target}/price`, Math.floor(world.credit) + 1)
    if (isKnown && kind === 'services') perhaps(`${target}/list_updated_at`, exchange.at + 1000)
  }
  for (const path of named) either(path, [true, false])
  if (exchange.operation.costsMoney) perhaps('credit', 0)
  for (const value of Object.values(asObject(exchange.request.value)))
    if (typeof value === 'string' && isIpv4(value)) found.push(holdersOf(value, world, knowledge))
  return found.filter((options) => options.length > 1)
}

/** Which services an address may be bound to: none, one that nobody saw, or none any more. */
function holdersOf(ip: string, world: World, knowledge: Knowledge): Option[] {
  const holders = [...world.services.idsOf(ip)].map((id) => `services/${id}/bindedip`)
  const isKnown = (id: number): boolean => knowledge.knows(`services/${id}/bindedip`)
  // No two services have one. If it was seen at two, it moved without being seen.
  const isSeen = holders.filter((path) => knowledge.knows(path)).length === 1
  const areAllKnown =
    knowledge.knows('services/0') && // the list was seen in full
    world.services.map(({ product_type }, id) => product_type === 'ppr' || isKnown(id)).every(Boolean)
  if (isSeen || areAllKnown) return []
  const another: Guess = { path: 'services/9999999997/bindedip', value: ip, isLoose: true }
  return [[], [another], holders.map((path) => ({ path, value: '', isLoose: true }))]
}
