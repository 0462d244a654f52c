import { findings } from '../../findings/findings.ts'
import { readEntries } from '../../journal/readEntries.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

export const listFindings: AdminOperation<'listFindings'> = async ({ query }, simulation) => {
  const fits = await readFilter(simulation, query)
  const records = (await simulation.store.observations()).journal.records.filter(fits)
  await readEntries(records)
  return { status: 200, body: findings(records) }
}
