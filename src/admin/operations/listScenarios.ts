import type { AdminOperation } from '../AdminOperation.ts'

export const listScenarios: AdminOperation<'listScenarios'> = async (_asked, { library }) => ({
  status: 200,
  body: await library.list(),
})
