import type { AdminOperation } from '../AdminOperation.ts'

export const takeSnapshot: AdminOperation<'takeSnapshot'> = async (_input, simulation) => ({
  status: 201,
  body: await simulation.store.snapshot(),
})
