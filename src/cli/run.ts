import { CommanderError, type Command, type Option } from 'commander'
import { UserError } from '../lib/UserError.ts'
import { ExitCode } from './ExitCode.ts'
import { printMessage } from './output.ts'
import { createProgram } from './program.ts'

/** The settings in the environment: PROXYSIM_DEBUG, and those of flags. A test compares them with the flags of all commands. */
export const settings: readonly string[] =
  'ACCEPT_EDITS ACCOUNT ADMIN_TOKEN ALLOWED_HOST ASSUME CORS DB DEBUG DRAIN HOST IN_MEMORY JOURNAL LOG_LEVEL NO_EXPLAIN OVERRIDE PORT QUIET SCENARIO SCENARIOS STORE STORE_PREFIX TLS_CERT TLS_KEY URL'
    .split(' ')
    .map((name) => `PROXYSIM_${name}`)

/** Variables for the commands that exec, matrix and sweep run, and those that Kubernetes sets for a service named proxysim */
const others = /^PROXYSIM_(?:LOGIN|PASSWORD|RUN_DIR|WORKER|FAULT|INTERPRETATION|SERVICE_.*|PORT_.*)$/

/** Warns about variables that look like a setting, but are none. A typo would otherwise be ignored. */
function warnAboutUnknownVariables(): void {
  const unknown = Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('PROXYSIM_') && value !== '' && !settings.includes(name) && !others.test(name)
      ? [name]
      : [],
  )
  if (unknown.length > 0)
    printMessage(`Warning: not a setting, so ignored in the environment: ${unknown.join(', ')}.`)
}

/** Runs the command line, and sets the exit code of the process. */
export async function run(args: readonly string[]): Promise<void> {
  let executed: Command | undefined
  warnAboutUnknownVariables()
  try {
    const program = await createProgram(args)
    program.hook('preAction', (_program, command) => void (executed = command))
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return // help and version also throw
    process.exitCode = ExitCode.couldNotRun
    if (error instanceof CommanderError) printMessage(formatUsageError(error, args))
    else if (error instanceof UserError) printMessage(formatError(error, executed))
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

/** Returns commander's message in one line, with a reference to the help if it suggests nothing. */
function formatUsageError({ code, message }: CommanderError, [name = '']: readonly string[]): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  // npm takes `--port` itself, and passes its value on as the name of a command.
  if (code === 'commander.unknownCommand' && process.env['npm_lifecycle_event'] === 'start')
    return `${text.replace(/\.?$/, '.')} npm passes on only flags after --: npm start -- --port 4020`
  if (code === 'commander.invalidArgument' || text.endsWith('?)')) return text
  const isCommand = /^[a-z]+$/.test(name) && code !== 'commander.unknownCommand'
  return `${text.replace(/\.?$/, '.')} See \`proxysim ${isCommand ? `${name} ` : ''}--help\`.`
}

/** Whether a call to the operating system failed, because of a missing file, a permission or a limit. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { syscall, code, errno } = error as NodeJS.ErrnoException
  return syscall !== undefined && code !== undefined && errno !== undefined
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
