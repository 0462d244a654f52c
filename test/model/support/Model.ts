import { expect } from 'vitest'
import type { Account, Reply, Subject } from './Subject.ts'

export type Accounts = Record<string, Account>

/** A state that can be restored: the accounts, and the data for resets and rewinds */
interface State {
  accounts: Accounts
  /** The accounts of the scenario, which a reset loads again */
  scenario: Accounts
  /** Credentials issued with created accounts */
  created: Record<string, { password: string; token: string }>
  /** Number of each account's last load, which a rewind can't undo */
  loads: Record<string, number>
}

/** The expected state of the simulator, updated by each step. */
export class Model {
  state: State = { accounts: {}, scenario: {}, created: {}, loads: {} }
  readonly snapshots = new Map<string, { state: State; only?: string }>()
  /** The requests in the journal, each with the account's state before it */
  readonly requests: { id: number; login: string; load: number; before: Account }[] = []
  #loads = 0

  account(login: string): Account | undefined {
    return this.state.accounts[login]
  }

  /** Replaces all accounts, and keeps the previous state as a snapshot. */
  replace(state: State, isLoad: boolean): void {
    this.snapshots.set('before-load', { state: structuredClone(this.state) })
    const { loads } = this.state
    this.state = structuredClone(state)
    if (isLoad) this.requests.length = 0
    // A restore of an account's own load is a change of it.
    for (const login of Object.keys(state.accounts))
      if (isLoad || loads[login] !== state.loads[login]) this.state.loads[login] = ++this.#loads
  }

  /** Loads the accounts of a scenario. */
  load(scenario: Accounts): void {
    const accounts = structuredClone(scenario) // later changes don't affect the scenario
    this.replace({ accounts, scenario, created: {}, loads: {} }, true)
  }

  /** Adds an account, or replaces the one with the same login. */
  putAccount(login: string, account: Account): void {
    const { accounts } = this.state
    if (accounts[login]) {
      const state = structuredClone(this.state)
      this.snapshots.set('before-load', { state, only: login })
    }
    accounts[login] = structuredClone(account)
    this.state.loads[login] = ++this.#loads
  }

  remove(login: string): void {
    for (const part of ['accounts', 'created', 'loads'] as const) delete this.state[part][login]
  }

  /** Removes an account's requests from the journal. */
  clearRequests(login: string): void {
    this.requests.splice(
      0,
      this.requests.length,
      ...this.requests.filter((request) => request.login !== login),
    )
  }

  /** The state of an account when it is created or reset; undefined if the scenario has no account. */
  getInitialAccount(login: string): Account | undefined {
    const { scenario, created } = this.state
    const credentials = created[login]
    const [first] = Object.values(scenario)
    if (!credentials) return scenario[login] ?? first
    const { password, token } = credentials
    const issued = { created: true, password }
    return first && { ...first, ...issued, tokens: [...first.tokens, token] }
  }
}

/** Checks that the state equals the model, and that another simulator that loads the export exports the same bytes. */
export async function expectAgreement(model: Model, real: Subject): Promise<void> {
  const { text, accounts } = await exportState((path, headers) => real.admin('GET', path, undefined, headers))
  expect(accounts, 'the state equals the model').toEqual(model.state.accounts)
  for (const [login, account] of Object.entries(accounts)) expectValid(login, account)
  const isYaml = real.steps % 4 === 0
  const type = isYaml ? 'application/yaml' : 'application/json'
  const sent = isYaml ? (await real.admin('GET', '/scenario', undefined, { accept: type })).text : text
  const loaded = await real.other('PUT', '/__admin/scenario', sent, { 'content-type': type })
  expect(loaded, 'the export can be loaded').toMatchObject({ status: 200 })
  expect((await real.other('GET', '/__admin/scenario')).text, 'it is exported unchanged').toBe(text)
}

/** Checks that the same step led to the same state in both simulators, and copies the state to the model. */
export async function adoptState(model: Model, real: Subject): Promise<void> {
  const here = await exportState((path) => real.admin('GET', path))
  const there = await exportState((path) => real.other('GET', `/__admin${path}`))
  expect(here.accounts, 'the same step led to the same state').toEqual(there.accounts)
  model.state.accounts = here.accounts
}

async function exportState(get: (path: string, headers?: Record<string, string>) => Promise<Reply>) {
  const { text, body } = await get('/scenario')
  return { text, accounts: (body as { accounts: Accounts }).accounts }
}

/** Checks the conditions that hold for every account. */
function expectValid(login: string, { services, invoices, products, credit }: Account): void {
  const bound = Object.values(services).flatMap(({ bindedip }) => (bindedip ? [bindedip] : []))
  expect(new Set(bound).size, `${login}: no address is bound twice`).toBe(bound.length)
  for (const { product_type, sticky, usage, bindedip, ip_count } of Object.values(services))
    expect(
      product_type === 'fpr' ? (sticky ?? usage) : (bindedip ?? ip_count),
      `${login}: fields of the other type`,
    ).toBeUndefined()
  const prices = [...Object.values(products), ...Object.values(services)].map(({ price }) => price)
  for (const usd of [credit, ...prices, ...Object.values(invoices).map(({ amount }) => amount)]) {
    expect(usd, `${login}: not negative`).toBeGreaterThanOrEqual(0)
    expect(Math.round(usd * 100) / 100, `${login}: whole cents`).toBe(usd)
  }
}
