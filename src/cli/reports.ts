import { extname } from 'node:path'
import { UserError } from '../UserError.ts'
import { writing } from './writing.ts'

/** Renders a report, by file extension */
export type Renderers = Readonly<Record<string, () => string | Promise<string>>>

/** @throws UserError if a report has an unsupported extension */
export function checkReports(files: readonly string[], extensions: readonly string[]): void {
  for (const file of files)
    if (!extensions.includes(extname(file)))
      throw new UserError(
        `The report ${file} must end in one of: ${extensions.join(', ')}${extensions.includes('.xml') ? ' (.xml is JUnit)' : ''}.`,
      )
}

/** @throws UserError if a report can't be written */
export async function writeReports(files: readonly string[], renderers: Renderers): Promise<void> {
  for (const file of files) await writing(file, (await renderers[extname(file)]?.()) ?? '')
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
