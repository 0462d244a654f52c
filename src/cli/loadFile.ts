import type { ControlPlane } from '../client/ControlPlane.ts'
import type { Loaded } from '../admin/shapes.ts'
import { SimulatorError } from '../client/SimulatorError.ts'
import { readText } from '../readText.ts'
import { ScenarioError, describeIssue, posted } from '../scenario/ScenarioError.ts'
import { UserError } from '../UserError.ts'

/**
 * Loads a scenario file into a simulator. Like `check`, it wants a description, which scenarios sent inline need not have.
 * @throws UserError with file, line and column
 */
export async function loadFile(plane: ControlPlane, file: string): Promise<Loaded> {
  const body = await readText(file)
  const { readSource } = await import('../scenario/SourceText.ts')
  const { describedItself } = await import('../scenario/readScenario.ts')
  const undescribed = describedItself(await readSource(body, file))
  if (undescribed.length) throw new ScenarioError(undescribed)
  const type = file.endsWith('.json') ? 'application/json' : 'application/yaml'
  try {
    return await plane.json<Loaded>('PUT', '/scenario', { body, type })
  } catch (error) {
    const [first, ...more] = error instanceof SimulatorError ? error.details : []
    if (!first) throw error
    // It may be in a file of the server that this one extends.
    const at = first.file === undefined || first.file === posted ? file : first.file
    throw new UserError(
      `${describeIssue({ ...first, file: at })}${more.length ? ` (and ${more.length} more)` : ''}`,
      { cause: error, code: 'ERR_PROXYSIM_SCENARIO' },
    )
  }
}
