import { hash, type Seed } from '../world/random.ts'

/**
 * Generated proxy servers are in 198.18.0.0/16, generated bound addresses in 198.19.0.0/16: the two halves of the range
 * that RFC 2544 reserves for benchmarks, so they belong to no one.
 */
const halfRange = 2 ** 16

/** The address at an index (modulo 65,536) in one of the halves. */
function addressAt(half: 18 | 19, index: number): string {
  return `198.${half}.${(index >>> 8) & 255}.${index & 255}`
}

/** Chooses the step between addresses. It is odd, so that no address repeats before all of them are used. */
function chooseStride(seed: Seed): number {
  return hash([...seed, 'stride']) | 1
}

/** `count` distinct proxy addresses (at most 65,536) starting at `index`, determined by the seed. */
export function proxyAddresses(count: number, seed: Seed, index = 0): string[] {
  const stride = chooseStride(seed)
  let position = hash([...seed, 'first']) + Math.imul(stride, index)
  const addresses: string[] = []
  for (let left = Math.min(count, halfRange); left > 0; left--, position += stride)
    addresses.push(addressAt(18, position))
  return addresses
}

/** Number of gateways of a rotating service. The documentation doesn't specify it. */
const gatewayCount = 5

/** The fields of a service that its addresses depend on */
interface AddressSource {
  product_type: string
  ip_count?: number
  ips?: string[]
  list_version?: number
}

/**
 * The addresses of a service: explicit ones, or else derived from the seed and the number of updates.
 * @param maxCount maximum number of addresses
 */
export function listAddresses(
  { seed }: { seed: number },
  id: string,
  { product_type, ip_count = 1, ips, list_version = 0 }: AddressSource,
  maxCount = Infinity,
): string[] {
  const size = product_type === 'ppr' ? gatewayCount : ip_count
  // An updated list starts after the end of the previous one, so that its addresses differ.
  return ips ?? proxyAddresses(Math.min(size, maxCount), [seed, 'ips', id, 0], list_version * (size + 1))
}

/** Finds a free client address to bind a service to; undefined if all are taken. */
export function findFreeAddress(seed: Seed, isTaken: (ip: string) => boolean): string | undefined {
  const stride = chooseStride(seed) // with steps of 1, addresses would cluster
  let position = hash(seed)
  for (let left = halfRange; left > 0; left--, position += stride) {
    const ip = addressAt(19, position)
    if (!isTaken(ip)) return ip
  }
  return undefined
}
