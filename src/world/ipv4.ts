import { hash, type Seed } from './chance.ts'

/** Dotted decimal, four parts, no leading zeros. */
export { isIPv4 as isIpv4 } from 'node:net'

/**
 * Proxy servers live in 198.18.0.0/16, bound addresses that we make up in 198.19.0.0/16: both halves of
 * the range that RFC 2544 keeps for benchmarks, so no made-up address is ever anybody's.
 */
const halfRange = 2 ** 16

function address(second: 18 | 19, index: number): string {
  return `198.${second}.${(index >>> 8) & 255}.${index & 255}`
}

/** The walk of a seed over all proxy addresses, from its `index`-th step on: 65,536 steps until it repeats. */
function proxyWalk(seed: Seed, index: number): (step: number) => string {
  const stride = (hash([...seed, 'stride']) | 1) >>> 0 // odd, so it walks the whole range before it repeats
  const first = hash([...seed, 'first']) + Math.imul(stride, index)
  return (step) => address(18, (first + Math.imul(stride, step)) & (halfRange - 1))
}

/** `count` different proxy addresses (at most 65,536), the same for the same seed, from the `index`-th on. */
export function proxyAddresses(count: number, seed: Seed, index = 0): string[] {
  const walk = proxyWalk(seed, index)
  return Array.from({ length: Math.min(count, halfRange) }, (_, step) => walk(step))
}

/** One address, the same for the same seed; up to 65,536 that follow each other are different. */
export function proxyAddress(seed: Seed, index: number): string {
  return proxyWalk(seed, index)(0)
}

/** An address of a client for the service to be bound to; `taken` tells which are in use. */
export function boundAddress(seed: Seed, taken: (ip: string) => boolean): string | undefined {
  const first = hash(seed)
  const stride = hash([...seed, 'stride']) | 1 // odd, as above; steps of one would meet the same crowd
  for (let i = 0; i < halfRange; i++) {
    const ip = address(19, (first + Math.imul(stride, i)) & (halfRange - 1))
    if (!taken(ip)) return ip
  }
  return undefined
}
