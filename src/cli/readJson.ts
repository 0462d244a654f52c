import { UserError } from '../lib/UserError.ts'

/** @throws UserError that names what isn't JSON */
export function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UserError(`${name} is not valid JSON: ${(error as Error).message}.`, { cause: error })
  }
}
