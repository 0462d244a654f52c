import { Findings } from '../findings/findings.ts'
import { coverageReport } from '../journal/coverageReport.ts'
import { readEntries } from '../journal/Journal.ts'
import { junit } from '../report/junit.ts'
import { markdown } from '../report/markdown.ts'
import { interpretationOf } from '../world/World.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { Text } from './Text.ts'
import { findAccount } from './findAccount.ts'
import { readFilter } from './readFilter.ts'
import type { Assumption } from './shapes.ts'

export const getCoverage: AdminOperation<'getCoverage'> = async ({ query }, simulation) => {
  await readFilter(simulation, query) // rejects an unknown account
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
  const logins = await simulation.store.logins()
  const account = query.account ?? (logins.length === 1 ? logins[0] : undefined)
  const interpretations = account === undefined ? undefined : await findAccount(simulation, account)
  return simulation.contract.assumptions.map(
    (one) =>
      ({
        ...one,
        current: interpretations && interpretationOf(interpretations, one.id),
      }) as unknown as Assumption,
  )
}
