import { Findings } from '../findings/findings.ts'
import { coverageReport } from '../journal/coverageReport.ts'
import { readEntries } from '../journal/Journal.ts'
import { junit } from '../report/junit.ts'
import { markdown } from '../report/markdown.ts'
import { readingOf, type Readings } from '../world/World.ts'
import type { AdminOperation } from './AdminOperation.ts'
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
  if (format === 'markdown')
    return { status: 200, type: 'text/markdown', text: markdown(coverageReport(report)) }
  if (format === 'junit') return { status: 200, type: 'application/xml', text: junit(coverageReport(report)) }
  return { status: 200, body: report }
}

export const listFindings: AdminOperation<'listFindings'> = async ({ query }, simulation) => {
  const matches = await readFilter(simulation, query)
  const records = (await simulation.store.journal()).records.filter(matches)
  await readEntries(records)
  return { status: 200, body: new Findings(simulation.contract, records).list }
}

export const listAssumptions: AdminOperation<'listAssumptions'> = async ({ query }, simulation) => {
  const logins = await simulation.store.logins()
  const account = query.account ?? (logins.length === 1 ? logins[0] : undefined)
  const readings = account === undefined ? undefined : await findAccount(simulation, account)
  return {
    status: 200,
    body: simulation.contract.assumptions.map(
      (one) => ({ ...one, ...currentOf(readings, one.id) }) as Assumption,
    ),
  }
}

function currentOf(readings: Readings | undefined, id: string): { current?: string | number } {
  const current = readings && readingOf(readings, id)
  return current === undefined ? {} : { current }
}
