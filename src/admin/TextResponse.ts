import { toLoadableYaml, TooLarge } from '../scenario/bounds.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
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
  return refusingTooLarge(async () => {
    const text = await toLoadableYaml(scenario, 'JSON (Accept: application/json)')
    return new TextResponse('application/yaml', text)
  })
}

/** Runs a step, and turns TooLarge into AdminError 413. */
export async function refusingTooLarge<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    throw new AdminError(
      413,
      `The scenario is too large to load again. ${error.message}. Remove records, or keep the state: POST /__admin/snapshots.`,
    )
  }
}
