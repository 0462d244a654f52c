import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { UserError } from '../UserError.ts'
import { writing } from './writing.ts'

/** Renders a report, by file extension */
export type Renderers = Readonly<Record<string, () => string | Promise<string>>>

/** @throws UserError if a report has an unsupported extension, or is a folder */
export function checkReports(files: readonly string[], extensions: readonly string[]): void {
  for (const file of files) {
    if (!extensions.includes(extname(file)))
      throw new UserError(
        `The report ${file} must end in one of: ${extensions.join(', ')}${extensions.includes('.xml') ? ' (.xml is JUnit)' : ''}.`,
      )
    if (isFolder(file)) throw new UserError(`The report ${file} is a folder.`)
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory()
  } catch {
    return false // anything else shows when it's written
  }
}

/** @throws UserError if a report can't be written */
export async function writeReports(files: readonly string[], renderers: Renderers): Promise<void> {
  for (const file of files) await writing(file, (await renderers[extname(file)]?.()) ?? '')
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
