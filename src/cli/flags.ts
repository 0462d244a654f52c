import { extname } from 'node:path'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { isoDuration } from '../lib/duration.ts'
import { pickDefined, findLostKey, parseJson } from '../lib/json.ts'
import { readText } from '../lib/files.ts'
import { UserError, using } from '../lib/UserError.ts'
import { logLevels, type SimulatorOptions } from '../SimulatorOptions.ts'

// Parsers of flags. Commander puts the flag and the value in front of their errors.
export const parsePort = numberParser(0, 65_535, 'a whole number')
export const parseCount = numberParser(0, 1_000_000_000, 'a whole number')
export const parsePositive = numberParser(1, 1_000_000_000, 'a whole number')
export const parsePercent = numberParser(0, 100)

/** Creates a parser for numbers in a range. @param max for durations, at most 24 days, because timers don't support more */
export function numberParser(
  min: number,
  max: number,
  kind: 'a number' | 'a whole number' = 'a number',
): (text: string) => number {
  const digits = kind === 'a number' ? /^\d+(\.\d+)?$/ : /^\d+$/
  return (text) => {
    const value = digits.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be ${kind} from ${min} to ${max}.`)
  }
}

/** Parses a flag with several values, separated by commas or spaces, or repeated. */
export function parseList(text: string, before: readonly string[] = []): string[] {
  const items = text.split(',').map((item) => item.trim())
  return [...before, ...items.filter((item) => item !== '')]
}

/** Creates a parser for JSON. @param example a valid value, for the message */
export function jsonParser(example: string): (text: string) => unknown {
  return (text) => {
    const value = parseJson(text)
    if (value === undefined) throw new InvalidArgumentError(`It must be JSON such as '${example}'.`)
    const lost = findLostKey(text, value)
    if (lost !== undefined) throw new InvalidArgumentError(`${lost}.`)
    return value
  }
}

/** Parses an ISO 8601 duration, or a short form such as 10m, 3h or 2d. */
export function parseDuration(text: string): string {
  const iso = isoDuration(text)
  if (!/^P/i.test(iso))
    throw new InvalidArgumentError('It must be a duration such as 10m, 3h, 2d or PT1H30M.')
  return iso
}

/** Creates a parser for `id=5001,session=007`. @param expected noun phrase for one pair */
export function textAssignmentParser(expected: string) {
  return (text: string, before: Record<string, string> = {}): Record<string, string> => {
    const pairs = parseList(text).map((pair) => {
      const [, name, value] = /^(\w+)=(.+)$/.exec(pair) ?? []
      if (name === undefined || value === undefined) throw new InvalidArgumentError(`It must be ${expected}.`)
      return [name, value] as const
    })
    return { ...before, ...Object.fromEntries(pairs) }
  }
}

/** Creates a parser for `productSort=desc,updateListInterval=60`. @param expected noun phrase for one pair */
export function assignmentParser(expected: string) {
  const parse = textAssignmentParser(expected)
  return (text: string, before: Record<string, string | number> = {}): Record<string, string | number> => {
    const values = Object.entries(parse(text)).map(([name, value]) => [
      name,
      /^\d+(\.\d+)?$/.test(value) ? Number(value) : value,
    ])
    return { ...before, ...Object.fromEntries(values) }
  }
}

/**
 * Creates an option that an environment variable can set: PROXYSIM_IN_MEMORY for `--in-memory`.
 * @param setting the library's option that it sets, which errors name. @default the flag's name
 */
export function envOption(flags: string, description: string, setting?: string): Option {
  const option = new Option(flags, description)
  if (setting !== undefined) option.attributeName = () => setting
  return option.env(`PROXYSIM_${option.name().replaceAll('-', '_').toUpperCase()}`)
}

export function withOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option)
  return command
}

/** Sets the summary of a command, and the same text as a sentence for its help and the docs. */
export function describeCommand(command: Command, summary: string): Command {
  return command.summary(summary).description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
}

/** Where `proxysim serve` listens by default */
export const defaultUrl = 'http://127.0.0.1:4010'

/** Formats of reports that `writeReports` supports and CI systems read. */
export const reportKinds = '.md, .json, .xml (JUnit)'

/** Creates a parser for report files. @param kinds their extensions: `.md, .xml (JUnit)` */
export function reportParser(kinds = reportKinds) {
  const extensions: readonly string[] = kinds.match(/\.\w+/g) ?? []
  return (text: string, before?: readonly string[]): string[] => {
    if (!parseList(text).every((file) => extensions.includes(extname(file))) || text.trim() === '')
      throw new InvalidArgumentError(`It must end in one of: ${kinds}.`)
    return parseList(text, before)
  }
}

/** Creates a parser for the name of a file to write. `-` is refused, too: results go to standard output without a flag. */
function outputParser(expected: string, pattern: RegExp): (file: string) => string {
  return (file) => {
    if (pattern.test(file)) return file
    throw new InvalidArgumentError(`It must end in ${expected}.`)
  }
}

export const parseScenarioFile = outputParser('.yaml or .json', /\.(?:ya?ml|json)$/)
export const parseYamlFile = outputParser('.yaml', /\.ya?ml$/)
export const parseHarFile = outputParser('.har or .json', /\.(?:har|json)$/)

export function withAccount(command: Command, description = 'the account, if there are several'): Command {
  return command.addOption(envOption('--account <login>', description))
}

/** Heading of the flags that start a simulator, in other commands than `serve`, whose help doesn't list them */
export const simulatorFlags = 'The simulator:'

/** Adds the flags of commands that start a simulator. */
export function withStartFlags(command: Command): Command {
  return withOptions(
    command,
    envOption(
      '-s, --scenario <name|file>',
      'the scenario to start from: a name (see `proxysim scenarios`) or a file',
    ),
    envOption('--scenarios <dir>', 'a folder with your own scenarios'),
    envOption(
      '--no-explain',
      'leave out Sim-Case and Sim-Reason, the headers that give the reason for an error',
    ),
    envOption(
      '--assume <id=value...>',
      'set assumptions for every scenario, such as productSort=desc',
      'assumptions',
    ).argParser(assignmentParser('an assumption and its value, such as productSort=desc')),
    envOption(
      '--allowed-host <name...>',
      'additional host names to accept; .example.com includes its subdomains',
      'allowedHosts',
    ).argParser(parseList),
    envOption('--cors <origin...>', 'origins whose pages may call /api').argParser(parseList),
    envOption('--tls-cert <file>', 'serve https with this certificate (PEM)', 'tls.cert'),
    envOption('--tls-key <file>', 'the private key of the certificate (PEM)', 'tls.key'),
    envOption(
      '--override <file>',
      'a module that exports functions, named after operations, that change responses (docs/extend.md)',
      'overrides',
    ),
    envOption('--journal <n>', 'number of requests to keep in the journal')
      .argParser(parseCount)
      .default(1000),
    envOption('--log-level <level>', 'log level for standard error; info adds a line for each request')
      .choices(logLevels)
      .default('warn'),
  )
}

/** The simulator's options that have a flag with one value */
const settings = [
  'scenario',
  'scenarios',
  'allowedHosts',
  'cors',
  'explain',
  'assumptions',
  'overrides',
  'journal',
  'logLevel',
] as const

/** The parsed flags of `withStartFlags`, by the names of the options that they set. */
export type StartFlags = Pick<SimulatorOptions, (typeof settings)[number]> & {
  'tls.cert'?: string
  'tls.key'?: string
}

/** Converts flags to the simulator's options. @throws UserError if a TLS file can't be read */
export async function toSimulatorOptions(flags: StartFlags): Promise<SimulatorOptions> {
  const values = Object.fromEntries(settings.map((name) => [name, flags[name]]))
  return pickDefined({ ...values, tls: await readTls(flags) })
}

async function readTls({ 'tls.cert': cert, 'tls.key': key }: StartFlags): Promise<SimulatorOptions['tls']> {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ['key', 'cert'] : ['cert', 'key']
    throw new UserError(`--tls-${given} needs --tls-${missing}.`, {
      advice: `Add --tls-${missing} FILE.`,
      options: [`tls.${given}`],
    })
  }
  return {
    cert: await using('tls.cert', () => readText(cert)),
    key: await using('tls.key', () => readText(key)),
  }
}

/** Deletes environment variables that are empty, or that switch a flag off. Commander would treat them as set. */
export function normalizeVariables({ options }: Command): void {
  for (const option of options) {
    // PROXYSIM_PORT takes precedence over PORT. Kubernetes sets it to tcp://… for a service named proxysim.
    const ownVariable = `PROXYSIM_${option.envVar}`
    const own = /^(?:PORT|HOST)$/.test(option.envVar ?? '') ? process.env[ownVariable] : undefined
    if (own && !own.startsWith('tcp://')) option.env(ownVariable)
  }
  for (const { envVar = '', required, optional } of options) {
    const value = process.env[envVar]
    const isSwitch = !required && !optional
    if (value === '' || (isSwitch && /^(0|false|no|off)$/i.test(value ?? ''))) delete process.env[envVar]
    else if (isSwitch && value !== undefined && !/^(1|true|yes|on)$/i.test(value))
      throw new UserError(`${envVar} must be 1 or 0, not ${JSON.stringify(value)}.`)
  }
}
