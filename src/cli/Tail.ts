/** Keeps the end of a command's output. */
export class Tail {
  readonly #most: number
  #text = ''

  /** @param most minimum number of characters to keep */
  constructor(most = 16_384) {
    this.#most = most
  }

  add(text: string): void {
    this.#text += text
    if (this.#text.length > 2 * this.#most) this.#text = this.#text.slice(-this.#most)
  }

  lines(most: number): string[] {
    const text = this.#text.trimEnd()
    return text === '' ? [] : text.split(/\r?\n/).slice(-most)
  }
}
