import { CommanderError, type Command } from 'commander'
import { UserError } from '../UserError.ts'
import { ExitCode } from './ExitCode.ts'

/** Tells on standard error what went wrong, in one line and without a stack. @returns the exit code */
export function failed(error: unknown, program: Command): number {
  // Commander has said it already; help and version come this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof UserError)
    process.stderr.write(`proxysim: ${oneLine(message)}${variablesIn(message, program)}\n`)
  else if (process.env['PROXYSIM_DEBUG']) process.stderr.write(`${stack}\n`)
  else
    process.stderr.write(
      `proxysim: unexpected error, probably a bug in proxysim: ${oneLine(message)} (PROXYSIM_DEBUG=1 shows the stack)\n`,
    )
  return ExitCode.usage
}

/** Who set a variable long ago, or in another file, needs to be told that it is where the value comes from. */
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

/** The first line, and how many more there are. */
function oneLine(message: string): string {
  const [first = '', ...more] = message.split('\n').filter((line) => line.trim() !== '')
  return more.length ? `${first} (and ${more.length} more)` : first
}
