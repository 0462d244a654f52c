import { constants } from 'node:os'

/** Signals that end a program. Nodemon sends SIGUSR2. */
export const endSignals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'] as const

/** Returns the exit code that shells use for a command that a signal ended. */
export function toExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}
