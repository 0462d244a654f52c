import { readFile } from 'node:fs/promises'
import { packagePath } from '../lib/files.ts'
import { readContract, type Contract } from './Contract.ts'
import { ContractError } from './ContractError.ts'
import { UserError } from '../lib/UserError.ts'
import { loadYaml } from '../lib/onDemand.ts'
import { createHash } from 'node:crypto'

/** The contract in the package. */
export const shippedContract = packagePath('openapi.yaml')

/** Cached by text, so that further simulators in the process start immediately. */
const contracts = new Map<string, Contract>()

/**
 * Reads a contract from an OpenAPI file, YAML or JSON.
 * @throws ContractError with the file and the problem
 */
export async function loadContract(file: string = shippedContract): Promise<Contract> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ContractError(`The contract ${file} can't be read (${error.code}).`, { cause: error })
  })
  const cached = contracts.get(text)
  if (cached) return cached
  const value = (await readPrecompiled(text)) ?? (await parse(text, file))
  try {
    const contract = readContract(value, text)
    contracts.set(text, contract)
    return contract
  } catch (error) {
    throw unusableContract(file, error)
  }
}

export function unusableContract(file: string, cause: unknown): ContractError {
  const { problem, advice = '' } = cause instanceof UserError ? cause : { problem: (cause as Error).message }
  return new ContractError(`The contract ${file} can't be used: ${problem}`, { advice, cause })
}

async function parse(text: string, file: string): Promise<unknown> {
  const { CORE_SCHEMA, load } = await loadYaml()
  try {
    return load(text, { schema: CORE_SCHEMA })
  } catch (error) {
    throw new ContractError(`The contract ${file} is not valid YAML: ${(error as Error).message}`, {
      cause: error,
    })
  }
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
