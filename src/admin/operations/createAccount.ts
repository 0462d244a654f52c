import { randomBytes } from 'node:crypto'
import { AdminError, wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { newToken } from '../newToken.ts'
import { originalWorld } from '../originalWorld.ts'

export const createAccount: AdminOperation<'createAccount'> = async ({ body }, simulation) => {
  const login = body.login ?? `acct_${randomBytes(6).toString('hex')}`
  await requireGood(login)
  if (await simulation.store.world(login)) throw taken(login)
  const token = newToken()
  const world = await originalWorld(simulation, login, { scenario: body.scenario ?? null, token })
  if (!(await simulation.store.create(login, world))) throw taken(login)
  const authorization = `Basic ${Buffer.from(`${login}:${world.password}`).toString('base64')}`
  return { status: 201, body: { login, password: world.password, token, authorization } }
}

let schema: Promise<typeof import('../../scenario/schema.ts')> | undefined

async function requireGood(login: string): Promise<void> {
  schema ??= import('../../scenario/schema.ts') // lazily, and only once
  const { loginSchema } = await schema
  const [issue] = loginSchema.safeParse(login).error?.issues ?? []
  if (issue)
    throw wrongInput('The login is invalid.', [
      { path: 'login', message: `${JSON.stringify(login)} is not ${issue.message}` },
    ])
}

function taken(login: string): AdminError {
  return new AdminError(409, `There is an account ${JSON.stringify(login)} already; name another.`)
}
