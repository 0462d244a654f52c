import { fillInvoice, fillProduct, fillService } from '../world/defaults.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { Client, Invoice, Product, Service, World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Exchange } from './Exchange.ts'

/** More than any order costs: the credit if it was never seen */
export const plenty = 1_000_000_000

/** The id of a product that must exist but was never seen */
export const unseenProduct = 9_999_999_999

/** Records that exist, but of which nothing is known. */
export const anyRecord = {
  clients: (): Client => ({ email: 'client@example.com' }),
  products: (id: string, _: World, type: Product['product_type'] = 'fpr'): Product =>
    fillProduct({ productName: `Product ${id}`, price: 0, product_type: type }, 0),
  services: (id: string, { clients, seed }: World): Service =>
    fillService(
      {
        client: clients.keys().next().value ?? 1,
        product: unseenProduct,
        product_name: 'Unknown',
        bindedip: '',
      },
      { id, seed, product: undefined, now: 0, newOrder: () => Number(id), newAddress: () => '' },
    ),
  invoices: (): Invoice => fillInvoice({ serviceid: 1, status: 'Paid' }, undefined, 0),
}

/** Whether something of the world was seen, or set by the recording itself. */
export type IsKnown = (path: string) => boolean

const maxCombinations = 64

/**
 * The possible states of unseen records that an exchange may depend on. If one of them makes our response the same as
 * the service's, the exchange proves nothing. Those that explain most come first: a service that isn't Active refuses
 * more than one of another type.
 */
export function possibleWorlds(
  exchange: Exchange,
  world: World,
  at: Instant,
  isKnown: IsKnown,
): WorldChange[][] {
  let combinations: WorldChange[][] = [[]]
  for (const choices of unseenOf(exchange, world, at, isKnown)) {
    if (combinations.length * choices.length > maxCombinations) break
    combinations = choices.flatMap((choice) => combinations.map((before) => [...before, choice]))
  }
  return combinations.filter((changes) => changes.length > 0)
}

function unseenOf(
  { operation: { operationId, pathNames }, path, request }: Exchange,
  world: World,
  at: Instant,
  isKnown: IsKnown,
): WorldChange[][] {
  const choices: WorldChange[][] = []
  const body = isObject(request.value) ? request.value : {}
  const { id, pid } = path
  if (id !== undefined && operationId === 'getInvoice') {
    if (!isKnown(`invoices/${id}`))
      choices.push([{ invoices: { [id]: null } }, { invoices: { [id]: anyRecord.invoices() } }])
  } else if (id !== undefined && pathNames.includes('id'))
    choices.push(...servicesLike(id, path, body, world, at, isKnown))
  if (pid !== undefined) {
    if (!isKnown(`products/${pid}`)) {
      choices.push([
        { products: { [pid]: null } },
        { products: { [pid]: anyRecord.products(pid, world) } },
        { products: { [pid]: anyRecord.products(pid, world, 'ppr') } },
      ])
    } else if (world.products.get(pid)) {
      if (!isKnown(`products/${pid}/price`))
        choices.push([
          { products: { [pid]: { price: 0 } } },
          { products: { [pid]: { price: Math.floor(world.credit) + 1 } } },
        ])
      if (!isKnown(`products/${pid}/product_type`))
        choices.push([
          { products: { [pid]: { product_type: 'fpr' } } },
          { products: { [pid]: { product_type: 'ppr' } } },
        ])
    }
  }
  const client = body['clientid']
  if (typeof client === 'number' && !isKnown(`clients/${client}`))
    choices.push([{ clients: { [client]: anyRecord.clients() } }, { clients: { [client]: null } }])
  if (operationId === 'orderService' && !isKnown('credit')) choices.push([{ credit: plenty }, { credit: 0 }])
  const { setip } = body
  if (typeof setip === 'string' && !areBindingsKnown(world, isKnown) && !isHolderKnown(setip, world, isKnown))
    choices.push([
      {},
      { services: { 9999999997: { ...anyRecord.services('9999999997', world), bindedip: setip } } },
      // Those that have it may have lost it.
      {
        services: Object.fromEntries(holdersOf(setip, world).map((holder) => [holder, { bindedip: '' }])),
      },
    ])
  return choices
}

function areBindingsKnown({ services }: World, isKnown: IsKnown): boolean {
  return (
    isKnown('services/0') && // the list was seen in full
    [...services.entries()].every(
      ([id, { product_type }]) => product_type === 'ppr' || isKnown(`services/${id}/bindedip`),
    )
  )
}

/**
 * Whether an address was seen bound, or set by the recording itself: no two services have one, so no unseen service has
 * it. If it was seen at two, it moved without being seen.
 */
function isHolderKnown(ip: string, world: World, isKnown: IsKnown): boolean {
  return holdersOf(ip, world).filter((id) => isKnown(`services/${id}/bindedip`)).length === 1
}

function holdersOf(ip: string, { bindings }: World): string[] {
  return [...bindings.services(ip)].map(String)
}

function servicesLike(
  id: string,
  { server, session }: Record<string, string>,
  body: Record<string, unknown>,
  world: World,
  at: Instant,
  isKnown: IsKnown,
): WorldChange[][] {
  const like = (change: object): WorldChange => ({ services: { [id]: change } })
  const gone = ([...world.clients.keys()].at(-1) ?? 0) + 1
  const sessions = [{ server, session, ip: '198.18.0.1', rotations: 0, since: instantOf(at) }]
  const rotating = { product_type: 'ppr', bindedip: null, ip_count: null, sticky: { ttl: 10, sessions } }
  if (!isKnown(`services/${id}`)) {
    const any = anyRecord.services(id, world)
    // It belongs to some client, even if none was seen.
    const owned = (change: object): WorldChange => ({
      ...like(change),
      clients: { [any.client]: world.clients.get(any.client) ?? anyRecord.clients() },
    })
    return [
      [
        owned(any),
        { services: { [id]: null } },
        owned({ ...any, ...rotating }),
        like({ ...any, status: 'Suspended' }),
        like({ ...any, ...rotating, status: 'Suspended' }),
        like({ ...any, client: gone }),
      ],
    ]
  }
  const service = world.services.get(id)
  if (!service) return []
  const unknown = (field: string): boolean => !isKnown(`services/${id}/${field}`)
  const choices: WorldChange[][] = []
  if (unknown('status')) choices.push([like({ status: 'Active' }), like({ status: 'Suspended' })])
  if (unknown('product_type')) choices.push([like({ product_type: 'fpr' }), like(rotating)])
  if (unknown('client')) {
    const owner = world.clients.get(service.client) ?? anyRecord.clients()
    choices.push([{}, like({ client: gone }), { clients: { [service.client]: owner } }])
  }
  if (body['update_list'] === 'true' && unknown('list_updated_at'))
    choices.push([{}, like({ list_updated_at: null }), like({ list_updated_at: instantOf(at - 1000) })])
  if (typeof body['setip'] === 'string' && unknown('bindedip'))
    choices.push([{}, like({ bindedip: body['setip'] }), like({ bindedip: '' })])
  if (session !== undefined && unknown('sticky/sessions'))
    choices.push([
      {},
      like({ sticky: { ttl: service.sticky?.ttl ?? 10, sessions } }),
      like({ sticky: { ttl: service.sticky?.ttl ?? 10, sessions: [] } }),
    ])
  return choices
}
