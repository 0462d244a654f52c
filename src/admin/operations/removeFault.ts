import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeWorld } from '../changeWorld.ts'
import { pickAccount } from '../findAccount.ts'

export const removeFault: AdminOperation<'removeFault'> = async ({ path, query }, simulation) => {
  const account = pickAccount(simulation, query.account)
  const { faults } = account.world
  const rest = faults.filter(({ id }) => String(id) !== path.id)
  if (rest.length === faults.length) {
    const ids = faults.map(({ id }) => id).join(', ') || 'none'
    throw new AdminError(404, `There is no fault ${JSON.stringify(path.id)}. There are: ${ids}.`)
  }
  await changeWorld(simulation, account, { faults: rest })
  return { status: 204 }
}
