import { CommanderError, type Command } from 'commander'
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
    if (error instanceof UserError) {
      const message = formatError(error)
      printMessage(variablePrefix(executed, message) + message)
    } else if ((error as NodeJS.ErrnoException).syscall === 'uv_cwd')
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

/** Phrases in the library's messages, and their replacements with flags */
const flagsFor = {
  'Choose one with { account }': 'Choose one with --account',
  'use the URL of a running one': 'set the URL of a running one (--url, PROXYSIM_URL)',
  'Pass the admin token instead': 'Pass the admin token instead (--admin-token, PROXYSIM_ADMIN_TOKEN)',
  'or choose another port; 0 picks a free one': 'or choose another port with --port; 0 picks a free one',
  'Choose one above 1023': 'Choose one above 1023 with --port',
  'Choose another host or port': 'Choose another with --host or --port',
  'Choose another host.': 'Choose another with --host.',
  'The admin token must': 'The admin token (--admin-token) must',
  'The URL of a simulator must': 'The URL of a simulator (--url) must',
  'Choose an existing folder': 'Choose an existing folder with --scenarios',
  'The TLS certificate and its key': 'The TLS certificate (--tls-cert) and its key (--tls-key)',
  'Set an admin token': 'Set an admin token with --admin-token',
  'The allowed host': 'The allowed host (--allowed-host)',
  'or use another file': 'or name another file with --db',
  'Use another file': 'Name another file with --db',
}

/** Returns the error's message in one line, with flags instead of the library's options. */
function formatError(error: UserError): string {
  const isUnauthorized = 'status' in error && error.status === 401
  const message = isUnauthorized
    ? 'The admin token is missing or wrong. Use the one that the simulator was started with: --admin-token or PROXYSIM_ADMIN_TOKEN.'
    : toOneLine(error.message)
  return Object.entries(flagsFor).reduce((text, [option, flag]) => text.replace(option, () => flag), message)
}

/** Names the environment variable that a value or flag in the message comes from. Users may not know that it is set. */
function variablePrefix(command: Command | undefined, message: string): string {
  const source = command?.options.find((option) => {
    const values = process.env[option.envVar ?? '']?.split(',') ?? []
    const isFromEnv = command.getOptionValueSource(option.attributeName()) === 'env'
    return (
      isFromEnv && (message.includes(option.long ?? '\n') || values.some((one) => mentions(one, message)))
    )
  })
  return source ? `${source.envVar} in the environment: ` : ''
}

/** Whether a message contains a value, or its name: `productSort` of `productSort=dsc`. */
function mentions(value: string, message: string): boolean {
  const [name = ''] = value.split('=', 1)
  return name !== '' && message.includes(name)
}

/** Returns the first line, and the number of further lines. */
function toOneLine(message: string): string {
  const [first = '', ...more] = message.split('\n').filter((line) => line.trim() !== '')
  return more.length ? `${first} (and ${more.length} more)` : first
}
