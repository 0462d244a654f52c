import { realTime } from '../../state/clock.ts'
import { exportScenario } from '../../scenario/exportScenario.ts'
import type { AdminOperation } from '../AdminOperation.ts'

export const getScenario: AdminOperation<'getScenario'> = async ({ accept }, { store }) => {
  const scenario = exportScenario(store.state, realTime())
  if (!/\byaml\b/i.test(accept)) return { status: 200, body: { ...scenario } }
  const { stringify } = await import('yaml')
  return {
    status: 200,
    type: 'application/yaml',
    text: stringify(scenario, { aliasDuplicateObjects: false }),
  }
}
