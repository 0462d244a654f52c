import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { junit } from '../report/junit.ts'
import { markdown } from '../report/markdown.ts'
import { json, type Report } from '../report/Report.ts'
import { visible } from '../report/visible.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { toYaml } from '../scenario/toYaml.ts'
import { resolveLinks } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { systemReason } from '../store/StorageError.ts'

/** Writes a file, creating its folder if necessary. @throws UserError that names the file */
export async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(resolveLinks(file), text)
  } catch (error) {
    throw new UserError(`Can't write ${file} (${systemReason(error)}).`, { cause: error })
  }
}

/** Report renderers by file extension. */
export const renderers = {
  '.md': markdown,
  '.json': ({ data }: Report) => json(data),
  '.xml': junit,
}

/** Writes reports, each in the format of its file extension. @throws UserError if writing fails */
export async function writeReports(
  files: readonly string[],
  report: Report,
  more: Readonly<Record<string, () => string>> = {},
): Promise<void> {
  const all: Readonly<Record<string, (report: Report) => string>> = { ...renderers, ...more }
  for (const file of files) await write(file, all[extname(file)]?.(report) ?? '')
}

/**
 * Renders a scenario as JSON if the file's name ends in `.json`, otherwise as YAML.
 * @param call command that repeats the request; a comment in YAML, omitted from JSON
 */
export async function renderScenario(
  scenario: ScenarioDocument,
  file: string,
  call?: string,
): Promise<string> {
  if (file.endsWith('.json')) return json(scenario)
  const comment =
    call === undefined ? '' : `# ${visible(call.replaceAll('\r', '\\r')).replaceAll('\n', '\n# ')}\n`
  return comment + (await toYaml(scenario))
}

/** Writes a scenario to a file. @param call as in `renderScenario` @throws UserError that names the file */
export async function writeScenario(file: string, scenario: ScenarioDocument, call?: string): Promise<void> {
  await write(file, await renderScenario(scenario, file, call))
}
