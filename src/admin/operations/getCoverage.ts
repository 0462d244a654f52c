import { coverageJunit } from '../../journal/coverageJunit.ts'
import { coverageMarkdown } from '../../journal/coverageMarkdown.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

export const getCoverage: AdminOperation<'getCoverage'> = ({ query: { format, account } }, simulation) => {
  readFilter(simulation, account === undefined ? {} : { account }) // an unknown account is told
  const { state, observations } = simulation.store
  const worlds = account === undefined ? Object.values(state.accounts) : [simulation.store.world(account)]
  const report = observations.coverage.report(
    worlds.filter((world) => world !== undefined),
    account,
  )
  if (format === 'markdown') return { status: 200, type: 'text/markdown', text: coverageMarkdown(report) }
  if (format === 'junit') return { status: 200, type: 'application/xml', text: coverageJunit(report) }
  return { status: 200, body: report }
}
