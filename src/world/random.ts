/** The inputs that a generated value is derived from. Equal seeds give equal values. */
export type Seed = readonly (string | number)[]

const basis = 0x811c9dc5
const prime = 0x01000193

/** FNV-1a. @param initial the hash of the preceding text */
function fnv(text: string, initial = basis): number {
  let h = initial
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), prime)
  return h
}

/** The finalizer of MurmurHash3. */
function finalize(hashed: number): number {
  let h = hashed
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** The hash of the parts, with NUL between them */
function fnvHash(parts: Seed): number {
  let h = basis
  for (let i = 0; i < parts.length; i++) h = fnv(String(parts[i]), i === 0 ? h : Math.imul(h, prime))
  return h
}

/** A 32-bit hash of the parts. */
export function hash(parts: Seed): number {
  return finalize(fnvHash(parts))
}

/** A number from 0 (inclusive) to 1 (exclusive), determined by the seed. */
export function fraction(seed: Seed): number {
  return hash(seed) / 2 ** 32
}

export function pick<T>(choices: readonly T[], seed: Seed): T {
  return choices[hash(seed) % choices.length] as T
}

/** `length` random characters from `alphabet`. */
export function randomString(length: number, alphabet: string, seed: Seed): string {
  const prefix = Math.imul(fnvHash(seed), prime) // `hash([...seed, i])`, with the common part hashed once
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[finalize(fnv(String(i), prefix)) % alphabet.length]
  return text
}
