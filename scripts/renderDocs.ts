/** Renders the generated parts of pages from the contracts, the scenarios and the command line. */
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Argument, Command, Option } from 'commander'
import { parse } from 'yaml'
import { createProgram } from '../src/cli/program.ts'
import { findingRules } from '../src/findings/findings.ts'
import { readContract, type Contract, type Schema } from '../src/contract/Contract.ts'
import { markdownTable } from '../src/report/markdown.ts'
import { exampleCall, type ExampleCall } from './exampleCall.ts'
import { library } from './renderLibrary.ts'

const root = new URL('../', import.meta.url)

interface Scenario {
  name: string
  /** Its description, without the call that demonstrates it */
  summary: string
  shown: ExampleCall
}

type Section = (contract: Contract) => string | Promise<string>

/** The sections of each page that are generated, between `<!-- generated: NAME -->` and `<!-- end of NAME -->`. */
const sections: Record<string, Record<string, Section>> = {
  'docs/scenarios.md': { scenarios: async () => others(await readScenarios()) },
  'docs/errors.md': { errors: async (contract) => errors(contract, await readScenarios()) },
  'docs/control-plane.md': {
    'control plane': async () => controlPlane(await readYaml('admin.openapi.yaml')),
  },
  'docs/assumptions.md': { assumptions, choices },
  'docs/command-line.md': { commands },
  'docs/findings.md': { findings },
  'docs/library.md': { library },
}

export const generatedPages = Object.keys(sections)

/** Returns a page with its generated sections replaced. */
export async function renderPage(path: string, raw: unknown): Promise<string> {
  const contract = readContract(structuredClone(raw))
  let page = await readFile(new URL(path, root), 'utf8')
  for (const [name, render] of Object.entries(sections[path] ?? {})) {
    const [start, end] = [`<!-- generated: ${name} -->\n`, `<!-- end of ${name} -->`]
    const [from, to] = [page.indexOf(start), page.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`${path} has no section between ${start.trim()} and ${end}`)
    page = `${page.slice(0, from + start.length)}\n${await render(contract)}\n\n${page.slice(to)}`
  }
  return page
}

async function readScenarios(): Promise<Scenario[]> {
  const files = (await readdir(new URL('scenarios/', root)))
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
  return Promise.all(
    files.map(async (file) => {
      const { description } = (await readYaml(`scenarios/${file}`)) as { description: string }
      const shown = exampleCall(description)
      if (!shown) throw new Error(`scenarios/${file}: the description names no call`)
      return { name: basename(file, '.yaml'), summary: description.slice(0, description.indexOf(':')), shown }
    }),
  )
}

async function readYaml(path: string): Promise<unknown> {
  return parse(await readFile(new URL(path, root), 'utf8'))
}

/** Renders each error of the contract once, with its operations and the scenarios that show it. */
function errors({ operations, match, assumptions: gaps }: Contract, scenarios: readonly Scenario[]): string {
  const rows = new Map<string, { name: string; status: number; text: string; given: string[] }>()
  for (const { operationId, cases, schema } of operations)
    for (const { name, status, value } of cases) {
      const row = rows.get(`${status} ${name}`) ?? { name, status, text: toText(value), given: [] }
      row.given.push(isAssumed(schema, status, gaps) ? `${operationId}\\*` : operationId)
      rows.set(`${status} ${name}`, row)
    }
  const shows = ({ shown }: Scenario, name: string, status: number): boolean => {
    const found = match(shown.method, shown.path)
    const cases = found && 'operation' in found ? found.operation.cases : []
    return shown.case === name && cases.some((one) => one.name === name && one.status === status)
  }
  return markdownTable(
    ['Case', 'Response', 'Operations', 'Scenario and example call'],
    [...rows.values()]
      .toSorted((a, b) => a.status - b.status || a.name.localeCompare(b.name))
      .map(({ name, status, text, given }) => [
        code(name),
        `${status} ${code(text)}`,
        given.length === operations.length ? all(given) : given.join(', '),
        scenarios
          .filter((scenario) => shows(scenario, name, status))
          .map((scenario) => `${link(scenario)} ${code(formatCall(scenario.shown))}`)
          .join('<br>'),
      ]),
  )
}

/** Renders the scenarios that show no error of the contract. */
function others(scenarios: readonly Scenario[]): string {
  return markdownTable(
    ['Scenario', 'Description', 'Example call'],
    scenarios
      .filter(({ shown }) => shown.case === undefined)
      .map((scenario) => [link(scenario), `${scenario.summary}.`, code(formatCall(scenario.shown))]),
  )
}

/** Renders the calls of each path and their summaries. */
function controlPlane(raw: unknown): string {
  const rows = new Map<string, { methods: string[]; summaries: string[] }>()
  for (const { method, path, schema } of readContract(raw).operations) {
    const row = rows.get(path) ?? { methods: [], summaries: [] }
    row.methods.push(method)
    row.summaries.push(String(schema['summary']))
    rows.set(path, row)
  }
  return [...rows]
    .map(
      ([path, { methods, summaries }]) =>
        `- ${code(`${methods.join('·')} ${path.replace('/__admin', '')}`)}: ${summaries.join(' · ')}`,
    )
    .join('\n')
}

