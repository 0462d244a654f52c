import { expect } from 'vitest'
import { filled, type Account } from './Account.ts'
import type { Subject } from './Subject.ts'

interface State {
  accounts: Record<string, Account>
  /** The accounts of the scenario, as a reset loads them again */
  scenario: Record<string, Account>
  /** What accounts that were created got with it */
  created: Record<string, { password: string; token: string }>
  /** Per account, what tells one load of it from another: no rewind leads from one to the other */
  loads: Record<string, number>
}

/** What the simulator must be, and what it can go back to. */
export class Model {
  state: State = { accounts: {}, scenario: {}, created: {}, loads: {} }
  readonly snapshots = new Map<string, { state: State; only?: string }>()
  /** Requests of the journal: the account as each met it */
  readonly marks: { id: number; login: string; load: number; before: Account }[] = []
  /** The last export; undefined: it is another one that takes its place */
  exported: string | undefined
  #loads = 0

  get logins(): string[] {
    return Object.keys(this.state.accounts)
  }

  account(login: string): Account | undefined {
    return this.state.accounts[login]
  }

  set(login: string, account: Account): void {
    this.state.accounts[login] = account
  }

  /** An account takes the place of another, or is new. */
  place(login: string, account: Account): void {
    this.state.accounts[login] = structuredClone(account)
    this.state.loads[login] = ++this.#loads
  }

  /** All accounts are replaced; what was there is kept. */
  replace(state: State, isLoad: boolean): void {
    this.snapshots.set('before-load', { state: structuredClone(this.state) })
    this.state = structuredClone(state)
    if (isLoad) this.marks.length = 0
    for (const login of this.logins) this.state.loads[login] = ++this.#loads
  }

  /** The accounts of a scenario, and nothing else. */
  load(scenario: Record<string, Account>): void {
    this.replace({ accounts: scenario, scenario, created: {}, loads: {} }, true)
  }

  /** What a new account begins with, and what a reset of an account leads to; undefined if the scenario has no account. */
  original(login: string): Account | undefined {
    const { scenario, created } = this.state
    const made = created[login]
    const first = made ? Object.values(scenario)[0] : (scenario[login] ?? Object.values(scenario)[0])
    if (!first || !made) return first
    return { ...first, password: made.password, tokens: [...first.tokens, made.token] }
  }
}

/** What holds after every step: what is there is what the model says, and it can be exported and loaded elsewhere. */
export async function agree(model: Model, real: Subject): Promise<void> {
  const { text, body } = await real.admin('GET', '/scenario')
  const { accounts } = body as { accounts: Record<string, Account> }
  model.state.accounts = filled(model.state.accounts, accounts)
  expect(accounts, 'what is exported is what the model has').toEqual(model.state.accounts)
  if (text === model.exported) return
  model.exported = text
  for (const [login, account] of Object.entries(accounts)) expectSane(login, account)
  const isYaml = real.steps % 4 === 0
  const type = isYaml ? 'application/yaml' : 'application/json'
  const sent = isYaml ? (await real.admin('GET', '/scenario', undefined, { accept: type })).text : text
  const loaded = await real.other('PUT', '/__admin/scenario', sent, { 'content-type': type })
  expect(loaded, 'what is exported can be loaded').toMatchObject({ status: 200 })
  const there = await real.other('GET', '/__admin/scenario')
  if (there.text !== text) expect(there.body, 'and is the same elsewhere').toEqual(body)
  expect(there.text === text, 'to the byte').toBe(true)
}

/** What an account may be, whatever was patched. */
function expectSane(login: string, { services, invoices, products, credit }: Account): void {
  const bound = Object.values(services).flatMap(({ bindedip }) => (bindedip ? [bindedip] : []))
  expect(new Set(bound).size, `${login}: an address is bound once`).toBe(bound.length)
  for (const { product_type, sticky, usage, bindedip, ip_count } of Object.values(services))
    expect(
      product_type === 'fpr' ? (sticky ?? usage) : (bindedip ?? ip_count),
      `${login}: fields of the other type`,
    ).toBeUndefined()
  const prices = [...Object.values(products), ...Object.values(services)].map(({ price }) => price)
  for (const usd of [credit, ...prices, ...Object.values(invoices).map(({ amount }) => amount)])
    expect(Math.round(usd * 100) / 100, `${login}: whole cents`).toBe(usd)
}
