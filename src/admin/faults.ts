import { applyPatch } from '../world/change.ts'
import { faultsPatch, getFaults, isExhausted } from '../world/faults.ts'
import { maxFaults } from '../world/numbers.ts'
import type { Fault } from '../world/World.ts'
import { AdminError, notFound, requireNoIssues } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { transactAccount, pickAccount } from './findAccount.ts'
import { loadChecks } from '../scenario/onDemand.ts'

export const listFaults: AdminOperation<'listFaults'> = async ({ query }, simulation) =>
  getFaults(await pickAccount(simulation, query.account)).map(toResponse)

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { patchWorld } = await loadChecks()
  const fault = await transactAccount(simulation, query.account, (world, real) => {
    const faults = getFaults(world)
    const { length } = faults
    if (length >= maxFaults)
      throw new AdminError(409, `There are already ${length} faults, the maximum. Remove some.`)
    if (faults.some(({ id }) => id === body.id))
      throw new AdminError(409, `Fault ${body.id} already exists. Leave out the id to get a free one.`)
    const { change, issues } = patchWorld(world, { faults: [...faults, body] }, simulation.contract, real)
    const faultIssues = issues.map((issue) => ({ ...issue, path: issue.path.slice(2) }))
    requireNoIssues('The fault is invalid.', faultIssues)
    return { value: change && getFaults(applyPatch(world, change)).at(-1), change }
  })
  return toResponse(fault as Fault)
}

export const removeFault: AdminOperation<'removeFault'> = ({ path, query }, simulation) =>
  transactAccount(simulation, query.account, (world) => {
    const faults = getFaults(world)
    const remaining = faults.filter(({ id }) => String(id) !== path.id)
    const ids = faults.map(({ id }) => id)
    if (remaining.length === ids.length) throw notFound('fault', path.id, ids)
    return { value: undefined, change: faultsPatch(world, remaining) }
  })

export const clearFaults: AdminOperation<'clearFaults'> = ({ query }, simulation) =>
  transactAccount(simulation, query.account, (world) => ({
    value: undefined,
    change: faultsPatch(world, []),
  }))

function toResponse(fault: Fault): Fault & { exhausted: boolean } {
  return { ...fault, exhausted: isExhausted(fault) }
}
