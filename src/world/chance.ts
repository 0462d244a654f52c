/** All that a generated value depends on, so the same seed gives the same world. */
export type Seed = readonly (string | number)[]

/** A 32-bit hash of the parts (FNV-1a with a final mix). */
export function hash(parts: Seed): number {
  return mixed(hashedParts(parts))
}

const basis = 0x811c9dc5
const prime = 0x01000193

/** Hashes the parts as if joined by NUL characters, without building that string. */
function hashedParts(parts: Seed): number {
  let h = basis
  for (let i = 0; i < parts.length; i++) h = hashed(String(parts[i]), i === 0 ? h : Math.imul(h, prime))
  return h
}

function hashed(text: string, before: number): number {
  let h = before
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), prime)
  return h
}

function mixed(hashed32: number): number {
  let h = hashed32
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** A number from 0 (inclusive) to 1 (exclusive), determined by the seed. */
export function fraction(seed: Seed): number {
  return hash(seed) / 2 ** 32
}

export function pick<T>(choices: readonly T[], seed: Seed): T {
  return choices[hash(seed) % choices.length] as T
}

/** `length` characters of `alphabet`. */
export function letters(length: number, alphabet: string, seed: Seed): string {
  const start = Math.imul(hashedParts(seed), prime) // `hash([...seed, i])`, with the common prefix hashed once
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[mixed(hashed(String(i), start)) % alphabet.length]
  return text
}

/**
 * Picks one of the choices (jump consistent hash, Lamping and Veach 2014): a choice added at the end takes over its
 * share, and all other picks stay the same.
 */
export function pickSteadily<T>(choices: readonly T[], seed: Seed): T | undefined {
  let [chosen, next] = [0, 0]
  for (let jump = 0; next < choices.length; jump++) {
    chosen = next
    next = Math.floor((chosen + 1) / (1 - fraction([...seed, jump])))
  }
  return choices[chosen]
}
