import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { yamlOf } from '../scenario/yamlOf.ts'

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

export function yamlAnswer(scenario: ScenarioDocument): {
  status: 200
  type: 'application/yaml'
  text: string
} {
  return { status: 200, type: 'application/yaml', text: yamlOf(scenario) }
}
