import { exportScenario } from '../scenario/exportScenario.ts'
import { postedName } from '../scenario/ScenarioError.ts'
import { load, type Simulation } from '../Simulation.ts'
import { realTime } from '../world/time.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { toLoadableJson } from '../scenario/bounds.ts'
import { prefersYaml, refusingTooLarge, yamlResponse } from './TextResponse.ts'
import { findAccount } from './findAccount.ts'
import { buildInitialWorld } from './buildInitialWorld.ts'
import type { LoadResult } from '../contract/shapes.ts'

export const listScenarios: AdminOperation<'listScenarios'> = (_input, { library }) => library.list()

export const getScenario: AdminOperation<'getScenario'> = async ({ accept }, { store }) => {
  const scenario = exportScenario(await store.state(), realTime())
  if (prefersYaml(accept)) return yamlResponse(scenario)
  await refusingTooLarge(() => toLoadableJson(scenario))
  return scenario
}

export const loadScenario: AdminOperation<'loadScenario'> = async ({ path: { name } }, simulation) => {
  await load(simulation, await simulation.library.load(name))
  return getLoadResult(simulation)
}

export const putScenario: AdminOperation<'putScenario'> = async (
  { text, contentType, query },
  simulation,
) => {
  const { document } = await simulation.library.read(text, postedName, contentType === 'application/json')
  const scenario = { name: query.name ?? postedName, document }
  if (query.check === 'true') return { scenario: scenario.name, accounts: Object.keys(document.accounts) }
  await load(simulation, scenario)
  return getLoadResult(simulation)
}

export const resetAll: AdminOperation<'resetAll'> = async ({ query }, simulation) => {
  if (query.account === undefined) await load(simulation, await simulation.store.scenario())
  else {
    const { account } = query
    const { origin } = await findAccount(simulation, account)
    await simulation.store.replaceAccount(account, await buildInitialWorld(simulation, account, origin))
  }
  return getLoadResult(simulation)
}

/** Returns the response to a load or a reset. */
async function getLoadResult({ store }: Simulation): Promise<LoadResult> {
  const { name } = await store.scenario()
  return { scenario: name, accounts: [...(await store.logins())] }
}
