import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount } from '../findAccount.ts'

export const removeFault: AdminOperation<'removeFault'> = async ({ path, query }, simulation) => {
  return changeAccount(simulation, query.account, ({ faults }) => {
    const rest = faults.filter(({ id }) => String(id) !== path.id)
    if (rest.length === faults.length) {
      const ids = faults.map(({ id }) => id).join(', ') || 'none'
      throw new AdminError(404, `There is no fault ${JSON.stringify(path.id)}. There are: ${ids}.`)
    }
    return { value: { status: 204 }, change: { faults: rest } }
  })
}
