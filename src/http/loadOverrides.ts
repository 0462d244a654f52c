import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Contract } from '../contract/Contract.ts'
import { unknownName } from '../lib/nearest.ts'
import { UserError } from '../lib/UserError.ts'
import { isObject } from '../world/mergePatch.ts'
import type { LoadedOverrides, Overrides } from './overrides.ts'

/**
 * Checks overrides from a module file or from the library.
 * @throws UserError that names the file
 */
export async function loadOverrides(
  overrides: Overrides | string,
  { operations }: Contract,
): Promise<LoadedOverrides> {
  const source = typeof overrides === 'string' ? overrides : 'the option overrides'
  const exported =
    typeof overrides === 'string' ? await importFile(overrides) : (overrides as Record<string, unknown>)
  const ids = operations.map(({ operationId }) => operationId)
  for (const [name, value] of Object.entries(exported)) {
    if (!ids.includes(name)) throw new UserError(`${source}: ${unknownName('operation', name, ids)}`)
    if (typeof value !== 'function')
      throw new UserError(`${source}: ${name} is not a function.`, { advice: 'Export only functions.' })
  }
  if (Object.keys(exported).length === 0)
    throw new UserError(`${source}: No overrides.`, { advice: 'Export a function named after an operation.' })
  return { source, byOperation: new Map(Object.entries(exported)) as LoadedOverrides['byOperation'] }
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  const path = resolve(file)
  if (!existsSync(path))
    throw new UserError(`The override ${file} does not exist.`, { advice: 'Check the path.' })
  try {
    const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>
    return isObject(module['default']) ? module['default'] : module // CommonJS has its exports there
  } catch (error) {
    throw new UserError(`The override ${file} can't be loaded: ${(error as Error).message}`, { cause: error })
  }
}
