import type { AdminOperation } from '../AdminOperation.ts'

export const listScenarios: AdminOperation<'listScenarios'> = async (_input, { library }) => ({
  status: 200,
  body: await library.list(),
})
