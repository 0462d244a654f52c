import { posted } from '../../scenario/ScenarioError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { loaded } from '../loaded.ts'

export const putScenario: AdminOperation<'putScenario'> = async ({ text, query }, simulation) => {
  const scenario = await simulation.library.read(text, posted)
  if (query.check === 'true')
    return {
      status: 200,
      body: { scenario: posted, accounts: Object.keys(scenario.document.accounts) },
    }
  await simulation.load(scenario)
  return loaded(simulation)
}
