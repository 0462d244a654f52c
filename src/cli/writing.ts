import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../makeFolder.ts'
import { UserError } from '../UserError.ts'

/** Writes a file, creating its folder if necessary. @throws UserError that names the file */
export async function writing(file: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(file))
    await writeFile(file, text)
  } catch (error) {
    throw new UserError(
      `${file} can't be written (${(error as NodeJS.ErrnoException).code ?? String(error)}).`,
      { cause: error },
    )
  }
}
