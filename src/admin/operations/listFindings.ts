import { findings } from '../../journal/findings.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

export const listFindings: AdminOperation<'listFindings'> = ({ query }, simulation) => ({
  status: 200,
  body: findings(simulation.store.observations.journal.records.filter(readFilter(simulation, query))),
})