function assumptions(contract: Contract): string {
  return markdownTable(
    ['Assumption', 'Gap in the documentation', 'Default', 'Alternatives'],
    contract.assumptions.map(({ id, gap, default: taken, alternatives }) => [
      code(id),
      gap,
      code(String(taken)),
      alternatives.map((one) => code(String(one))).join(', '),
    ]),
  )
}

function choices({ document }: Contract): string {
  const fixed = document['x-choices'] as Record<string, { choice: string }>
  return Object.values(fixed)
    .map(({ choice }) => `- ${choice.trim()}`)
    .join('\n')
}

/** Renders every command with its arguments and flags; flags that several commands share are listed once. */
async function commands(): Promise<string> {
  const program = await createProgram([])
  // The program adds flags only to the command that it parses.
  const loaded = await Promise.all(
    program.commands.map(async (command) => {
      const name = command.name()
      const found = (await createProgram([name])).commands.find((one) => one.name() === name) as Command
      return { group: command.helpGroup(), command: found }
    }),
  )
  const shared = sharedOptions(loaded.map(({ command }) => command))
  const groups = [...new Set(loaded.map(({ group }) => group))]
  return [
    `## Flags of several commands`,
    ...[...new Set([...shared.values()].map(listUsers))].map((users) => {
      const flags = [...shared.values()].filter((one) => listUsers(one) === users)
      return `**${users}**\n\n${flags.map(({ option }) => `- ${code(option.flags)}: ${getWords(option)}`).join('\n')}`
    }),
    ...groups.flatMap((group) => [
      group && `## ${group.replace(/:$/, '')}`,
      ...loaded
        .filter((one) => one.group === group)
        .map(({ command }) => describeCommand(command, shared, group ? '###' : '##')),
    ]),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function listUsers({ names }: { names: string[] }): string {
  return names.length > 7 ? 'Most commands' : names.join(', ')
}

type Shared = Map<string, { option: Option; names: string[] }>

/** Options that have the same flags and description in several commands, by these */
function sharedOptions(documented: readonly Command[]): Shared {
  const shared: Shared = new Map()
  for (const command of documented)
    for (const option of command.options) {
      const found = shared.get(identity(option)) ?? { option, names: [] }
      found.names.push(command.name())
      shared.set(identity(option), found)
    }
  return new Map([...shared].filter(([, { names }]) => names.length > 1))
}

function identity(option: Option): string {
  return `${option.flags} ${getWords(option)}`
}

function describeCommand(command: Command, shared: Shared, heading: string): string {
  const own = [
    ...command.registeredArguments
      .filter((argument) => argument.name() !== 'command') // commands that run one have it in common
      .map((argument) => `- ${code(argument.name())}: ${getWords(argument)}`),
    ...command.options
      .filter((option) => !shared.has(identity(option)))
      .map((option) => `- ${code(option.flags)}: ${getWords(option)}`),
  ].join('\n')
  return [
    `${heading} ${command.parent?.parent ? `${command.parent.name()} ` : ''}${command.name()}`,
    command.description(),
    own,
    ...command.commands.map((sub) => describeCommand(sub, shared, `${heading}#`)),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function getWords(one: Option | Argument): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = one
  const { envVar, negate }: Partial<Option> = 'flags' in one ? one : {}
  const notes = [
    argChoices && argChoices.map((choice) => code(choice)).join(', '),
    // A default that depends on the machine has a description.
    defaultValue !== undefined &&
      !negate &&
      `default ${defaultValueDescription ?? code(String(defaultValue))}`,
    envVar && envVar !== usualVariable(one as Option) && `environment ${code(envVar)}`,
  ].filter(Boolean)
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description
}

/** The environment variable of a flag of `serve`; the page explains the naming, so only exceptions are listed. */
function usualVariable(option: Option): string {
  return `PROXYSIM_${option.name().toUpperCase().replaceAll('-', '_')}`
}

function all(given: readonly string[]): string {
  const assumed = given.filter((operation) => operation.endsWith('*'))
  return assumed.length ? `all (${assumed.join(', ')})` : 'all'
}

/** Whether an assumption decides if or when the operation returns this error */
function isAssumed({ responses }: Schema, status: number, gaps: Contract['assumptions']): boolean {
  const marks = [(responses as Record<string, Schema>)[status]?.['x-assumed']].flat()
  return gaps.some(({ id }) => marks.includes(id))
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : String((value as { error?: unknown }).error)
}

function formatCall({ method, path, body, credentials }: ExampleCall): string {
  const as = credentials && `as ${credentials.login}:${credentials.password}`
  return [method, path, body, as].filter((part) => part !== undefined).join(' ')
}

function link({ name }: Scenario): string {
  return `[${name}](../scenarios/${name}.yaml)`
}

function code(text: string): string {
  return `\`${text}\``
}

/** The findings with their descriptions, the most severe first. */
function findings(): string {
  const rows = Object.values(findingRules).map(({ name, severity, description, advice }) => [
    `\`${name}\``,
    severity,
    `${description} ${advice}`,
  ])
  return markdownTable(['Finding', 'Severity', 'What the client does, and what it should do instead'], rows)
}
