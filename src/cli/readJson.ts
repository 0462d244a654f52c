import { UserError } from '../UserError.ts'

/** @throws UserError that names what isn't JSON */
export function readJson<T>(name: string, text: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new UserError(`${name} is not valid JSON: ${(error as Error).message}.`, { cause: error })
  }
}
