import { boundAddress } from './ipv4.ts'
import { fraction, letters } from './chance.ts'
import { dateOf, nextDue, type Instant } from './time.ts'
import type { Product, Service } from './World.ts'

const day = 24 * 60 * 60 * 1000
const letter = 'abcdefghijkmnpqrstuvwxyz'
const sign = `${letter}ABCDEFGHJKLMNPQRSTUVWXYZ23456789`

/** Username and password of a service, the same for the same seed. */
export function generatedLogin(seed: number, id: number): { username: string; password: string } {
  return {
    username: `u${id}${letters(4, letter, [seed, 'username', id])}`,
    password: letters(12, sign, [seed, 'password', id]),
  }
}

/** What a service takes over from its product. */
function fromProduct(product: Product): Pick<Service, 'product_name' | 'product_type' | 'price'> & {
  ip_count?: number
} {
  const { productName, product_type, price, ip_count } = product
  return {
    product_name: productName,
    product_type,
    price,
    ...(product_type === 'fpr' && ip_count !== undefined && { ip_count }),
  }
}

/** Fields that a scenario may name; the rest is filled in. */
export type NamedService = Partial<Service> & Pick<Service, 'client' | 'product'>

/**
 * A service with everything filled in that was not named: from the product, else made up from the seed.
 * @param product may be missing where the service names all that would come from it
 * @param isBound whether an address is in use in this world already
 */
export function fillService(
  named: NamedService,
  {
    id,
    orderid,
    seed,
    product,
    now,
    isBound,
  }: {
    id: number
    orderid: number
    seed: number
    product: Product | undefined
    now: Instant
    isBound: (ip: string) => boolean
  },
): Service {
  const filled = {
    orderid,
    status: 'Active',
    ...generatedLogin(seed, id),
    ...(product && fromProduct(product)),
    ...named,
  } as Service
  filled.billingcycle ??= filled.price === 0 ? 'Free' : 'Monthly'
  filled.regdate ??= dateOf(now - Math.floor(fraction([seed, 'regdate', id]) * 700) * day)
  filled.nextduedate ??= dueAfter(filled, dateOf(now))
  if (filled.product_type === 'fpr') {
    filled.ip_count ??= named.ips?.length ?? 1
    filled.bindedip ??= boundAddress([seed, 'bindedip', id], isBound) ?? ''
  } else {
    filled.usage ??= { limit: 10_000, stats: {} }
    filled.sticky ??= { ttl: 10, sessions: [] }
  }
  return filled
}

/** The first due date after `today`, counted in billing cycles from the service's registration. */
function dueAfter({ regdate, billingcycle }: Service, today: string): string {
  let due = nextDue(regdate, billingcycle)
  while (due <= today) due = nextDue(due, billingcycle)
  return due
}
