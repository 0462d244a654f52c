import { readFile } from 'node:fs/promises'
import { UserError } from './UserError.ts'

/** @throws UserError that names the file */
export function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`The file ${file} can't be read (${error.code}).`, { cause: error })
  })
}
