import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { packagePath } from '../lib/files.ts'
import { readContract, type Contract } from './Contract.ts'
import { ContractError } from './ContractError.ts'

/** The contract in the package. */
export const shippedContract = packagePath('openapi.yaml')

/** Cached, so that further simulators in the process start immediately. */
const contracts = new Map<string, Promise<Contract>>()

/** Reads a contract of the package. */
export function loadContract(file: string = shippedContract): Promise<Contract> {
  let contract = contracts.get(file)
  if (!contract) contracts.set(file, (contract = read(file)))
  return contract
}

async function read(file: string): Promise<Contract> {
  const text = await readFile(file, 'utf8')
  return readContract((await readPrecompiled(text)) ?? (await parse(text)), text)
}

/** Parses YAML. @throws ContractError for a syntax error, or a merge key (`<<`), which OpenAPI doesn't have */
async function parse(text: string): Promise<unknown> {
  const { LineCounter, parseDocument, isScalar, visit } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter })
  const [error] = document.errors
  if (error) {
    const [{ line, col }] = error.linePos ?? [{ line: 1, col: 1 }]
    throw new ContractError(
      `openapi.yaml:${line}:${col} is not valid YAML: ${error.message.replace(/ at line[^]*/, '')}.`,
    )
  }
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== '<<') return
      const { line, col } = lineCounter.linePos(key.range?.[0] ?? 0)
      throw new ContractError(
        `openapi.yaml:${line}:${col} has a merge key (\`<<\`), which OpenAPI does not have.`,
        {
          advice: 'Write its fields out, or use $ref.',
        },
      )
    },
  })
  return document.toJS()
}

/** Folder of bundled documents that the build has converted to JSON. */
const precompiledFolder = packagePath('dist/precompiled/')

/** File name of a document in JSON: the digest of its text, so that a copy is never outdated. */
export function precompiledName(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.json`
}

/**
 * The value of a YAML text that the build has already parsed. Parsing the contract takes half of the startup time.
 * @returns undefined if there is no such copy
 */
export async function readPrecompiled(text: string): Promise<unknown> {
  const json = await readFile(`${precompiledFolder}${precompiledName(text)}`, 'utf8').catch(() => undefined)
  return json === undefined ? undefined : (JSON.parse(json) as unknown)
}
