import { isSpent } from '../faults/selectFault.ts'
import { generatedIdLimit, mostFaults, nextIdAfter } from '../world/numbers.ts'
import { fillFault } from '../world/defaults.ts'
import type { Fault } from '../world/World.ts'
import { AdminError, requireRight } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { changeAccount, pickAccount } from './findAccount.ts'

const invalid = 'The fault is invalid.'

export const listFaults: AdminOperation<'listFaults'> = async ({ query }, simulation) => ({
  status: 200,
  body: (await pickAccount(simulation, query.account)).faults.map(shown),
})

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { faultIssues } = await import('../scenario/faultIssues.ts')
  const fault = await changeAccount(simulation, query.account, ({ faults, next }) => {
    requireRight(invalid, faultIssues(body, simulation.contract.operations))
    if (body.id === undefined && next.fault >= generatedIdLimit)
      requireRight(invalid, [
        { path: ['id'], message: `no fault id below ${generatedIdLimit} is left: name one` },
      ])
    if (faults.length >= mostFaults)
      throw new AdminError(409, `There are already ${faults.length} faults, the most allowed; remove some.`)
    const added = fillFault(body, body.id ?? next.fault)
    if (faults.some(({ id }) => id === added.id))
      throw new AdminError(409, `There is already a fault ${added.id}; leave the id out.`)
    return {
      value: added,
      change: { faults: [...faults, added], next: { fault: nextIdAfter(next.fault, added.id) } },
    }
  })
  return { status: 201, body: shown(fault) }
}

export const removeFault: AdminOperation<'removeFault'> = async ({ path, query }, simulation) =>
  changeAccount(simulation, query.account, ({ faults }) => {
    const rest = faults.filter(({ id }) => String(id) !== path.id)
    if (rest.length === faults.length) {
      const ids = faults.map(({ id }) => id).join(', ') || 'none'
      throw new AdminError(404, `There is no fault ${JSON.stringify(path.id)}. There are: ${ids}.`)
    }
    return { value: { status: 204 }, change: { faults: rest } }
  })

export const clearFaults: AdminOperation<'clearFaults'> = async ({ query }, simulation) =>
  changeAccount(simulation, query.account, () => ({ value: { status: 204 }, change: { faults: [] } }))

function shown(fault: Fault): Fault & { spent: boolean } {
  return { ...fault, spent: isSpent(fault) }
}
