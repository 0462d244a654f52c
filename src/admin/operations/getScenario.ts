import { exportedScenario, exportScenario, yamlOf } from '../../scenario/exportScenario.ts'
import { runAsync } from '../../scenario/runAsync.ts'
import { realTime } from '../../state/clock.ts'
import { copyState } from '../../state/State.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { prefersYaml } from '../prefersYaml.ts'
import { requireShortYaml, shortYaml } from '../requireShortYaml.ts'

export const getScenario: AdminOperation<'getScenario'> = async ({ accept }, { store }) => {
  const state = await store.all()
  if (!prefersYaml(accept)) return { status: 200, pieces: exportedScenario(state, realTime()) }
  requireShortYaml(state.accounts)
  const copy = exportScenario(copyState(state), realTime()) // the state may change while the text is written
  const { stringify } = await import('../../yaml.ts')
  return { status: 200, type: 'application/yaml', text: shortYaml(await runAsync(yamlOf(copy, stringify))) }
}
