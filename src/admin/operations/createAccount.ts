import { randomBytes } from 'node:crypto'
import type { Simulation } from '../../Simulation.ts'
import { realTime } from '../../state/clock.ts'
import { buildWorld } from '../../scenario/buildWorld.ts'
import { AdminError, wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { newToken } from '../newToken.ts'

export const createAccount: AdminOperation<'createAccount'> = async ({ body }, simulation) => {
  const login = body.login ?? `acct_${randomBytes(6).toString('hex')}`
  await requireGood(login)
  requireFree(simulation, login)
  const { library, store } = simulation
  const { document } = body.scenario === undefined ? store.state.scenario : await library.load(body.scenario)
  const [first] = Object.keys(document.accounts)
  if (first === undefined)
    throw wrongInput('The scenario has no account that a new one could begin as.', [
      { path: 'scenario', message: 'name one that has an account (GET /__admin/scenarios lists them)' },
    ])
  const world = await buildWorld(document, first, realTime())
  requireFree(simulation, login) // another may have taken it meanwhile
  const token = newToken()
  simulation.addAccount(login, { ...world, tokens: [...world.tokens, token] })
  await store.flushed()
  const authorization = `Basic ${Buffer.from(`${login}:${world.password}`).toString('base64')}`
  return { status: 201, body: { login, password: world.password, token, authorization } }
}

async function requireGood(login: string): Promise<void> {
  const { loginSchema } = await import('../../scenario/schema.ts')
  const [issue] = loginSchema.safeParse(login).error?.issues ?? []
  if (issue)
    throw wrongInput('The login is wrong.', [
      { path: 'login', message: `${JSON.stringify(login)} is not ${issue.message}` },
    ])
}

function requireFree({ store }: Simulation, login: string): void {
  if (store.world(login))
    throw new AdminError(409, `There is an account ${JSON.stringify(login)} already; name another.`)
}
