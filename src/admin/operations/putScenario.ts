import { longestYaml } from '../../longestYaml.ts'
import { posted } from '../../scenario/ScenarioError.ts'
import { wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { loaded } from '../loaded.ts'

export const putScenario: AdminOperation<'putScenario'> = async ({ text, query }, simulation) => {
  if (!text.trimStart().startsWith('{') && Buffer.byteLength(text) > longestYaml)
    throw wrongInput('The scenario is too large.', [
      { path: '', message: `YAML may have ${longestYaml} bytes; send a larger one as JSON` },
    ])
  const scenario = await simulation.library.read(text, posted)
  if (query.check === 'true')
    return {
      status: 200,
      body: { scenario: posted, accounts: Object.keys(scenario.document.accounts) },
    }
  await simulation.load(scenario)
  return loaded(simulation)
}
