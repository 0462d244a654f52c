/** What a made-up value depends on: nothing else, so the same seed gives the same world. */
export type Seed = readonly (string | number)[]

/** A 32-bit hash of the parts (FNV-1a with a final mix). */
export function hash(parts: Seed): number {
  return mixed(hashed(parts.join('\u0000')))
}

function hashed(text: string, before = 0x811c9dc5): number {
  let h = before
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
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
  const start = hashed(`${seed.join('\u0000')}\u0000`) // `hash([...seed, i])`, with what is alike hashed once
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[mixed(hashed(String(i), start)) % alphabet.length]
  return text
}
