import { existsSync } from 'node:fs'
import { CommanderError, type Command } from 'commander'
import { shipped } from '../packageRoot.ts'
import { UserError } from '../UserError.ts'
import { ExitCode } from './ExitCode.ts'

/** Reports an error on standard error, in one line and without a stack trace. @returns the exit code */
export async function failed(error: unknown, program: Command): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return ExitCode.ok // help and version also end up here
    process.stderr.write(`proxysim: ${await usageMessage(error, program)}\n`)
    return ExitCode.usage
  }
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

/** Commander's message without its jargon, and in one line: it has `(Did you mean --port?)` in another one. */
async function usageMessage({ message }: CommanderError, program: Command): Promise<string> {
  const line = message
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')
  const [, value, argument = '', choices] =
    /^command-argument value '(.*)' is invalid for argument '(\w+)'\. Allowed choices are (.*)\.$/.exec(
      line,
    ) ?? []
  if (value !== undefined && choices !== undefined) {
    const { didYouMean } = await import('../world/nearest.ts')
    const near = didYouMean(value, choices.split(', ')) || '.'
    return `unknown ${argument} ${JSON.stringify(value)}${near} Choose one of: ${choices}.`
  }
  if (line === "missing required argument 'command'")
    return `${line}; put the command after --, e.g. proxysim ${program.args[0]} -- npm test`
  const [, name] = /^unknown command '(.*?)'/.exec(line) ?? []
  if (name === undefined) return line
  if (/^[\w-]+$/.test(name) && existsSync(shipped(`scenarios/${name}.yaml`)))
    return `unknown command '${name}'; that is a scenario: proxysim --scenario ${name}`
  return line.includes('Did you mean') ? line : `${line}; proxysim --help lists the commands`
}

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
