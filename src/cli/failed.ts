import { CommanderError } from 'commander'
import { UserError } from '../UserError.ts'
import { ExitCode } from './ExitCode.ts'

/** Tells on standard error what went wrong, in one line and without a stack. @returns the exit code */
export function failed(error: unknown): number {
  // Commander has said it already; help and version come this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof UserError) process.stderr.write(`proxysim: ${oneLine(message)}\n`)
  else if (process.env['PROXYSIM_DEBUG']) process.stderr.write(`${stack}\n`)
  else
    process.stderr.write(
      `proxysim: unexpected, and probably a bug of ours: ${oneLine(message)} (PROXYSIM_DEBUG=1 shows where)\n`,
    )
  return ExitCode.usage
}

/** The first line, and how many more there are. */
function oneLine(message: string): string {
  const [first = '', ...more] = message.split('\n').filter((line) => line.trim() !== '')
  return more.length ? `${first} (and ${more.length} more)` : first
}
