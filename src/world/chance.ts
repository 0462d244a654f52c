/** What a made-up value depends on: nothing else, so the same seed gives the same world. */
export type Seed = readonly (string | number)[]

/** A 32-bit hash of the parts (FNV-1a with a final mix). */
export function hash(parts: Seed): number {
  return mixed(hashedParts(parts))
}

const basis = 0x811c9dc5
const prime = 0x01000193

/** Of the parts with a character 0 between them; the text of them all is not made. */
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

/** A number from 0 (in) to 1 (out) that depends on the seed alone. */
export function fraction(seed: Seed): number {
  return hash(seed) / 2 ** 32
}

/** One of the choices. */
export function pick<T>(choices: readonly T[], seed: Seed): T {
  return choices[hash(seed) % choices.length] as T
}

/** `length` characters of `alphabet`. */
export function letters(length: number, alphabet: string, seed: Seed): string {
  const start = Math.imul(hashedParts(seed), prime) // `hash([...seed, i])`, with what is alike hashed once
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[mixed(hashed(String(i), start)) % alphabet.length]
  return text
}

/**
 * One of the choices (jump consistent hash, Lamping and Veach 2014): one more at the end takes its share of what is
 * chosen, and all else stays as it was.
 */
export function pickSteadily<T>(choices: readonly T[], seed: Seed): T | undefined {
  let [chosen, next] = [0, 0]
  for (let jump = 0; next < choices.length; jump++) {
    chosen = next
    next = Math.floor((chosen + 1) / (1 - fraction([...seed, jump])))
  }
  return choices[chosen]
}
