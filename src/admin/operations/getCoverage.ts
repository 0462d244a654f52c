import { coverageReport } from '../../journal/coverageReport.ts'
import { junit } from '../../report/junit.ts'
import { markdown } from '../../report/markdown.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

export const getCoverage: AdminOperation<'getCoverage'> = async ({ query }, simulation) => {
  await readFilter(simulation, query) // rejects an unknown account
  const { format, account } = query
  const { store } = simulation
  const { coverage } = await store.observations(account)
  const report = coverage.report(await store.readings(account), account)
  if (format === 'markdown')
    return { status: 200, type: 'text/markdown', text: markdown(coverageReport(report)) }
  if (format === 'junit') return { status: 200, type: 'application/xml', text: junit(coverageReport(report)) }
  return { status: 200, body: report }
}
