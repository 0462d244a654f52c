import type { AdminOperation } from '../AdminOperation.ts'

export const takeSnapshot: AdminOperation<'takeSnapshot'> = (_asked, simulation) => ({
  status: 201,
  body: simulation.store.snapshot(),
})
