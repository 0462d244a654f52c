import { hash, type Seed } from '../world/random.ts'

/**
 * Generated proxy servers are in 198.18.0.0/16, generated bound addresses in 198.19.0.0/16: the two halves of the range
 * that RFC 2544 reserves for benchmarks, so they belong to no one.
 */
const halfRange = 2 ** 16

/** An address by index, in an order determined by the seed. 65,536 consecutive ones are distinct. */
function addressAt(second: 18 | 19, place: number): string {
  return `198.${second}.${(place >>> 8) & 255}.${place & 255}`
}

/** The step between addresses. It is odd, so it covers the whole range before it repeats. */
function strideOf(seed: Seed): number {
  return hash([...seed, 'stride']) | 1
}

/** `count` distinct proxy addresses (at most 65,536) starting at `index`, determined by the seed. */
export function proxyAddresses(count: number, seed: Seed, index = 0): string[] {
  const stride = strideOf(seed)
  let place = hash([...seed, 'first']) + Math.imul(stride, index)
  const addresses: string[] = []
  for (let left = Math.min(count, halfRange); left > 0; left--, place += stride)
    addresses.push(addressAt(18, place))
  return addresses
}

/** A free client address to bind a service to; undefined if all are taken. */
export function boundAddress(seed: Seed, taken: (ip: string) => boolean): string | undefined {
  const stride = strideOf(seed) // steps of 1 would lead to the same clusters
  let place = hash(seed)
  for (let left = halfRange; left > 0; left--, place += stride) {
    const ip = addressAt(19, place)
    if (!taken(ip)) return ip
  }
  return undefined
}
