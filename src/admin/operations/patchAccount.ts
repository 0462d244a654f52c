import { exportAccount } from '../../scenario/exportScenario.ts'
import { wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount, findAccount } from '../findAccount.ts'

export const patchAccount: AdminOperation<'patchAccount'> = async ({ path, body }, simulation) => {
  const { patchWorld } = await import('../../scenario/patchWorld.ts')
  const { login } = await findAccount(simulation, path.login)
  const real = await changeAccount(simulation, login, (world, now) => {
    const { change, issues } = patchWorld(world, body, simulation.contract, now)
    if (issues.length)
      throw wrongInput(
        'The patch is invalid.',
        issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
      )
    return { value: now, change }
  })
  return { status: 200, body: { ...exportAccount((await findAccount(simulation, login)).world, real) } }
}
