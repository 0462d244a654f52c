import { constants } from 'node:os'

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The signals that we are sent while commands run: they are for the commands, and for us when these have ended. */
export class Signals {
  /** The last one */
  received: NodeJS.Signals | undefined
  readonly #listeners = new Set<(signal: NodeJS.Signals) => void>()

  constructor() {
    for (const name of names) process.on(name, this.#tell)
  }

  readonly #tell = (signal: NodeJS.Signals): void => {
    this.received = signal
    for (const listener of this.#listeners) listener(signal)
  }

  /** @returns stops listening */
  on(listener: (signal: NodeJS.Signals) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The code that a shell gives what such a signal ended; undefined if none came */
  get exitCode(): number | undefined {
    return this.received && 128 + constants.signals[this.received]
  }

  /** Signals end us again. */
  release(): void {
    for (const name of names) process.off(name, this.#tell)
  }
}
