import type { AdminOperation } from '../AdminOperation.ts'
import { changeWorld } from '../changeWorld.ts'
import { findAccount } from '../findAccount.ts'
import { newToken } from '../newToken.ts'

export const createToken: AdminOperation<'createToken'> = async ({ path: { login } }, simulation) => {
  const account = findAccount(simulation, login)
  const token = newToken()
  await changeWorld(simulation, account, { tokens: [...account.world.tokens, token] })
  return { status: 201, body: { token } }
}
