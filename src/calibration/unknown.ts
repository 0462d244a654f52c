import { asObject } from '../contract/Contract.ts'
import { instantOf } from '../world/time.ts'
import type { Service, World } from '../world/World.ts'
import { plenty } from './adopt.ts'
import type { Exchange } from './Exchange.ts'
import { recordsNamed, sessionObservation, type Observation } from './observe.ts'
import type { Surveyed } from './survey.ts'

/** Something that an exchange may depend on and nobody saw. */
export interface Unknown {
  /** How it may be. Those that explain most come first: a service that isn't Active refuses more than one of another type. */
  options: Assumed[]
  /** Whether an option stands for many others, such as any price above the credit: it explains, and shows nothing */
  isLoose?: boolean
}

type Assumed = readonly Pick<Observation, 'path' | 'value'>[]

/** Whether something of the account was seen, or set by the recording itself. */
export type IsKnown = (path: string) => boolean

const maxCombinations = 64

/** All that an exchange may depend on and nobody saw: of the records that it names, and what they are set to. */
export function unknowns({ exchange, shows }: Surveyed, world: World, isKnown: IsKnown): Unknown[] {
  const { inPath = '', inBody } = recordsNamed(exchange)
  const [kind, id = ''] = inPath.split('/')
  const body = asObject(exchange.request.value)
  const found: Unknown[] = []
  const either = (path: string, ...values: unknown[]): void => {
    if (!isKnown(path)) found.push({ options: values.map((value) => [{ path, value }]) })
  }
  if (kind === 'services') found.push(...unknownsOfService(inPath, exchange, shows, world, isKnown))
  else if (kind === 'products' && !isKnown(inPath))
    found.push({
      options: [
        [{ path: inPath, value: false }],
        // A list would have shown it.
        ...['fpr', 'ppr'].map((type) => record(inPath, { product_type: type, product_hidden: true })),
      ],
    })
  else if (kind === 'products' && world[kind].has(id)) {
    if (!isKnown(`${inPath}/price`)) found.push(amounts(`${inPath}/price`, 0, Math.floor(world.credit) + 1))
    either(`${inPath}/product_type`, 'fpr', 'ppr')
  } else if (kind === 'invoices') either(inPath, false, true)
  for (const path of inBody) either(path, true, false)
  if (exchange.operation.costsMoney && !isKnown('credit')) found.push(amounts('credit', plenty, 0))
  const { setip } = body
  if (typeof setip === 'string' && !areBindingsKnown(world, isKnown))
    found.push(...holders(setip, world, isKnown))
  return found
}

/** Combinations of options, as many as can be tried. */
export function combinationsOf(found: readonly Unknown[]): Assumed[][] {
  let combinations: Assumed[][] = [[]]
  for (const { options } of found) {
    if (combinations.length * options.length > maxCombinations) break
    combinations = options.flatMap((option) => combinations.map((before) => [...before, option]))
  }
  return combinations
}

function record(path: string, fields: Record<string, unknown>): Assumed {
  const own = Object.entries(fields).map(([name, value]) => ({ path: `${path}/${name}`, value }))
  return [{ path, value: true }, ...own]
}

function amounts(path: string, ...values: number[]): Unknown {
  return { options: values.map((value) => [{ path, value }]), isLoose: true }
}

function unknownsOfService(
  path: string,
  { path: { server, session }, request, at }: Exchange,
  shows: readonly Observation[],
  world: World,
  isKnown: IsKnown,
): Unknown[] {
  const one = { server, session, ip: '198.18.0.1', rotations: 0, since: instantOf(at) }
  const live = server === undefined ? undefined : sessionObservation(`${path}/sticky`, one as never)
  const type = (product_type: 'fpr' | 'ppr'): Assumed => [
    { path: `${path}/product_type`, value: product_type },
    // What only this type can hold
    ...(product_type === 'ppr' ? shows.filter((shown) => /\/(?:usage|sticky)\//.test(shown.path)) : []),
    ...(product_type === 'ppr' && live ? [live] : []),
  ]
  const like = (status: string, product_type: 'fpr' | 'ppr', client = true): Assumed => [
    ...record(path, { status, client }),
    ...type(product_type),
  ]
  if (!isKnown(path))
    return [
      {
        options: [
          like('Active', 'fpr'),
          [{ path, value: false }],
          like('Active', 'ppr'),
          like('Suspended', 'fpr'),
          like('Suspended', 'ppr'),
          like('Active', 'fpr', false),
        ],
      },
    ]
  const [, id = ''] = path.split('/')
  const service = world.services.get(id)
  if (!service) return []
  const found: Unknown[] = []
  const either = (field: string, options: Assumed[], isLoose = false): void => {
    if (!isKnown(`${path}/${field}`)) found.push({ options, isLoose })
  }
  const set = (field: string, ...values: unknown[]): Assumed[] =>
    values.map((value) => [{ path: `${path}/${field}`, value }])
  either('status', set('status', 'Active', 'Suspended'))
  either('product_type', [type('fpr'), type('ppr')])
  either('client', set('client', true, false))
  const { setip, update_list } = asObject(request.value)
  if (update_list === 'true')
    either('list_updated_at', [[], ...set('list_updated_at', undefined, at + 1000)], true)
  if (typeof setip === 'string') either('bindedip', [[], ...set('bindedip', setip, '')], true)
  if (live && !isKnown(live.path))
    either('sticky/sessions', [[live], [{ path: live.path, value: undefined }]])
  return found
}

/** Which services an address may be bound to: none, one that nobody saw, or none any more. */
function holders(ip: string, world: World, isKnown: IsKnown): Unknown[] {
  const services = [...world.services.entries()] as [number, Service][]
  const holding = services
    .filter(([, { bindedip }]) => bindedip === ip)
    .map(([id]) => `services/${id}/bindedip`)
  // No two services have one. If it was seen at two, it moved without being seen.
  if (holding.filter((path) => isKnown(path)).length === 1) return []
  const another = record('services/9999999997', { bindedip: ip })
  return [{ options: [[], another, holding.map((path) => ({ path, value: '' }))], isLoose: true }]
}

function areBindingsKnown(world: World, isKnown: IsKnown): boolean {
  const services = [...world.services.entries()] as [number, Service][]
  return (
    isKnown('services/0') && // the list was seen in full
    services.every(([id, { product_type }]) => product_type === 'ppr' || isKnown(`services/${id}/bindedip`))
  )
}
