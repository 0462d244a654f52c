import { longestYaml } from '../longestYaml.ts'
import { yamlOf } from '../scenario/exportScenario.ts'
import { runAsync } from '../scenario/runAsync.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { wrongInput } from './AdminError.ts'

/** Whether an `Accept` header asks for YAML rather than JSON, which is the default. */
export function prefersYaml(accept: string): boolean {
  const weights = { yaml: 0, json: 0 }
  for (const range of accept.toLowerCase().split(',')) {
    const [media = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)
    if (/\byaml$/.test(media)) weights.yaml = Math.max(weights.yaml, weight)
    else if (/\bjson$/.test(media)) weights.json = Math.max(weights.json, weight)
  }
  return weights.yaml > 0 && weights.yaml >= weights.json
}

/**
 * A scenario as a YAML answer.
 * @param lineWidth 0 doesn't fold lines
 * @throws AdminError 400 if it is too long to be loaded again
 */
export async function yamlAnswer(
  scenario: ScenarioDocument,
  lineWidth = 80,
): Promise<{ status: 200; type: 'application/yaml'; text: string }> {
  // YAML is longer than JSON: what is too large is refused before it takes long to write.
  requireShort(JSON.stringify(scenario))
  const { stringify } = await import('../yaml.ts')
  const write = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false, lineWidth })
  const text = await runAsync(yamlOf(scenario, write))
  requireShort(text)
  return { status: 200, type: 'application/yaml', text }
}

function requireShort(text: string): void {
  if (Buffer.byteLength(text) <= longestYaml) return
  throw wrongInput('The state is too large for YAML.', [
    { path: 'Accept', message: `YAML may have ${longestYaml} bytes; ask for application/json` },
  ])
}
