import { generatedIdLimit, longestList, nextIdAfter } from '../../world/counting.ts'
import { fillFault } from '../../world/defaults.ts'
import { AdminError, requireRight } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { armedFault } from '../armedFault.ts'
import { changeAccount } from '../findAccount.ts'

const invalid = 'The fault is invalid.'

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { faultIssues } = await import('../../scenario/faultIssues.ts')
  const fault = await changeAccount(simulation, query.account, ({ faults, next }) => {
    requireRight(invalid, faultIssues(body, simulation.contract.operations))
    if (body.id === undefined && next.fault >= generatedIdLimit)
      requireRight(invalid, [
        { path: ['id'], message: `no fault id below ${generatedIdLimit} is left: name one` },
      ])
    if (faults.length >= longestList)
      throw new AdminError(409, `There are already ${faults.length} faults, the most allowed; remove some.`)
    const added = fillFault(body, body.id ?? next.fault)
    if (faults.some(({ id }) => id === added.id))
      throw new AdminError(409, `There is already a fault ${added.id}; leave the id out.`)
    return {
      value: added,
      change: { faults: [...faults, added], next: { fault: nextIdAfter(next.fault, added.id) } },
    }
  })
  return { status: 201, body: armedFault(fault) }
}
