import { coverageJunit } from '../../journal/coverageJunit.ts'
import { coverageMarkdown } from '../../journal/coverageMarkdown.ts'
import type { AdminOperation } from '../AdminOperation.ts'

export const getCoverage: AdminOperation<'getCoverage'> = (
  { query: { format } },
  { observations, store },
) => {
  const report = observations.coverage.report(Object.values(store.state.accounts))
  if (format === 'markdown') return { status: 200, type: 'text/markdown', text: coverageMarkdown(report) }
  if (format === 'junit') return { status: 200, type: 'application/xml', text: coverageJunit(report) }
  return { status: 200, body: report }
}
