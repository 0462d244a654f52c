import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { json } from './reports.ts'

/** A scenario as its file holds it: JSON or YAML, by the extension. @param lineWidth 0 does not fold lines */
export async function scenarioText(
  scenario: ScenarioDocument,
  file: string,
  lineWidth = 80,
): Promise<string> {
  if (file.endsWith('.json')) return json(scenario)
  const { stringify } = await import('../yaml.ts')
  return stringify(scenario, { aliasDuplicateObjects: false, lineWidth })
}
