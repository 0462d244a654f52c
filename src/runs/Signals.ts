import { constants } from 'node:os'

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Catches signals while commands run: they are forwarded to the commands, and take effect on us afterwards. */
export class Signals {
  /** The most recent one */
  received: NodeJS.Signals | undefined
  readonly #listeners = new Set<(signal: NodeJS.Signals) => void>()

  constructor() {
    for (const name of names) process.on(name, this.#forward)
  }

  readonly #forward = (signal: NodeJS.Signals): void => {
    this.received = signal
    for (const listener of this.#listeners) listener(signal)
  }

  /** @returns unsubscribes */
  on(listener: (signal: NodeJS.Signals) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The exit code that shells use for this signal; undefined if there was none */
  get exitCode(): number | undefined {
    return this.received && 128 + constants.signals[this.received]
  }

  /** Restores the default handling. */
  release(): void {
    for (const name of names) process.off(name, this.#forward)
  }
}
