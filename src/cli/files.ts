import { extname } from 'node:path'
import { junit } from '../report/junit.ts'
import { markdown } from '../report/markdown.ts'
import { json, type Report } from '../report/Report.ts'
import { visible } from '../report/visible.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { maxTextBytes, toLoadableJson, toLoadableYaml, TooLarge } from '../scenario/bounds.ts'
import { replaceFile } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { systemReason } from '../store/StorageError.ts'
import { ExitCode } from './ExitCode.ts'
import { printMessage } from './output.ts'

/**
 * Writes a file as a whole or not at all, creating its folder if necessary. An existing file is replaced.
 * @throws UserError that names the file
 */
export async function write(file: string, text: string): Promise<void> {
  try {
    await replaceFile(file, text)
  } catch (cause) {
    throw new UserError(`Can't write ${file} (${systemReason(cause)}).`, { cause })
  }
}

/** Report renderers by file extension. */
export const renderers = {
  '.md': markdown,
  '.json': ({ data }: Report) => json(data),
  '.xml': junit,
}

/**
 * Writes a file beside a result that is already printed. A failure is only reported, and the exit code becomes 2 if it is 0.
 * @returns whether it was written
 */
export async function writeSideFile(file: string, render: () => string | Promise<string>): Promise<boolean> {
  try {
    await write(file, await render())
    return true
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    printMessage(error.message)
    process.exitCode ||= ExitCode.couldNotRun
    return false
  }
}

/**
 * Writes reports beside the result that is already printed, each in the format of its file extension.
 * @returns the files that were written
 */
export async function writeReports(
  files: readonly string[],
  report: Report,
  more: Readonly<Record<string, () => string>> = {},
): Promise<string[]> {
  const all: Readonly<Record<string, (report: Report) => string>> = { ...renderers, ...more }
  const written: string[] = []
  for (const file of files)
    if (await writeSideFile(file, () => all[extname(file)]?.(report) ?? '')) written.push(file)
  return written
}

/**
 * Renders a scenario as JSON if the file's name ends in `.json`, otherwise as YAML.
 * @throws UserError if it would be too large to load
 * @param call command that repeats the request; a comment in YAML, omitted from JSON
 */
export async function renderScenario(
  scenario: ScenarioDocument,
  file: string,
  call?: string,
): Promise<string> {
  const comment =
    call === undefined ? '' : `# ${visible(call.replaceAll('\r', '\\r')).replaceAll('\n', '\n# ')}\n`
  try {
    if (!file.endsWith('.json'))
      return comment + (await toLoadableYaml(scenario, 'a file that ends in .json, or --json'))
    const compact = toLoadableJson(scenario)
    return compact.length < maxTextBytes / 2 ? json(scenario) : compact // indentation takes up to half of the text
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    throw new UserError(`${file || 'The scenario'} would be too large to load. ${error.message}.`)
  }
}
