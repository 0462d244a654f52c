import { exportedScenario, exportScenario } from '../../scenario/exportScenario.ts'
import { realTime } from '../../world/clock.ts'
import { copyState } from '../../state/State.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { prefersYaml } from '../prefersYaml.ts'
import { yamlAnswer } from '../yamlAnswer.ts'

export const getScenario: AdminOperation<'getScenario'> = async ({ accept }, { store }) => {
  const state = await store.all()
  if (!prefersYaml(accept)) return { status: 200, pieces: exportedScenario(state, realTime()) }
  // A copy, as the state may change while the text is written.
  return yamlAnswer(state.accounts, () => exportScenario(copyState(state), realTime()))
}
