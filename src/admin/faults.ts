import { isExhausted } from '../faults/selectFault.ts'
import { maxFaults } from '../world/numbers.ts'
import type { Fault } from '../world/World.ts'
import { AdminError, requireRight } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { changeAccount, pickAccount } from './findAccount.ts'

export const listFaults: AdminOperation<'listFaults'> = async ({ query }, simulation) =>
  (await pickAccount(simulation, query.account)).faults.map(shown)

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { patchWorld } = await import('../scenario/patchWorld.ts')
  const fault = await changeAccount(simulation, query.account, (world, real) => {
    const { length } = world.faults
    if (length >= maxFaults)
      throw new AdminError(409, `There are already ${length} faults, the most allowed; remove some.`)
    if (world.faults.some(({ id }) => id === body.id))
      throw new AdminError(409, `There is already a fault ${body.id}; leave the id out.`)
    const { change, issues } = patchWorld(
      world,
      { faults: [...world.faults, body] },
      simulation.contract,
      real,
    )
    const own = issues.map((issue) => ({ ...issue, path: issue.path.slice(2) }))
    requireRight('The fault is invalid.', own)
    return { value: change?.faults?.[length] as Fault, change }
  })
  return shown(fault)
}

export const removeFault: AdminOperation<'removeFault'> = ({ path, query }, simulation) =>
  changeAccount(simulation, query.account, ({ faults }) => {
    const rest = faults.filter(({ id }) => String(id) !== path.id)
    if (rest.length === faults.length) {
      const ids = faults.map(({ id }) => id).join(', ') || 'none'
      throw new AdminError(404, `There is no fault ${JSON.stringify(path.id)}. There are: ${ids}.`)
    }
    return { value: undefined, change: { faults: rest } }
  })

export const clearFaults: AdminOperation<'clearFaults'> = ({ query }, simulation) =>
  changeAccount(simulation, query.account, () => ({ value: undefined, change: { faults: [] } }))

function shown(fault: Fault): Fault & { exhausted: boolean } {
  return { ...fault, exhausted: isExhausted(fault) }
}
