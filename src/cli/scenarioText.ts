import { longestYaml } from '../longestYaml.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { UserError } from '../UserError.ts'
import { json } from './reports.ts'

/**
 * A scenario as its file holds it: JSON or YAML, by the extension.
 * @param lineWidth 0 does not fold lines
 * @throws UserError if the YAML is too long to be loaded again
 */
export async function scenarioText(
  scenario: ScenarioDocument,
  file: string,
  lineWidth = 80,
): Promise<string> {
  if (file.endsWith('.json')) return json(scenario)
  const text = await yamlText(scenario, lineWidth)
  if (isLoadable(text)) return text
  throw new UserError(
    `The scenario has ${Buffer.byteLength(text)} bytes of YAML, but only ${longestYaml} can be loaded. Write it to a .json file, which may be longer.`,
  )
}

export async function yamlText(scenario: ScenarioDocument, lineWidth: number): Promise<string> {
  const { stringify } = await import('../yaml.ts')
  return stringify(scenario, { aliasDuplicateObjects: false, lineWidth })
}

export function isLoadable(yaml: string): boolean {
  return Buffer.byteLength(yaml) <= longestYaml
}

/** A call as a comment before a scenario. A body may have control characters, which a scenario file may not. */
export function commented(call: string): string {
  const visible = call.replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f]/g,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `# ${visible.replaceAll('\n', '\n# ')}\n`
}

/** @throws UserError if the file's extension is not one of a scenario */
export function checkScenarioFile(file: string): void {
  if (!/\.(?:ya?ml|json)$/.test(file)) throw new UserError(`The scenario ${file} must end in .yaml or .json.`)
}
