import { longestList } from '../../world/counting.ts'
import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeWorld } from '../changeWorld.ts'
import { findAccount } from '../findAccount.ts'
import { newToken } from '../newToken.ts'

export const createToken: AdminOperation<'createToken'> = async ({ path: { login } }, simulation) => {
  const account = findAccount(simulation, login)
  const { tokens } = account.world
  if (tokens.length >= longestList)
    throw new AdminError(409, `There are ${tokens.length} tokens already, and no more are kept.`)
  const token = newToken()
  await changeWorld(simulation, account, { tokens: [...tokens, token] })
  return { status: 201, body: { token } }
}
