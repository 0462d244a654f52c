import type { AdminOperation } from '../AdminOperation.ts'
import { loaded } from '../loaded.ts'

export const loadScenario: AdminOperation<'loadScenario'> = async ({ path: { name } }, simulation) => {
  await simulation.load(await simulation.library.load(name))
  return loaded(simulation)
}
