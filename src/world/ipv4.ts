import { hash, type Seed } from './chance.ts'

/** Dotted decimal, four parts, no leading zeros. */
export { isIPv4 as isIpv4 } from 'node:net'

/**
 * Generated proxy servers are in 198.18.0.0/16, generated bound addresses in 198.19.0.0/16: the two halves of the range
 * that RFC 2544 reserves for benchmarks, so they never belong to anyone.
 */
const halfRange = 2 ** 16

function address(second: 18 | 19, index: number): string {
  return `198.${second}.${(index >>> 8) & 255}.${index & 255}`
}

/** A seed's walk over all proxy addresses, starting at step `index`. It repeats after 65,536 steps. */
function proxyWalk(seed: Seed, index: number): (step: number) => string {
  const stride = (hash([...seed, 'stride']) | 1) >>> 0 // odd, so it covers the whole range before it repeats
  const first = hash([...seed, 'first']) + Math.imul(stride, index)
  return (step) => address(18, (first + Math.imul(stride, step)) & (halfRange - 1))
}

/** `count` distinct proxy addresses (at most 65,536) from `index` on, determined by the seed. */
export function proxyAddresses(count: number, seed: Seed, index = 0): string[] {
  const walk = proxyWalk(seed, index)
  return Array.from({ length: Math.min(count, halfRange) }, (_, step) => walk(step))
}

/** One proxy address, determined by the seed; 65,536 consecutive ones are distinct. */
export function proxyAddress(seed: Seed, index: number): string {
  return proxyWalk(seed, index)(0)
}

/** A client's address to bind a service to, or undefined if all are taken. */
export function boundAddress(seed: Seed, taken: (ip: string) => boolean): string | undefined {
  const first = hash(seed)
  const stride = hash([...seed, 'stride']) | 1 // odd, as above; steps of 1 would run into the same clusters
  for (let i = 0; i < halfRange; i++) {
    const ip = address(19, (first + Math.imul(stride, i)) & (halfRange - 1))
    if (!taken(ip)) return ip
  }
  return undefined
}
