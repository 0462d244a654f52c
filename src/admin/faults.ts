import { applyPatch } from '../world/change.ts'
import { listIds } from '../world/entries.ts'
import { getFaults, isExhausted } from '../world/faults.ts'
import { maxFaults } from '../world/numbers.ts'
import type { Fault } from '../world/World.ts'
import { AdminError, notFound, requireNoIssues } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { transactAccount, pickAccount } from './findAccount.ts'
import { loadChecks } from '../scenario/onDemand.ts'
import { expandFault } from '../faults/presets.ts'

const invalidFault = 'The fault is invalid.'

export const listFaults: AdminOperation<'listFaults'> = async ({ query }, simulation) =>
  getFaults(await pickAccount(simulation, query.account)).map(toResponse)

export const addFault: AdminOperation<'addFault'> = async ({ query, body: sent }, simulation) => {
  const { faultSchema, patchWorld, schemaIssues } = await loadChecks()
  const body = expandFault(sent) as typeof sent & object
  requireNoIssues(invalidFault, schemaIssues(faultSchema, body))
  const fault = await transactAccount(simulation, query.account, (world, real) => {
    const faults = getFaults(world)
    const { length } = faults
    if (length >= maxFaults)
      throw new AdminError(409, `There are already ${length} faults, the maximum. Remove some.`)
    if (faults.some(({ id }) => id === body.id))
      throw new AdminError(409, `Fault ${body.id} already exists. Leave out the id to get a free one.`)
    const [id = 0] = listIds('faults', [body], world.next.fault)
    const { change, issues } = patchWorld(world, { faults: { [id]: body } }, simulation.contract, real)
    const faultIssues = issues.map((issue) => ({ ...issue, path: issue.path.slice(2) }))
    requireNoIssues(invalidFault, faultIssues)
    return { value: change && getFaults(applyPatch(world, change)).find((one) => one.id === id), change }
  })
  return toResponse(fault as Fault)
}

export const removeFault: AdminOperation<'removeFault'> = ({ path, query }, simulation) =>
  transactAccount(simulation, query.account, (world) => {
    const ids = getFaults(world).map(({ id }) => String(id))
    if (!ids.includes(path.id)) throw notFound('fault', path.id, ids)
    return { value: undefined, change: { faults: { [path.id]: null } } }
  })

export const clearFaults: AdminOperation<'clearFaults'> = ({ query }, simulation) =>
  transactAccount(simulation, query.account, ({ faults }) => ({
    value: undefined,
    ...(faults.size > 0 && { change: { faults: null } }),
  }))

function toResponse(fault: Fault): Fault & { exhausted: boolean } {
  return { ...fault, exhausted: isExhausted(fault) }
}
