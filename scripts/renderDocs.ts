/** Renders the generated parts of pages from the contracts, the scenarios and the command line. */
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Argument, Command, Option } from 'commander'
import { parse } from 'yaml'
import { createProgram } from '../src/cli/program.ts'
import { findingRules } from '../src/findings/findings.ts'
import { readContract, type Contract, type Schema } from '../src/contract/Contract.ts'
import { markdownTable } from '../src/report/markdown.ts'
import { parseExampleCall, type ExampleCall } from './exampleCall.ts'
import { renderLibrary } from './renderLibrary.ts'

const root = new URL('../', import.meta.url)

interface Scenario {
  name: string
  /** The description without its example call */
  summary: string
  call: ExampleCall
}

type Section = (contract: Contract) => string | Promise<string>

/** The generated sections of each page, between `<!-- generated: NAME -->` and `<!-- end of NAME -->`. */
const sections: Record<string, Record<string, Section>> = {
  'docs/scenarios.md': { scenarios: async () => renderOtherScenarios(await readScenarios()) },
  'docs/errors.md': { errors: async (contract) => renderErrors(contract, await readScenarios()) },
  'docs/assumptions.md': { assumptions: renderAssumptions, choices: renderChoices },
  'docs/command-line.md': { commands: renderCommands },
  'docs/findings.md': { findings: renderFindings },
  'docs/library.md': { library: renderLibrary },
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
      const call = parseExampleCall(description)
      if (!call) throw new Error(`scenarios/${file}: The description names no call.`)
      return { name: basename(file, '.yaml'), summary: description.slice(0, description.indexOf(':')), call }
    }),
  )
}

async function readYaml(path: string): Promise<unknown> {
  return parse(await readFile(new URL(path, root), 'utf8'))
}

/** Renders each error of the contract once, with its operations and the scenarios that show it. */
function renderErrors({ operations, match, assumptions }: Contract, scenarios: readonly Scenario[]): string {
  const rows = new Map<string, { name: string; status: number; text: string; operationIds: string[] }>()
  for (const { operationId, cases, schema } of operations)
    for (const { name, status, value } of cases) {
      const row = rows.get(`${status} ${name}`) ?? {
        name,
        status,
        text: getErrorText(value),
        operationIds: [],
      }
      row.operationIds.push(isAssumed(schema, status, assumptions) ? `${operationId}\\*` : operationId)
      rows.set(`${status} ${name}`, row)
    }
  const showsError = ({ call }: Scenario, name: string, status: number): boolean => {
    const matched = match(call.method, call.path)
    const cases = matched && 'operation' in matched ? matched.operation.cases : []
    return call.case === name && cases.some((one) => one.name === name && one.status === status)
  }
  return markdownTable(
    ['Case', 'Response', 'Operations', 'Scenario and example call'],
    [...rows.values()]
      .toSorted((a, b) => a.status - b.status || a.name.localeCompare(b.name))
      .map(({ name, status, text, operationIds }) => [
        formatCode(name),
        `${status} ${formatCode(text)}`,
        operationIds.length === operations.length ? formatAll(operationIds) : operationIds.join(', '),
        scenarios
          .filter((scenario) => showsError(scenario, name, status))
          .map((scenario) => `${formatLink(scenario)} ${formatCode(formatCall(scenario.call))}`)
          .join('<br>'),
      ]),
  )
}

/** Renders the scenarios that show no error of the contract. */
function renderOtherScenarios(scenarios: readonly Scenario[]): string {
  return markdownTable(
    ['Scenario', 'Description', 'Example call'],
    scenarios
      .filter(({ call }) => call.case === undefined)
      .map((scenario) => [
        formatLink(scenario),
        `${scenario.summary}.`,
        formatCode(formatCall(scenario.call)),
      ]),
  )
}

function renderAssumptions(contract: Contract): string {
  return markdownTable(
    ['Assumption', 'Gap in the documentation', 'Default', 'Alternatives'],
    contract.assumptions.map(({ id, gap, default: defaultValue, alternatives }) => [
      formatCode(id),
      gap,
      formatCode(String(defaultValue)),
      alternatives.map((one) => formatCode(String(one))).join(', '),
    ]),
  )
}

function renderChoices({ document }: Contract): string {
  const xChoices = document['x-choices'] as Record<string, { choice: string }>
  return Object.values(xChoices)
    .map(({ choice }) => `- ${choice.trim()}`)
    .join('\n')
}

