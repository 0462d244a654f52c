import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UserError } from '../UserError.ts'

/** Writes a file, creating its folder if necessary. @throws UserError that names the file */
export async function writing(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  } catch (error) {
    throw new UserError(
      `${file} can't be written (${(error as NodeJS.ErrnoException).code ?? String(error)}).`,
      { cause: error },
    )
  }
}
