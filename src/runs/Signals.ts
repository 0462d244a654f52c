import { constants } from 'node:os'

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Signals that arrive while commands run: they are forwarded to the commands, and take effect on us afterwards. */
export class Signals {
  /** The most recent one */
  received: NodeJS.Signals | undefined
  readonly #listeners = new Set<(signal: NodeJS.Signals) => void>()

  /** Catches signals until the work is done. */
  static async during<T>(work: (signals: Signals) => Promise<T>): Promise<T> {
    const signals = new Signals()
    const forward = (signal: NodeJS.Signals): void => {
      signals.received = signal
      for (const listener of signals.#listeners) listener(signal)
    }
    for (const name of names) process.on(name, forward)
    try {
      return await work(signals)
    } finally {
      for (const name of names) process.off(name, forward)
    }
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
}
