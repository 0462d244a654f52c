/** The tables of README.md that say what the contract and the scenarios hold; the rest of it is written by hand. */
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { parse } from 'yaml'
import { readContract, type Contract, type Schema } from '../src/contract/Contract.ts'
import { exampleCall, type ExampleCall } from '../src/scenario/exampleCall.ts'

const root = new URL('../', import.meta.url)

interface Scenario {
  name: string
  /** What it is, without the call that shows it */
  about: string
  shown: ExampleCall
}

/** README.md with every section between `<!-- generated: NAME -->` and `<!-- end of NAME -->` written anew. */
export async function renderReadme(raw: unknown): Promise<string> {
  const contract = readContract(structuredClone(raw))
  const scenarios = await readScenarios()
  const sections: Record<string, string> = {
    errors: errors(contract, scenarios),
    scenarios: others(scenarios),
    'control plane': controlPlane(await readYaml('admin.openapi.yaml')),
    assumptions: assumptions(contract),
  }
  let readme = await readFile(new URL('README.md', root), 'utf8')
  for (const [name, written] of Object.entries(sections)) {
    const [start, end] = [`<!-- generated: ${name} -->\n`, `\n<!-- end of ${name} -->`]
    const [from, to] = [readme.indexOf(start), readme.indexOf(end)]
    if (from < 0 || to < from)
      throw new Error(`README.md has no section between ${start.trim()} and ${end.trim()}`)
    readme = `${readme.slice(0, from + start.length)}\n${written}\n${readme.slice(to)}`
  }
  return readme
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
      return { name: basename(file, '.yaml'), about: description.slice(0, description.indexOf(':')), shown }
    }),
  )
}

async function readYaml(path: string): Promise<unknown> {
  return parse(await readFile(new URL(path, root), 'utf8'))
}

/** Each error of the contract once, with the operations that give it and the scenarios that show it. */
function errors({ operations, match, assumptions: gaps }: Contract, scenarios: readonly Scenario[]): string {
  const rows = new Map<string, { name: string; status: number; text: string; given: string[] }>()
  for (const { operationId, cases, schema } of operations)
    for (const { name, status, value } of cases) {
      const row = rows.get(`${status} ${name}`) ?? { name, status, text: textOf(value), given: [] }
      row.given.push(isAssumed(schema, status, gaps) ? `${operationId}\\*` : operationId)
      rows.set(`${status} ${name}`, row)
    }
  const shows = ({ shown }: Scenario, name: string, status: number): boolean => {
    const found = match(shown.method, shown.path)
    const cases = found && 'operation' in found ? found.operation.cases : []
    return shown.case === name && cases.some((one) => one.name === name && one.status === status)
  }
  return table(
    ['Case', 'Answer', 'Operations', 'Scenario, and the call that shows it'],
    [...rows.values()]
      .toSorted((a, b) => a.status - b.status || a.name.localeCompare(b.name))
      .map(({ name, status, text, given }) => [
        code(name),
        `${status} ${code(text)}`,
        given.length === operations.length ? all(given) : given.join(', '),
        scenarios
          .filter((scenario) => shows(scenario, name, status))
          .map((scenario) => `${link(scenario)} ${code(callOf(scenario.shown))}`)
          .join('<br>'),
      ]),
  )
}

/** The scenarios that show no error of the contract */
function others(scenarios: readonly Scenario[]): string {
  return table(
    ['Scenario', 'What it is', 'Look at it with'],
    scenarios
      .filter(({ shown }) => shown.case === undefined)
      .map((scenario) => [link(scenario), `${scenario.about}.`, code(callOf(scenario.shown))]),
  )
}

/** The calls under each path, with what they do */
function controlPlane(raw: unknown): string {
  const rows = new Map<string, { methods: string[]; summaries: string[] }>()
  for (const { method, path, summary } of readContract(raw).operations) {
    const row = rows.get(path) ?? { methods: [], summaries: [] }
    row.methods.push(code(method))
    row.summaries.push(summary)
    rows.set(path, row)
  }
  return table(
    ['Path', 'Call', 'Does'],
    [...rows].map(([path, { methods, summaries }]) => [
      code(path.replace('/__admin', '')),
      methods.join(' · '),
      summaries.join(' · '),
    ]),
  )
}

function assumptions(contract: Contract): string {
  return table(
    ['Assumption', 'What is left open', 'Default', 'Other readings'],
    contract.assumptions.map(({ id, gap, default: taken, alternatives }) => [
      code(id),
      gap,
      code(String(taken)),
      alternatives.map((one) => code(String(one))).join(', '),
    ]),
  )
}

function all(given: readonly string[]): string {
  const assumed = given.filter((operation) => operation.endsWith('*'))
  return assumed.length ? `all (${assumed.join(', ')})` : 'all'
}

/** Whether an assumption decides if or when the operation answers so */
function isAssumed({ responses }: Schema, status: number, gaps: Contract['assumptions']): boolean {
  const marks = [(responses as Record<string, Schema>)[status]?.['x-assumed']].flat()
  return gaps.some(({ id }) => marks.includes(id))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String((value as { error?: unknown }).error)
}

function callOf({ method, path, body, credentials }: ExampleCall): string {
  const as = credentials && `as ${credentials.login}:${credentials.password}`
  return [method, path, body, as].filter((part) => part !== undefined).join(' ')
}

function link({ name }: Scenario): string {
  return `[${name}](scenarios/${name}.yaml)`
}

function code(text: string): string {
  return `\`${text}\``
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
