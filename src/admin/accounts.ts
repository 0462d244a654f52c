import { randomBytes } from 'node:crypto'
import { exportAccount } from '../scenario/exportScenario.ts'
import { readClock, realTime, getAccountTime } from '../world/time.ts'
import { getFaults, isExhausted } from '../world/faults.ts'
import { maxListLength } from '../world/numbers.ts'
import { summary } from '../service/index.ts'
import { AdminError, requireNoIssues } from './AdminError.ts'
import { quoted } from '../lib/text.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { transactAccount, unknownAccount } from './findAccount.ts'
import { buildInitialWorld } from './buildInitialWorld.ts'
import { loadChecks } from '../scenario/onDemand.ts'

export const listAccounts: AdminOperation<'listAccounts'> = async (_input, { store }) => {
  const real = realTime()
  return [...(await store.state()).accounts].map(([login, world]) => ({
    login,
    created: world.origin.created === true,
    ...(world.origin.label !== undefined && { label: world.origin.label }),
    ...summary(world, getAccountTime(world.clock, real)),
    faults: getFaults(world).filter((fault) => !isExhausted(fault)).length,
    clock: readClock(world.clock, real),
  }))
}

export const createAccount: AdminOperation<'createAccount'> = async ({ body }, simulation) => {
  const { login = `acct_${randomBytes(6).toString('hex')}` } = body
  if (body.login !== undefined) await requireValidLogin(login)
  if (await simulation.store.world(login)) throw loginTaken(login)
  const [token, password] = [newSecret('tok'), newSecret('pw')]
  const { scenario = null, label } = body
  const origin = {
    load: 0,
    created: true,
    scenario,
    token,
    password,
    ...(label !== undefined && { label }),
  }
  const world = await buildInitialWorld(simulation, login, origin)
  if (!(await simulation.store.create(login, world))) throw loginTaken(login)
  const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  return { login, password, token, authorization }
}

export const getAccount: AdminOperation<'getAccount'> = ({ path: { login } }, simulation) =>
  transactAccount(simulation, login, (world, real) => ({ value: exportAccount(world, real) }))

export const patchAccount: AdminOperation<'patchAccount'> = async ({ path, body }, simulation) => {
  const { patchWorld } = await loadChecks()
  type Result = ReturnType<typeof exportAccount>
  const exported = await transactAccount<Result | undefined>(simulation, path.login, (world, real) => {
    const { change, issues } = patchWorld(world, body, simulation.contract, real)
    requireNoIssues('The patch is invalid.', issues)
    return { value: undefined, change, getValue: (after = world) => exportAccount(after, real) }
  })
  return exported as Result
}

export const deleteAccount: AdminOperation<'deleteAccount'> = async ({ path }, simulation) => {
  if (!(await simulation.store.remove(path.login))) throw await unknownAccount(simulation, path.login)
}

export const createToken: AdminOperation<'createToken'> = async ({ path }, simulation) => {
  const token = newSecret('tok')
  await transactAccount(simulation, path.login, ({ tokens }) => {
    if (tokens.length >= maxListLength)
      throw new AdminError(409, `There are already ${tokens.length} tokens, the maximum. Remove some.`)
    return { value: undefined, change: { tokens: [...tokens, token] } }
  })
  return { token }
}

async function requireValidLogin(login: string): Promise<void> {
  const { loginSchema } = await loadChecks()
  const issues = loginSchema.safeParse(login).error?.issues.slice(0, 1) ?? []
  requireNoIssues(
    'The login is invalid.',
    issues.map(({ message }) => ({ path: ['login'], message: `${message}, not ${quoted(login)}` })),
  )
}

function loginTaken(login: string): AdminError {
  return new AdminError(409, `Account ${quoted(login)} already exists. Choose another login.`)
}

/** Generates a token or a password. It isn't derived from the seed, so it can't be guessed. */
function newSecret(kind: 'tok' | 'pw'): string {
  return `${kind}_${randomBytes(24).toString('base64url')}`
}
