import { exceededBound } from '../scenario/bounds.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { toYaml } from '../scenario/toYaml.ts'
import { AdminError } from './AdminError.ts'

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

/** @throws AdminError 413 if the scenario is too large to load */
export async function yamlResponse(scenario: ScenarioDocument): Promise<TextResponse<'application/yaml'>> {
  const text = await toYaml(scenario)
  requireLoadable(scenario, text)
  return new TextResponse('application/yaml', text)
}

/** @throws AdminError 413 if a scenario is too large to load */
export function requireLoadable(scenario: ScenarioDocument, text = JSON.stringify(scenario)): void {
  const bound = exceededBound(scenario, text)
  if (bound === undefined) return
  throw new AdminError(
    413,
    `The scenario is too large to load again. ${bound}. Remove records, or keep the state: POST /__admin/snapshots.`,
  )
}
