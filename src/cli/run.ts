import { CommanderError, type Command, type Option } from 'commander'
import { UserError } from '../lib/UserError.ts'
import { warnAboutUnknownVariables } from './environment.ts'
import { ExitCode } from './ExitCode.ts'
import { printMessage } from './output.ts'
import { createProgram } from './program.ts'

/** Runs the command line, and sets the exit code of the process. */
export async function run(rawArgs: readonly string[]): Promise<void> {
  let executed: Command | undefined
  warnAboutUnknownVariables()
  try {
    const args = withHelpFlag(rawArgs)
    const program = await createProgram(args)
    program.hook('preAction', (_program, command) => void (executed = command))
    // Reports `lod --help` like `lod`. Commander would print the help of `proxysim`.
    const [named] = args
    const isCommand = program.commands.some((one) => one.name() === named)
    const isUnknown = named !== undefined && !named.startsWith('-') && !isCommand
    await program.parseAsync(isUnknown ? [named] : args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return // help and version also throw
    process.exitCode = ExitCode.couldNotRun
    if (error instanceof UserError) printMessage(formatError(error, executed))
    else if ((error as NodeJS.ErrnoException).syscall === 'uv_cwd')
      printMessage('The working directory no longer exists. Change to another one.')
    else if (isSystemError(error))
      printMessage(
        `The system refused a step: ${toOneLine(error.message)}. Check that the path exists and can be used, and TMPDIR if it is a temporary file.`,
      )
    else if (process.env['PROXYSIM_DEBUG']) process.stderr.write(`${(error as Error).stack}\n`)
    else
      printMessage(
        `Unexpected error, probably a bug in proxysim: ${toOneLine(String(error))} (PROXYSIM_DEBUG=1 shows the stack)`,
      )
  }
}

/** Whether a call to the operating system failed, because of a missing file, a permission or a limit. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { syscall, code, errno } = error as NodeJS.ErrnoException
  return syscall !== undefined && code !== undefined && errno !== undefined
}

/** Rewrites `help faults add` and `--help faults add` to `faults --help add`, and `help` alone to `--help`. */
function withHelpFlag(args: readonly string[]): readonly string[] {
  const [first = '', command = '', ...others] = args
  if (!['help', '-h', '--help'].includes(first)) return args
  return command === '' || command === 'help' || command.startsWith('-')
    ? ['--help']
    : [command, '--help', ...others]
}

/**
 * Returns the error's message in one line. Names the flag or environment variable that a value comes from, and the flags that would
 * help.
 */
function formatError({ message, options }: UserError, command: Command | undefined): string {
  const known = [...(command?.options ?? []), ...(command?.parent?.options ?? [])]
  const named = known.filter((option) => options.includes(option.attributeName()))
  const fromSource = (...sources: (string | undefined)[]): Option[] =>
    named.filter((one) => sources.includes(command?.getOptionValueSourceWithGlobals(one.attributeName())))
  const [variable] = fromSource('env')
  const [typed] = fromSource('cli')
  const flags = fromSource('default', undefined).map(({ long }) => long)
  const flag = typed?.long && !message.includes(typed.long) ? `${typed.long}: ` : ''
  const prefix = variable ? `${variable.envVar} in the environment: ` : flag
  const suffix = flags.length > 0 ? ` (${flags.join(', ')})` : ''
  return prefix + toOneLine(message).replace(/\.?$/, (stop) => suffix + stop)
}

/** Returns the first line, and the number of further lines. */
function toOneLine(message: string): string {
  const [first = '', ...more] = message.split('\n').filter((line) => line.trim() !== '')
  return more.length ? `${first} (and ${more.length} more)` : first
}
