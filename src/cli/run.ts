import { CommanderError } from 'commander'
import { UserError } from '../lib/UserError.ts'
import { ExitCode } from './ExitCode.ts'
import { say } from './output.ts'
import { createProgram } from './program.ts'

/** Runs the command line, and sets the exit code of the process. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    const program = await createProgram(args)
    // `help lod` is a mistake like `lod`; commander would show the whole help.
    const [first, named] = args
    const isUnknown = named !== undefined && !program.commands.some((one) => one.name() === named)
    await program.parseAsync(first === 'help' && isUnknown ? args.slice(1) : args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return // help and version also end up here
    process.exitCode = ExitCode.usage
    if (error instanceof UserError) say(messageOf(error))
    else if (process.env['PROXYSIM_DEBUG']) process.stderr.write(`${(error as Error).stack}\n`)
    else
      say(
        `Unexpected error, probably a bug in proxysim: ${oneLine(String(error))} (PROXYSIM_DEBUG=1 shows the stack)`,
      )
  }
}

/** In one line, and in words of the command line instead of HTTP's. */
function messageOf(error: UserError): string {
  const isLockedOut = 'status' in error && error.status === 401
  const message = isLockedOut
    ? 'The admin token is missing or wrong. Use the one that the simulator was started with: --admin-token or PROXYSIM_ADMIN_TOKEN.'
    : oneLine(error.message)
  return message.replace('?account=LOGIN', '--account')
}

/** The first line, and the number of others. */
function oneLine(message: string): string {
  const [first = '', ...more] = message.split('\n').filter((line) => line.trim() !== '')
  return more.length ? `${first} (and ${more.length} more)` : first
}
