import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount, findAccount } from '../findAccount.ts'
import { newToken } from '../newToken.ts'

export const createToken: AdminOperation<'createToken'> = async ({ path }, simulation) => {
  const { login } = findAccount(simulation, path.login)
  const token = newToken()
  await changeAccount(simulation, login, ({ tokens }) => ({
    value: undefined,
    change: { tokens: [...tokens, token] },
  }))
  return { status: 201, body: { token } }
}
