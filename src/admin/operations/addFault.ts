import { fillFault } from '../../scenario/buildWorld.ts'
import { AdminError, wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { armedFault } from '../armedFault.ts'
import { changeAccount, pickAccount } from '../findAccount.ts'

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { checkFault } = await import('../../scenario/checkScenario.ts')
  const { login } = pickAccount(simulation, query.account)
  const issues = checkFault(body, simulation.contract)
  if (issues.length)
    throw wrongInput(
      'The fault is wrong.',
      issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    )
  const fault = await changeAccount(simulation, login, ({ faults, next }) => {
    const added = fillFault(body, body.id ?? next.fault)
    if (faults.some(({ id }) => id === added.id))
      throw new AdminError(409, `There is a fault ${added.id} already; leave the id out.`)
    return {
      value: added,
      change: { faults: [...faults, added], next: { fault: Math.max(next.fault, added.id + 1) } },
    }
  })
  return { status: 201, body: armedFault(fault) }
}
