import { availableParallelism } from 'node:os'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { defined } from '../lib/json.ts'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import { logLevels, type SimulatorOptions } from '../SimulatorOptions.ts'
import { UserError } from '../lib/UserError.ts'

/** Timers hold no more than 24 days. */
const longest = 86_400
const largest = 1_000_000_000

// Each refuses other texts: `--port must be a whole number from …, not "many".`
export const port = numeric('a whole number from 0 (any free port) to 65535', { most: 65_535, isWhole: true })
export const atLeastOne = numeric(`a whole number from 1 to ${largest}`, {
  most: largest,
  isWhole: true,
  isAboveZero: true,
})
export const count = numeric(`a whole number from 0 to ${largest}`, { most: largest, isWhole: true })
export const seconds = numeric(`a number of seconds, more than 0 and at most ${longest}`, {
  most: longest,
  isAboveZero: true,
})
export const secondsOrNone = numeric(`a number of seconds from 0 to ${longest}`, { most: longest })
export const percent = numeric('a number from 0 to 100', { most: 100 })
export const probability = numeric('a number from 0 to 1', { most: 1 })
export const rate = numeric('a number more than 0 and at most 100000', { most: 100_000, isAboveZero: true })

function numeric(
  words: string,
  { most, isWhole = false, isAboveZero = false }: { most: number; isWhole?: boolean; isAboveZero?: boolean },
): (text: string) => number {
  const digits = isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/
  return (text) => {
    const value = digits.test(text) ? Number(text) : NaN
    if (!(value <= most) || (isAboveZero && value === 0)) throw new InvalidArgumentError(words)
    return value
  }
}

/** For flags with several values: commas, spaces and repetition all work. */
export function list(text: string, before: readonly string[] = []): string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ]
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidArgumentError('valid JSON')
  }
}

/** Empty, as from an unset variable of a shell, it would mean something else, or nothing. */
function notEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('a login')
  return text
}

/** Parses `productSort=desc,geo=object`. The simulator checks the names. */
function assume(text: string, before: Readings = {}): Readings {
  const pairs = list(text).map((pair) => {
    const [, id, value] = /^(\w+)=(.+)$/.exec(pair) ?? []
    if (id === undefined || value === undefined)
      throw new InvalidArgumentError('an assumption and its value, such as productSort=desc')
    return [id, /^\d+(\.\d+)?$/.test(value) ? Number(value) : value] as const
  })
  return { ...before, ...Object.fromEntries(pairs) }
}

/** An option with an environment variable: `--in-memory` has PROXYSIM_IN_MEMORY unless another one is given. */
export function settable(flags: string, description: string, variable?: string): Option {
  const option = new Option(flags, description)
  return option.env(variable ?? `PROXYSIM_${option.name().replaceAll('-', '_').toUpperCase()}`)
}

export function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option)
  return command
}

/** @param summary for lists; help and docs make a sentence of it. */
export function described(command: Command, summary: string): Command {
  return command.summary(summary).description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
}

/** The command that exec, matrix and sweep run, and the reports of what it did. */
export function withCommand(command: Command, kinds: string): Command {
  command.argument('<command...>', 'what to run, after --').passThroughOptions()
  return withReport(command, kinds)
}

/** What commands that run another one several times are given. */
export interface TrialFlags extends StartFlags {
  only?: string[]
  jobs: number
  timeout?: number
  report?: string[]
  verbose?: boolean
  json?: boolean
}

/** Their flags, but for those with words of their own. */
export function withTrialFlags(command: Command): Command {
  const jobs = new Option('--jobs <n>', 'how many runs at the same time')
  jobs.default(availableParallelism(), 'the number of cores').argParser(atLeastOne)
  return command.addOption(jobs).option('--verbose', "show the command's full output")
}

/** `--report`, for what `writeReports` can write. */
export function withReport(command: Command, kinds: string): Command {
  return command.option('--report <file...>', `write reports: ${kinds}`, list).option('--json', 'print JSON')
}

export function withAccount(command: Command, description = 'the account, if there are several'): Command {
  return command.option('--account <login>', description, notEmpty)
}

/** The flags of a simulator that a command starts. */
export function withStartFlags(command: Command): Command {
  return withOptions(command, [
    settable(
      '-s, --scenario <name|file>',
      'the scenario to start from: a name (see `proxysim scenarios`) or a file',
    ),
    settable('--scenarios <dir>', 'a folder with your own scenarios'),
    settable('--contract <file>', 'an OpenAPI file to use instead of the bundled one'),
    settable(
      '--no-explain',
      'leave out Sim-Case and Sim-Reason, the headers that give the reason for an error',
    ),
    settable('--assume <id=value...>', 'switch assumptions, in every scenario: productSort=desc').argParser(
      assume,
    ),
    settable('--journal <n>', 'how many requests to keep in the journal').argParser(count).default(1000),
    settable('--log-level <level>', 'what to log to standard error; info adds a line for each request')
      .choices(logLevels)
      .default('warn'),
  ])
}

/** These flags, as parsed by commander. */
export type StartFlags = Pick<
  SimulatorOptions,
  'scenario' | 'scenarios' | 'contract' | 'explain' | 'journal' | 'logLevel'
> & { assume?: Readings }

/** The simulator's options from these flags, without other flags. */
export function startOptions(flags: StartFlags): SimulatorOptions {
  const { scenario, scenarios, contract, explain, assume: assumptions, journal, logLevel } = flags
  return defined({ scenario, scenarios, contract, explain, assumptions, journal, logLevel })
}

/**
 * For options that exclude others: a flag on the command line overrides the variables of those.
 * @param excluded the names of others by that of an option
 */
export function preferFlags(command: Command, excluded: Record<string, readonly string[]>): void {
  for (const [name, others] of Object.entries(excluded))
    command.on(`option:${name}`, () => {
      for (const { envVar } of command.options.filter((option) => others.includes(option.name())))
        if (envVar !== undefined) delete process.env[envVar]
    })
}

const on = ['1', 'true', 'yes', 'on']
const off = ['0', 'false', 'no', 'off']

/** Unlike Commander, treats empty variables as unset, and parses switches as on or off. */
export function readVariables(command: Command): void {
  for (const option of command.options) {
    const name = option.envVar
    const value = name === undefined ? undefined : process.env[name]
    if (name === undefined || value === undefined) continue
    const isSwitch = !option.required && !option.optional
    if (value === '' || (isSwitch && off.includes(value.toLowerCase()))) delete process.env[name]
    else if (isSwitch && !on.includes(value.toLowerCase()))
      command.on(`optionEnv:${option.name()}`, () => {
        throw new UserError(
          `${name} must be on (${on.join(', ')}) or off (${off.join(', ')}), not ${JSON.stringify(value)}.`,
        )
      })
  }
}
