import { Findings } from '../findings/findings.ts'
import { assumptionUses } from '../journal/assumptionUse.ts'
import { coverageReport } from '../journal/coverageReport.ts'
import { readEntries } from '../journal/Journal.ts'
import { junit } from '../report/junit.ts'
import { markdown } from '../report/markdown.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { Text } from './Text.ts'
import { readFilter } from './readFilter.ts'
import type { Assumption } from '../contract/shapes.ts'

export const getCoverage: AdminOperation<'getCoverage'> = async ({ query }, simulation) => {
  await readFilter(simulation, query) // throws if the account is unknown
  const { format, account } = query
  const { store } = simulation
  const worlds = [...(await store.state()).accounts].filter(([login]) => login === (account ?? login))
  const coverage = await store.coverage()
  const report = coverage.report(
    worlds.map(([, world]) => world),
    account,
  )
  if (format === 'markdown') return new Text('text/markdown', markdown(coverageReport(report)))
  if (format === 'junit') return new Text('application/xml', junit(coverageReport(report)))
  return report
}

export const listFindings: AdminOperation<'listFindings'> = async ({ query }, simulation) => {
  const matches = await readFilter(simulation, query)
  const records = (await simulation.store.journal()).records.filter(matches)
  await readEntries(records)
  return new Findings(simulation.contract, records).list
}

export const listAssumptions: AdminOperation<'listAssumptions'> = async ({ query }, simulation) => {
  await readFilter(simulation, query) // throws if the account is unknown
  const { contract, store } = simulation
  const { account } = query
  const worlds = [...(await store.state()).accounts].filter(([login]) => login === (account ?? login))
  const called = (await store.coverage()).called(account)
  return assumptionUses(
    contract,
    worlds.map(([, world]) => world),
    called,
  ) as unknown as Assumption[]
}
