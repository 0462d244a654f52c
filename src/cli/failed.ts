import { CommanderError, type Command } from 'commander'
import { UserError } from '../UserError.ts'
import { ExitCode } from './ExitCode.ts'

/** Reports an error on standard error, in one line and without a stack trace. @returns the exit code */
export function failed(error: unknown, program: Command): number {
  // Commander has reported it already; help and version also end up here.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage
  const { message: reason, stack } = error instanceof Error ? error : new Error(String(error))
  const isLockedOut = error instanceof UserError && 'status' in error && error.status === 401
  const message = isLockedOut ? lockedOut : reason
  if (error instanceof UserError)
    process.stderr.write(`proxysim: ${oneLine(message)}${variablesIn(message, program)}\n`)
  else if (process.env['PROXYSIM_DEBUG']) process.stderr.write(`${stack}\n`)
  else
    process.stderr.write(
      `proxysim: unexpected error, probably a bug in proxysim: ${oneLine(message)} (PROXYSIM_DEBUG=1 shows the stack)\n`,
    )
  return ExitCode.usage
}

/** The simulator's own message names headers. */
const lockedOut =
  'The admin token is missing or wrong. Use the one that the simulator was started with: --admin-token or PROXYSIM_ADMIN_TOKEN.'

/** Points out environment variables that an error comes from, as they may have been set long ago or elsewhere. */
function variablesIn(message: string, { commands }: Command): string {
  const named = commands.flatMap((command) =>
    command.options.flatMap((option) => {
      const value = option.envVar === undefined ? undefined : process.env[option.envVar]
      const isTaken = command.getOptionValueSource(option.attributeName()) === 'env'
      return isTaken && !option.isBoolean() && value !== undefined && message.includes(value)
        ? [option.envVar]
        : []
    }),
  )
  return named.length ? ` (set by ${named.join(', ')})` : ''
}

/** The first line, and the number of others. */
function oneLine(message: string): string {
  const [first = '', ...more] = message.split('\n').filter((line) => line.trim() !== '')
  return more.length ? `${first} (and ${more.length} more)` : first
}
