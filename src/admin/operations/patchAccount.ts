import { realTime } from '../../state/clock.ts'
import { exportAccount } from '../../scenario/exportScenario.ts'
import { wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeWorld } from '../changeWorld.ts'
import { findAccount } from '../findAccount.ts'

export const patchAccount: AdminOperation<'patchAccount'> = async ({ path, body }, simulation) => {
  const { patchWorld } = await import('../../scenario/patchWorld.ts')
  const account = findAccount(simulation, path.login)
  const real = realTime()
  const { change, issues } = patchWorld(account.world, body, simulation.contract, real)
  if (issues.length)
    throw wrongInput(
      'The patch is wrong.',
      issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
    )
  if (change) await changeWorld(simulation, account, change)
  return { status: 200, body: { ...exportAccount(account.world, real) } }
}
