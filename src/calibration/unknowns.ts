import { asObject } from '../contract/Contract.ts'
import { isIpv4 } from '../world/addresses.ts'
import type { Kind, World } from '../world/World.ts'
import type { Fact } from './adopt.ts'
import type { Exchange } from './Exchange.ts'
import type { Knowledge } from './Knowledge.ts'
import { recordsNamed } from './observe.ts'

/** Something that an exchange may depend on and nobody saw. */
export interface Unknown {
  /** How it may be, the likeliest first */
  options: (readonly Fact[])[]
  /** Whether an option but the first stands for many others, such as any price above the credit: it shows nothing */
  isLoose?: boolean
}

/** What decides how the API treats a record. */
const deciding: Record<Kind, Record<string, readonly unknown[]>> = {
  clients: {},
  invoices: {},
  products: { product_type: ['fpr', 'ppr'] },
  // A service that isn't Active refuses more than one of another type.
  services: { status: ['Active', 'Suspended'], product_type: ['fpr', 'ppr'], client: [true, false] },
}

/** All that an exchange may depend on and nobody saw: of the records and addresses that it names, and the credit. */
export function unknowns(exchange: Exchange, world: World, knowledge: Knowledge): Unknown[] {
  const found: Unknown[] = []
  const either = (path: string, values: readonly unknown[]): void => {
    if (!knowledge.knows(path)) found.push({ options: values.map((value) => [{ path, value }]) })
  }
  const perhaps = (path: string, value: unknown): void => {
    if (!knowledge.knows(path)) found.push({ options: [[], [{ path, value }]], isLoose: true })
  }
  const { inPath, inBody } = recordsNamed(exchange)
  const [kind, id] = (inPath ?? '').split('/') as [Kind, string]
  if (inPath !== undefined && !knowledge.knows(inPath)) found.push(recordUnknown(kind, inPath))
  else if (inPath !== undefined && world[kind].has(id)) {
    for (const [field, values] of Object.entries(deciding[kind])) either(`${inPath}/${field}`, values)
    if (kind === 'products') perhaps(`${inPath}/price`, Math.floor(world.credit) + 1)
    if (kind === 'services') perhaps(`${inPath}/list_updated_at`, exchange.at + 1000)
  }
  for (const path of inBody) either(path, [true, false])
  if (exchange.operation.costsMoney) perhaps('credit', 0)
  for (const value of Object.values(asObject(exchange.request.value)))
    if (typeof value === 'string' && isIpv4(value)) found.push(...holdersOf(value, world, knowledge))
  return found
}

/** Whether a record exists, and how it is then. */
function recordUnknown(kind: Kind, path: string): Unknown {
  let records: Fact[][] = [[{ path, value: true }]]
  for (const [field, values] of Object.entries(deciding[kind]))
    records = values.flatMap((value) => records.map((one) => [...one, { path: `${path}/${field}`, value }]))
  // The likeliest explanation of a refusal is that there is no such record.
  const [first = [], ...others] = records
  const absent = [{ path, value: false }]
  return { options: kind === 'services' ? [first, absent, ...others] : [absent, first, ...others] }
}

/** Which services an address may be bound to: none, one that nobody saw, or none any more. */
function holdersOf(ip: string, world: World, knowledge: Knowledge): Unknown[] {
  const holders = [...world.services.idsOf(ip)].map((id) => `services/${id}/bindedip`)
  const known = holders.filter((path) => knowledge.knows(path))
  // No two services have one. If it was seen at two, it moved without being seen.
  if (known.length === 1) return []
  const areAllKnown =
    knowledge.knows('services/0') && // the list was seen in full
    world.services
      .map(({ product_type }, id) => product_type === 'ppr' || knowledge.knows(`services/${id}/bindedip`))
      .every(Boolean)
  if (areAllKnown) return []
  const another = [{ path: 'services/9999999997/bindedip', value: ip }]
  const freed = holders.map((path) => ({ path, value: '' }))
  return [{ options: [[], another, freed], isLoose: true }]
}

const maxCombinations = 64

/** Combinations of options, as many as can be tried. */
export function combinationsOf(found: readonly Unknown[]): Fact[][] {
  let combinations: Fact[][] = [[]]
  for (const { options } of found) {
    if (combinations.length * options.length > maxCombinations) break
    combinations = options.flatMap((option) => combinations.map((before) => [...before, ...option]))
  }
  return combinations
}
