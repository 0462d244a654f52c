import { fillFault } from '../../scenario/buildWorld.ts'
import { AdminError, wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { armedFault } from '../armedFault.ts'
import { changeWorld } from '../changeWorld.ts'
import { pickAccount } from '../findAccount.ts'

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { checkFault } = await import('../../scenario/checkScenario.ts')
  const account = pickAccount(simulation, query.account)
  const issues = checkFault(body, simulation.contract)
  if (issues.length)
    throw wrongInput(
      'The fault is wrong.',
      issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    )
  const { faults, next } = account.world
  const fault = fillFault(body, body.id ?? next.fault)
  if (faults.some(({ id }) => id === fault.id))
    throw new AdminError(409, `There is a fault ${fault.id} already; leave the id out.`)
  await changeWorld(simulation, account, {
    faults: [...faults, fault],
    next: { fault: Math.max(next.fault, fault.id + 1) },
  })
  return { status: 201, body: armedFault(fault) }
}