/** Renders every command with its arguments and flags. Flags that several commands share are listed once. */
async function renderCommands(): Promise<string> {
  const program = await createProgram([])
  // createProgram adds flags only to the command in its arguments.
  const groupedCommands = await Promise.all(
    program.commands.map(async (command) => {
      const name = command.name()
      const found = (await createProgram([name])).commands.find((one) => one.name() === name) as Command
      return { group: command.helpGroup(), command: found }
    }),
  )
  const shared = findSharedOptions(groupedCommands.map(({ command }) => command))
  const groups = [...new Set(groupedCommands.map(({ group }) => group))]
  return [
    `## Flags of several commands`,
    ...[...new Set([...shared.values()].map(listUsers))].map((users) => {
      const flags = [...shared.values()].filter((one) => listUsers(one) === users)
      return `**${users}**\n\n${flags.map(({ option }) => `- ${formatCode(option.flags)}: ${describeParameter(option)}`).join('\n')}`
    }),
    ...groups.flatMap((group) => [
      group && `## ${group.replace(/:$/, '')}`,
      ...groupedCommands
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

type SharedOptions = Map<string, { option: Option; names: string[] }>

/** Finds options that have the same flags and description in several commands. */
function findSharedOptions(commands: readonly Command[]): SharedOptions {
  const shared: SharedOptions = new Map()
  for (const command of commands)
    for (const option of command.options) {
      const found = shared.get(getOptionKey(option)) ?? { option, names: [] }
      found.names.push(command.name())
      shared.set(getOptionKey(option), found)
    }
  return new Map([...shared].filter(([, { names }]) => names.length > 1))
}

function getOptionKey(option: Option): string {
  return `${option.flags} ${describeParameter(option)}`
}

function describeCommand(command: Command, shared: SharedOptions, heading: string): string {
  const parameters = [
    ...command.registeredArguments
      .filter((argument) => argument.name() !== 'command') // several commands have this argument
      .map((argument) => `- ${formatCode(argument.name())}: ${describeParameter(argument)}`),
    ...command.options
      .filter((option) => !shared.has(getOptionKey(option)))
      .map((option) => `- ${formatCode(option.flags)}: ${describeParameter(option)}`),
  ].join('\n')
  return [
    `${heading} ${command.parent?.parent ? `${command.parent.name()} ` : ''}${command.name()}`,
    command.description(),
    parameters,
    ...command.commands.map((sub) => describeCommand(sub, shared, `${heading}#`)),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function describeParameter(parameter: Option | Argument): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = parameter
  const { envVar, negate }: Partial<Option> = 'flags' in parameter ? parameter : {}
  const notes = [
    argChoices && argChoices.map((choice) => formatCode(choice)).join(', '),
    // A default that depends on the machine has a description.
    defaultValue !== undefined &&
      !negate &&
      `default ${defaultValueDescription ?? formatCode(String(defaultValue))}`,
    envVar && envVar !== getUsualVariable(parameter as Option) && `environment ${formatCode(envVar)}`,
  ].filter(Boolean)
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description
}

/** The usual environment variable of a flag. The page explains the naming, so only exceptions are listed. */
function getUsualVariable(option: Option): string {
  return `PROXYSIM_${option.name().toUpperCase().replaceAll('-', '_')}`
}

function formatAll(operationIds: readonly string[]): string {
  const assumed = operationIds.filter((id) => id.endsWith('*'))
  return assumed.length ? `all (${assumed.join(', ')})` : 'all'
}

/** Whether an assumption determines if or when the operation returns this error. */
function isAssumed({ responses }: Schema, status: number, assumptions: Contract['assumptions']): boolean {
  const marks = [(responses as Record<string, Schema>)[status]?.['x-assumed']].flat()
  return assumptions.some(({ id }) => marks.includes(id))
}

function getErrorText(value: unknown): string {
  return typeof value === 'string' ? value : String((value as { error?: unknown }).error)
}

function formatCall({ method, path, body, credentials }: ExampleCall): string {
  const as = credentials && `as ${credentials.login}:${credentials.password}`
  return [method, path, body, as].filter((part) => part !== undefined).join(' ')
}

function formatLink({ name }: Scenario): string {
  return `[${name}](../scenarios/${name}.yaml)`
}

function formatCode(text: string): string {
  return `\`${text}\``
}

/** Renders the findings with their descriptions, most severe first. */
function renderFindings(): string {
  const rows = Object.values(findingRules).map(({ name, severity, description, advice }) => [
    `\`${name}\``,
    severity,
    `${description} ${advice}`,
  ])
  return markdownTable(['Finding', 'Severity', 'Client behavior and advice'], rows)
}
