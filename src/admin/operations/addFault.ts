import { beyond, longestList, mostIds } from '../../world/counting.ts'
import { fillFault } from '../../world/defaults.ts'
import { checkFault, type PathIssue } from '../../world/invariants.ts'
import { AdminError, wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { armedFault } from '../armedFault.ts'
import { changeWorld } from '../changeWorld.ts'
import { pickAccount } from '../findAccount.ts'

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { faultSchema } = await import('../../scenario/schema.ts')
  const { schemaIssues } = await import('../../scenario/schemaIssues.ts')
  const account = pickAccount(simulation, query.account)
  requireRight(schemaIssues(faultSchema, body))
  requireRight(checkFault(body, simulation.contract.operations))
  const { faults, next } = account.world
  if (body.id === undefined && next.fault >= mostIds)
    requireRight([{ path: ['id'], message: `no fault id below ${mostIds} is left: name one` }])
  if (faults.length >= longestList)
    throw new AdminError(409, `There are ${faults.length} faults already, and no more are kept; remove some.`)
  const fault = fillFault(body, body.id ?? next.fault)
  if (faults.some(({ id }) => id === fault.id))
    throw new AdminError(409, `There is a fault ${fault.id} already; leave the id out.`)
  await changeWorld(simulation, account, {
    faults: [...faults, fault],
    next: { fault: beyond(next.fault, fault.id) },
  })
  return { status: 201, body: armedFault(fault) }
}

function requireRight(issues: readonly PathIssue[]): void {
  if (issues.length)
    throw wrongInput(
      'The fault is wrong.',
      issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    )
}
