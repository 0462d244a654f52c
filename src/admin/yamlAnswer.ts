import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { yamlOf } from '../scenario/yamlOf.ts'

/** Whether an `Accept` header asks for YAML; JSON is the default. */
export function prefersYaml(accept: string): boolean {
  return /\byaml\b/.test(accept) && !/\bjson\b/.test(accept)
}

export async function yamlAnswer(
  scenario: ScenarioDocument,
): Promise<{ status: 200; type: 'application/yaml'; text: string }> {
  return { status: 200, type: 'application/yaml', text: await yamlOf(scenario) }
}
