import type { AdminOperation } from '../AdminOperation.ts'
import { select } from '../readFilter.ts'

export const listRequests: AdminOperation<'listRequests'> = ({ query: { limit, ...filter } }, simulation) => {
  const { total, found } = select(simulation, filter, limit)
  return {
    status: 200,
    body: {
      total,
      requests: found.map(({ entry }) => entry),
      dropped: simulation.store.observations.journal.dropped,
    },
  }
}
