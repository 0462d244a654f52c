import type { AdminOperation } from '../AdminOperation.ts'
import { loaded } from '../loaded.ts'

export const resetAll: AdminOperation<'resetAll'> = async (_asked, simulation) => {
  await simulation.reset()
  return loaded(simulation)
}
