import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Contract } from '../contract/Contract.ts'
import { noSuch } from '../lib/nearest.ts'
import { UserError } from '../lib/UserError.ts'
import { isObject } from '../world/mergePatch.ts'
import type { LoadedOverrides, Overrides } from './overrides.ts'

/**
 * Checks overrides from a module file or from the library.
 * @throws UserError that names the file
 */
export async function loadOverrides(
  given: Overrides | string,
  { operations }: Contract,
): Promise<LoadedOverrides> {
  const source = typeof given === 'string' ? given : 'the option overrides'
  const found = typeof given === 'string' ? await importFile(given) : (given as Record<string, unknown>)
  const ids = operations.map(({ operationId }) => operationId)
  for (const [name, value] of Object.entries(found)) {
    if (!ids.includes(name)) throw new UserError(`${source}: ${noSuch('operation', name, ids)}`)
    if (typeof value !== 'function') throw new UserError(`${source}: ${name} is not a function.`)
  }
  if (Object.keys(found).length === 0)
    throw new UserError(`${source}: No overrides. Export a function named after an operation.`)
  return { source, byOperation: new Map(Object.entries(found)) as LoadedOverrides['byOperation'] }
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  const path = resolve(file)
  if (!existsSync(path)) throw new UserError(`The override ${file} does not exist.`)
  try {
    const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>
    return isObject(module['default']) ? module['default'] : module // CommonJS has its exports there
  } catch (error) {
    throw new UserError(`The override ${file} can't be loaded: ${(error as Error).message}`, { cause: error })
  }
}
