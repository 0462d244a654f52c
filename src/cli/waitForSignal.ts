import { endSignals, toExitCode } from '../lib/signals.ts'

/** Resolves with the first signal that should end the process. A second one ends it immediately, with 128 plus its number. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false
    for (const signal of endSignals)
      process.on(signal, () => {
        if (isStopping) process.exit(toExitCode(signal))
        isStopping = true
        resolve(signal)
      })
  })
}
