/** Minimum length of a text to search for. Shorter texts also occur by chance. */
export const minLength = 4

/** Replaces known texts anywhere in a text. The cost doesn't depend on the number of known texts. */
export class KnownTexts {
  readonly #replacements = new Map<string, string>()
  /** Hash of the first characters → lengths of the known texts, longest first */
  readonly #lengths = new Map<number, number[]>()

  add(text: string, replacement: string): void {
    if (text.length < minLength) return
    let hash = 0
    for (let at = 0; at < minLength; at++) hash = nextHash(hash, text, at)
    const lengths = new Set(this.#lengths.get(hash)).add(text.length)
    this.#lengths.set(
      hash,
      [...lengths].toSorted((a, b) => b - a),
    )
    this.#replacements.set(text, replacement)
  }

  replace(text: string): string {
    if (this.#replacements.size === 0) return text
    let safe = ''
    let done = 0
    for (let at = 0, hash = 0; at < text.length; at++) {
      hash = nextHash(hash, text, at)
      const start = at - minLength + 1
      if (start < done) continue
      const isKnown = (length: number): boolean => this.#replacements.has(text.slice(start, start + length))
      const length = this.#lengths.get(hash)?.find(isKnown)
      if (length === undefined) continue
      safe += text.slice(done, start) + this.#replacements.get(text.slice(start, start + length))
      done = start + length
    }
    return safe + text.slice(done)
  }
}

/** The hash of the four characters that end at `at`; older characters are shifted out. */
function nextHash(hash: number, text: string, at: number): number {
  return (hash << 8) ^ text.charCodeAt(at)
}
