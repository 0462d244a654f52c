import { loadYaml } from '../lib/onDemand.ts'
/** Renders a scenario as YAML, which `readSource` parses to the same value. */
export async function toYaml(scenario: object): Promise<string> {
  const { CORE_SCHEMA, dump } = await loadYaml()
  return dump(scenario, { schema: CORE_SCHEMA, noRefs: true, lineWidth: -1, skipInvalid: true })
}
