import { Findings } from '../findings/findings.ts'
import { assumptionUses } from '../journal/assumptionUse.ts'
import { coverageReport } from '../journal/coverageReport.ts'
import { junit } from '../report/junit.ts'
import { markdown } from '../report/markdown.ts'
import type { AdminOperation } from './AdminOperation.ts'
import type { Simulation } from '../Simulation.ts'
import type { World } from '../world/World.ts'
import { TextResponse } from './TextResponse.ts'
import { createFilter } from './createFilter.ts'
import { rewoundCheck } from './requests.ts'
import type { Assumption } from '../contract/shapes.ts'

export const getCoverage: AdminOperation<'getCoverage'> = async ({ query }, simulation) => {
  const { format, account } = query
  const worlds = await findWorlds(simulation, account)
  const report = (await simulation.store.coverage()).report(worlds, account)
  if (format === 'markdown') return new TextResponse('text/markdown', markdown(coverageReport(report)))
  if (format === 'junit') return new TextResponse('application/xml', junit(coverageReport(report)))
  return report
}

export const listFindings: AdminOperation<'listFindings'> = async ({ query }, simulation) => {
  const matches = await createFilter(simulation, query)
  const records = (await simulation.store.journal()).records.filter(matches)
  const isRewound = await rewoundCheck(simulation.store, records)
  return new Findings(
    simulation.contract,
    records.filter((record) => !isRewound(record)),
  ).list
}

export const listAssumptions: AdminOperation<'listAssumptions'> = async ({ query }, simulation) => {
  const { account } = query
  const worlds = await findWorlds(simulation, account)
  const called = (await simulation.store.coverage()).calledOperations(account)
  return assumptionUses(simulation.contract, worlds, called) as unknown as Assumption[]
}

/** Returns the world of one account (none if it was deleted), or all worlds. @throws AdminError 404 */
async function findWorlds(simulation: Simulation, account: string | undefined): Promise<World[]> {
  if (account !== undefined) await createFilter(simulation, { account })
  const { accounts } = await simulation.store.state()
  return [...accounts].flatMap(([login, world]) => (login === (account ?? login) ? [world] : []))
}
