/**
 * Writes the generated files.
 *
 *   npx tsx scripts/generate.ts            writes every file in the table below
 *   npx tsx scripts/generate.ts --check    lists the stale files, and exits with 1 if there are any
 */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { parse } from 'yaml'
import { readContract, withAlternatives } from '../src/contract/Contract.ts'

const command = 'npx tsx scripts/generate.ts'
const root = new URL('../', import.meta.url)

type Render = (contract: OpenAPI3, source: string) => string | Promise<string>

type Files = Record<string, { source: string; render: Render }>

/**
 * Every generated file by its path from the root, with its source.
 */
const generatedFiles: Files = {
  'src/contract/openapi.gen.ts': { source: 'openapi.yaml', render: renderTypes },
  'src/contract/cases.gen.ts': { source: 'openapi.yaml', render: renderCases },
  'src/service/values.gen.ts': { source: 'openapi.yaml', render: renderValues },
  'src/scenario/scenarioNames.gen.ts': { source: 'openapi.yaml', render: renderScenarioNames },
  'ui/src/data/kinds.gen.ts': { source: 'openapi.yaml', render: renderDashboardKinds },
  'scenario.schema.json': { source: 'openapi.yaml', render: renderScenarioSchema },
  'admin.openapi.yaml': { source: 'admin.openapi.yaml', render: renderAdminContract },
  'src/contract/admin.gen.ts': { source: 'admin.openapi.yaml', render: renderTypes },
}

/** Updates the generated files, or only checks them. @returns the paths of the stale ones */
export async function generate({ check = false } = {}): Promise<string[]> {
  const stale = await updateFiles(generatedFiles, check)
  const { generatedPages, renderPage } = await import('./renderDocs.ts')
  const pages = generatedPages.map((path) => {
    const render: Render = (contract) => renderPage(path, contract)
    return [path, { source: 'openapi.yaml', render }]
  })
  return [...stale, ...(await updateFiles(Object.fromEntries(pages) as Files, check))]
}

async function updateFiles(files: Files, check: boolean): Promise<string[]> {
  const stale: string[] = []
  for (const [path, { source, render }] of Object.entries(files)) {
    const file = new URL(path, root)
    const contract = parse(await readFile(new URL(source, root), 'utf8')) as OpenAPI3
    const text = await render(contract, source)
    if (text === (await readIfExists(file))) continue
    stale.push(path)
    if (check) continue
    await mkdir(dirname(fileURLToPath(file)), { recursive: true })
    await writeFile(file, text)
  }
  return stale
}

async function readIfExists(file: URL): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function renderHeader(source: string): string {
  return `// Generated from ${source} by \`${command}\`. Do not edit.\n\n`
}

async function renderTypes(contract: OpenAPI3, source: string): Promise<string> {
  // `arrayLength` gives empty arrays the type `[]`.
  const ast = await openapiTS(withAlternatives(contract) as OpenAPI3, {
    alphabetize: false,
    arrayLength: true,
  })
  return renderHeader(source) + astToString(ast)
}

async function renderAdminContract(): Promise<string> {
  const { insertGeneratedSchemas } = await import('./adminSchemas.ts')
  return insertGeneratedSchemas(await readFile(new URL('admin.openapi.yaml', root), 'utf8'))
}

function renderCases(contract: OpenAPI3, source: string): string {
  const lines = readContract(structuredClone(contract)).operations.map(({ operationId, cases }) => {
    const names = new Set(cases.map(({ name }) => `    '${name}',\n`))
    return `  ${operationId}: [\n${[...names].join('')}  ],\n`
  })
  return `${renderHeader(source)}/** The error cases of each operation: the named response examples, in the contract's order. */
export const casesByOperation = {
${lines.join('')}} as const

export type OperationId = keyof typeof casesByOperation

/** The cases of an operation. */
export type CaseOf<Op extends OperationId> = (typeof casesByOperation)[Op][number]

export type CaseName = CaseOf<OperationId>
`
}

/** Types of the API for the rules, which don't import the contract. */
function renderValues(contract: OpenAPI3): string {
  const { assumptions, operations } = readContract(structuredClone(contract))
  const changing = operations.flatMap(({ operationId, changesState }) => (changesState ? operationId : []))
  const openAssumptions = assumptions.filter(({ accepts }) => accepts !== undefined)
  const closedAssumptions = assumptions.filter(({ accepts }) => accepts === undefined)
  const values = closedAssumptions.map(({ id, default: value, alternatives }) => [
    id,
    [value, ...alternatives],
  ])
  const defaults = openAssumptions.map(({ id, accepts, default: value }) => [id, { accepts, default: value }])
  const renderEnum = (schema: string): string => {
    const component = contract.components?.schemas?.[schema] as { enum?: string[] } | undefined
    return JSON.stringify(component?.enum)
  }
  return `${renderHeader('openapi.yaml')}export const productTypes = ${renderEnum('ProductType')} as const

export const serviceStatuses = ${renderEnum('ServiceStatus')} as const

export const billingCycles = ${renderEnum('BillingCycle')} as const

export const invoiceStatuses = ${renderEnum('InvoiceStatus')} as const

/** The operations that change state (\`x-changes-state\`), whatever their method */
export const changingOperations: readonly string[] = ${JSON.stringify(changing)}

/** All interpretations of each assumption, the default first */
export const assumptionValues = ${JSON.stringify(Object.fromEntries(values), null, 2)} as const

/** Assumptions that accept any value of a kind */
export const openAssumptions = ${JSON.stringify(Object.fromEntries(defaults), null, 2)} as const
`
}

async function renderScenarioNames(): Promise<string> {
  const files = await readdir(new URL('scenarios/', root))
  const names = files.filter((file) => file.endsWith('.yaml')).map((file) => basename(file, '.yaml'))
  return `${renderHeader('scenarios/')}/**
 * The names of scenarios. Add those of your own folder (\`scenarios\`):
 * @example
 * declare module 'proxysim' {
 *   interface ScenarioNames {
 *     'two-clients': true
 *   }
 * }
 */
export interface ScenarioNames {
${names
  .toSorted()
  .map((name) => `  '${name}': true\n`)
  .join('')}}
`
}

async function renderDashboardKinds(): Promise<string> {
  const { describeKinds } = await import('./dashboardKinds.ts')
  // Each column and field is on one line.
  const json = JSON.stringify(describeKinds(), null, 2).replaceAll(/\{\s+"field"[^{}]*\}/g, (one) =>
    one.replaceAll(/\s+/g, ' '),
  )
  return `${renderHeader('src/service/kinds/')}/** The records of an account, as the dashboard shows and edits them. */
export const kinds = ${json} as const
`
}

async function renderScenarioSchema(): Promise<string> {
  const { createScenarioFileSchema } = await import('./scenarioFileSchema.ts')
  return `${JSON.stringify(createScenarioFileSchema(), null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check')
  const stale = await generate({ check })
  for (const path of stale) console.log(check ? `stale: ${path}` : `written: ${path}`)
  // Code that renders some files imports others, and this process has loaded their old versions.
  if (!check && stale.length > 0)
    execFileSync(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url)], {
      stdio: 'inherit',
    })
  if (check && stale.length > 0) {
    console.error(`Run \`${command}\` and commit the files that it writes.`)
    process.exitCode = 1
  }
}
