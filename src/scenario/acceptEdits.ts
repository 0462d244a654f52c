import type { FaultTarget } from '../faults/checkFaults.ts'
import { UserError } from '../lib/UserError.ts'
import { worldFromJson } from '../world/change.ts'
import { type Instant, realTime } from '../world/time.ts'
import { kinds, type World, type WorldData } from '../world/World.ts'
import { buildWorlds } from './buildWorld.ts'
import { checkScenario } from './checkScenario.ts'
import { exportScenario } from './exportScenario.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'

interface State {
  scenario: { name: string; document: ScenarioDocument }
  accounts: Map<string, World>
}

/**
 * Checks an edited state like a scenario, and completes its records.
 * @param edited the state as it was parsed
 * @throws UserError if it is invalid
 */
export async function acceptEdits(edited: unknown, operations: readonly FaultTarget[]): Promise<State> {
  const real = realTime()
  const { state, document } = exportEdited(edited, real)
  const { scenario, accounts } = state
  for (const [place, one] of [
    ['state', document],
    ['state.scenario.document', scenario.document],
  ] as const) {
    const [issue] = checkScenario(one, operations)
    if (issue)
      throw new UserError(`${[place, ...issue.path].join('.')}: ${issue.message.replace(/\.?$/, '.')}`)
  }
  const worlds = await buildWorlds(document, real)
  for (const [login, world] of worlds) {
    const known = accounts.get(login) ?? world
    // Exports leave out what a world doesn't have.
    const unknown = findUnknownField(known, world)
    if (unknown !== undefined) throw new UserError(`state.accounts.${login}.${unknown}: Unknown field.`)
    worlds.set(login, { ...world, origin: known.origin })
  }
  return { scenario, accounts: worlds }
}

/** The path of a field, of an account or of a record, that the completed account doesn't have. */
function findUnknownField(edited: World, completed: World): string | undefined {
  const own = Object.keys(edited).find((field) => !(field in completed))
  if (own !== undefined) return own
  for (const kind of kinds)
    for (const [id, record] of edited[kind].entries()) {
      const field = Object.keys(record).find((name) => !(name in (completed[kind].get(id) ?? {})))
      if (field !== undefined) return `${kind}.${id}.${field}`
    }
  return undefined
}

/** @throws UserError if the structure is wrong */
function exportEdited(edited: unknown, real: Instant): { state: State; document: ScenarioDocument } {
  try {
    const { scenario, accounts } = edited as {
      scenario: State['scenario']
      accounts: Record<string, WorldData>
    }
    const worlds = Object.entries(accounts).map(([login, data]) => [login, worldFromJson(data)] as const)
    const state = { scenario, accounts: new Map(worlds) }
    return { state, document: exportScenario(state, real) }
  } catch (cause) {
    throw new UserError(`Its structure is wrong (${(cause as Error).message}).`, { cause })
  }
}
