import { expect } from 'vitest'
import type { Account, Reply, Subject } from './Subject.ts'

export type Accounts = Record<string, Account>

/** A state to return to: the accounts, and the results of resets */
interface State {
  accounts: Accounts
  /** The accounts of the scenario, as a reset loads them again */
  scenario: Accounts
  /** Credentials issued with created accounts */
  created: Record<string, { password: string; token: string }>
  /** Per account, what tells one load of it from another: no rewind leads from one to the other */
  loads: Record<string, number>
}

/** The state of the simulator after each step, for later comparison. */
export class Model {
  state: State = { accounts: {}, scenario: {}, created: {}, loads: {} }
  readonly snapshots = new Map<string, { state: State; only?: string }>()
  /** Requests of the journal: the account before each */
  readonly marks: { id: number; login: string; load: number; before: Account }[] = []
  #loads = 0

  account(login: string): Account | undefined {
    return this.state.accounts[login]
  }

  /** All accounts are replaced; what was there is kept. */
  replace(state: State, isLoad: boolean): void {
    this.snapshots.set('before-load', { state: structuredClone(this.state) })
    this.state = structuredClone(state)
    if (isLoad) this.marks.length = 0
    for (const login of Object.keys(state.accounts)) this.state.loads[login] = ++this.#loads
  }

  /** The accounts of a scenario, and nothing else. */
  load(scenario: Accounts): void {
    const accounts = structuredClone(scenario) // what happens to them doesn't change the scenario
    this.replace({ accounts, scenario, created: {}, loads: {} }, true)
  }

  /** An account takes the place of another, or is new. */
  place(login: string, account: Account): void {
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

  /** The journal's entries of an account are gone. */
  forget(login: string): void {
    this.marks.splice(0, this.marks.length, ...this.marks.filter((mark) => mark.login !== login))
  }

  /** The initial state of a new account, and the state of an account after its reset; undefined if the scenario has no account. */
  original(login: string): Account | undefined {
    const { scenario, created } = this.state
    const made = created[login]
    const [first] = Object.values(scenario)
    if (!made) return scenario[login] ?? first
    return first && { ...first, password: made.password, tokens: [...first.tokens, made.token] }
  }
}

/** The invariants after every step: the simulator equals the model, and its export is the same elsewhere, to the byte. */
export async function agree(model: Model, real: Subject): Promise<void> {
  const { text, accounts } = await exported((path, headers) => real.admin('GET', path, undefined, headers))
  expect(accounts, 'the simulator is what the model says').toEqual(model.state.accounts)
  for (const [login, account] of Object.entries(accounts)) expectSane(login, account)
  const isYaml = real.steps % 4 === 0
  const type = isYaml ? 'application/yaml' : 'application/json'
  const sent = isYaml ? (await real.admin('GET', '/scenario', undefined, { accept: type })).text : text
  const loaded = await real.other('PUT', '/__admin/scenario', sent, { 'content-type': type })
  expect(loaded, 'what is exported can be loaded').toMatchObject({ status: 200 })
  expect((await real.other('GET', '/__admin/scenario')).text, 'and is the same elsewhere').toBe(text)
}

/** Both have done the same: they are the same. */
export async function takeOver(model: Model, real: Subject): Promise<void> {
  const here = await exported((path) => real.admin('GET', path))
  const there = await exported((path) => real.other('GET', `/__admin${path}`))
  expect(here.accounts, 'the same step leads to the same state').toEqual(there.accounts)
  model.state.accounts = here.accounts
}

async function exported(get: (path: string, headers?: Record<string, string>) => Promise<Reply>) {
  const { text, body } = await get('/scenario')
  return { text, accounts: (body as { accounts: Accounts }).accounts }
}

/** The conditions for a valid account, whatever was patched. */
function expectSane(login: string, { services, invoices, products, credit }: Account): void {
  const bound = Object.values(services).flatMap(({ bindedip }) => (bindedip ? [bindedip] : []))
  expect(new Set(bound).size, `${login}: an address is bound once`).toBe(bound.length)
  for (const { product_type, sticky, usage, bindedip, ip_count } of Object.values(services))
    expect(
      product_type === 'fpr' ? (sticky ?? usage) : (bindedip ?? ip_count),
      `${login}: fields of the other type`,
    ).toBeUndefined()
  const prices = [...Object.values(products), ...Object.values(services)].map(({ price }) => price)
  for (const usd of [credit, ...prices, ...Object.values(invoices).map(({ amount }) => amount)]) {
    expect(usd, `${login}: not less than nothing`).toBeGreaterThanOrEqual(0)
    expect(Math.round(usd * 100) / 100, `${login}: whole cents`).toBe(usd)
  }
}
