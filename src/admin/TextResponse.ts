import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { toYaml } from '../scenario/toYaml.ts'

/** A response that isn't JSON. */
export class TextResponse<Type extends string = string> {
  readonly type: Type
  readonly text: string

  constructor(type: Type, text: string) {
    this.type = type
    this.text = text
  }
}

/** Whether an `Accept` header asks for YAML; JSON is the default. */
export function prefersYaml(accept: string): boolean {
  return /\byaml\b/.test(accept) && !/\bjson\b/.test(accept)
}

export async function yamlResponse(scenario: ScenarioDocument): Promise<TextResponse<'application/yaml'>> {
  return new TextResponse('application/yaml', await toYaml(scenario))
}
