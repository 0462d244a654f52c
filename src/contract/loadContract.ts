import { readFile } from 'node:fs/promises'
import { shipped } from '../packageRoot.ts'
import { readContract, type Contract } from './Contract.ts'
import { ContractError } from './ContractError.ts'
import { createHash } from 'node:crypto'

/** The contract that the package ships. */
export const shippedContract = shipped('openapi.yaml')

/** Cached by text, so that further simulators in the process start at once. */
const contracts = new Map<string, Contract>()

/**
 * Reads a contract from an OpenAPI file, YAML or JSON.
 * @throws ContractError that names the file and the problem
 */
export async function loadContract(file: string = shippedContract): Promise<Contract> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ContractError(`The contract ${file} can't be read (${error.code}).`, { cause: error })
  })
  const known = contracts.get(text)
  if (known) return known
  const compiled = await precompiled(text)
  const valueOf = compiled === undefined ? await parse(text, file) : () => compiled
  try {
    const contract = readContract(valueOf(), text)
    contracts.set(text, contract)
    return contract
  } catch (wrong) {
    throw new ContractError(`The contract ${file} can't be used: ${(wrong as Error).message}`, {
      cause: wrong,
    })
  }
}

/** @returns what gives the document's value, which fails if it has too many aliases */
async function parse(text: string, file: string): Promise<() => unknown> {
  const { parseDocument } = await import('../yaml.ts')
  const document = parseDocument(text, {
    version: '1.2',
    merge: false,
    logLevel: 'error',
    prettyErrors: true,
  })
  const [error] = document.errors
  if (error)
    throw new ContractError(`The contract ${file} is not valid YAML: ${error.message}`, { cause: error })
  return () => document.toJS({ maxAliasCount: 100 }) as unknown
}

/** Where the build puts the shipped documents as JSON, named after the digest of their text. */
const folder = shipped('dist/precompiled/')

/** File name of a document's JSON: the digest of its text, so that a copy is never stale. */
export function precompiledName(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.json`
}

/**
 * The value of a YAML text that the build has parsed already: parsing the contract takes half of the startup time.
 * @returns undefined if there is no copy (another document, or not built)
 */
export async function precompiled(text: string): Promise<unknown> {
  const json = await readFile(`${folder}${precompiledName(text)}`, 'utf8').catch(() => undefined)
  return json === undefined ? undefined : (JSON.parse(json) as unknown)
}
