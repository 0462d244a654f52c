/** The end of what a command printed. */
export class Tail {
  readonly #most: number
  #text = ''

  /** @param most Characters that are kept at least */
  constructor(most = 16_384) {
    this.#most = most
  }

  add(text: string): void {
    this.#text += text
    if (this.#text.length > 2 * this.#most) this.#text = this.#text.slice(-this.#most)
  }

  lines(most: number): string[] {
    return this.#text.trimEnd().split(/\r?\n/).slice(-most)
  }
}
