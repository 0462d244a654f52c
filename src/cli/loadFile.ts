import type { ControlPlane } from '../client/ControlPlane.ts'
import type { Loaded } from '../admin/shapes.ts'
import { SimulatorError } from '../client/SimulatorError.ts'
import { readText } from '../readText.ts'
import { describeIssue, posted } from '../scenario/ScenarioError.ts'
import { UserError } from '../UserError.ts'

/** Loads a scenario file into a simulator. @throws UserError with file, line and column */
export async function loadFile(plane: ControlPlane, file: string): Promise<Loaded> {
  const body = await readText(file)
  if (body.trim() === '') throw new UserError(`${file} is empty.`, { code: 'ERR_PROXYSIM_SCENARIO' })
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
