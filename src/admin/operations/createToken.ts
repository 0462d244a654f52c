import { longestList } from '../../world/counting.ts'
import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount } from '../findAccount.ts'
import { newToken } from '../newToken.ts'

export const createToken: AdminOperation<'createToken'> = async ({ path }, simulation) => {
  const token = newToken()
  await changeAccount(simulation, path.login, ({ tokens }) => {
    if (tokens.length >= longestList)
      throw new AdminError(409, `There are already ${tokens.length} tokens, the most allowed.`)
    return { value: undefined, change: { tokens: [...tokens, token] } }
  })
  return { status: 201, body: { token } }
}
