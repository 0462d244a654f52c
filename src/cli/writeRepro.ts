import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { json } from './reports.ts'
import { commented, isLoadable, yamlText } from './scenarioText.ts'
import { writing } from './writing.ts'

/**
 * Writes the scenario of a request to `<path>.yaml`, or to `<path>.json` if it is too long for YAML.
 * @param call the request as a command: a comment before the YAML
 * @returns the file
 * @throws UserError if it can't be written
 */
export async function writeRepro(path: string, scenario: ScenarioDocument, call?: string): Promise<string> {
  const yaml = (call === undefined ? '' : commented(call)) + (await yamlText(scenario, 0))
  const isYaml = isLoadable(yaml)
  const file = `${path}.${isYaml ? 'yaml' : 'json'}`
  await writing(file, isYaml ? yaml : json(scenario))
  return file
}
