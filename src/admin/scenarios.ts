import { maxRecords } from '../scenario/bounds.ts'
import { exportScenario } from '../scenario/exportScenario.ts'
import { postedName } from '../scenario/ScenarioError.ts'
import { load, type Simulation } from '../Simulation.ts'
import { realTime } from '../world/time.ts'
import { AdminError } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { prefersYaml, yamlResponse } from './TextResponse.ts'
import { findAccount } from './findAccount.ts'
import { buildInitialWorld } from './buildInitialWorld.ts'
import type { LoadResult } from '../contract/shapes.ts'

export const listScenarios: AdminOperation<'listScenarios'> = (_input, { library }) => library.list()

export const getScenario: AdminOperation<'getScenario'> = async ({ accept }, { store }) => {
  const { length } = await store.logins()
  if (length > maxRecords)
    throw new AdminError(
      409,
      `There are ${length} accounts. A scenario may have at most ${maxRecords}. Export them one by one: GET /__admin/accounts/LOGIN.`,
    )
  const scenario = exportScenario(await store.state(), realTime())
  return prefersYaml(accept) ? yamlResponse(scenario) : scenario
}

export const loadScenario: AdminOperation<'loadScenario'> = async ({ path: { name } }, simulation) => {
  await load(simulation, await simulation.library.load(name))
  return getLoadResult(simulation)
}

export const putScenario: AdminOperation<'putScenario'> = async ({ text, query }, simulation) => {
  const scenario = await simulation.library.read(text, postedName)
  if (query.check === 'true')
    return { scenario: postedName, accounts: Object.keys(scenario.document.accounts) }
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
