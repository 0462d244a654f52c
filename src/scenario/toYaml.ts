import { loadYaml } from '../lib/onDemand.ts'

/** Renders a scenario as YAML, which `readSource` parses to the same value. */
export async function toYaml(scenario: object): Promise<string> {
  const { stringify } = await loadYaml()
  return stringify(scenario, { schema: 'core', lineWidth: 0, aliasDuplicateObjects: false })
}
