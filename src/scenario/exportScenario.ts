import { readClock } from '../state/clock.ts'
import type { State } from '../state/State.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Steps } from '../world/Steps.ts'
import type { Instant } from '../world/time.ts'
import type { Client, Invoice, Product, Service, World } from '../world/World.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'

/** The present state as a scenario that, loaded again, gives the same answers: clock, throttle and counters included. */
export function exportScenario({ scenario, accounts }: State, real: Instant): ScenarioDocument {
  return {
    description: scenario.document.description,
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([login, world]) => [login, exportAccount(world, real)]),
    ),
  }
}

/**
 * A world as the account of a scenario. Two worlds that are equal look the same, to the byte: fields stand in one order,
 * however they came to be.
 */
export function exportAccount(world: World, real: Instant): ScenarioAccount {
  return {
    seed: world.seed,
    password: world.password,
    tokens: world.tokens,
    credit: world.credit,
    clients: records(world.clients, clientFields),
    products: records(world.products, productFields),
    services: records(world.services, serviceFields),
    invoices: records(world.invoices, invoiceFields),
    limits: world.limits,
    assumptions: world.assumptions,
    faults: world.faults,
    clock: readClock(world.clock, real),
    next: world.next,
  }
}

/** The fields of a record in their order; to forget one is a compile error. */
type Order<T> = { readonly [Key in keyof Required<T>]: true }

const fieldsOf = <T>(order: Order<T>): readonly string[] => Object.keys(order)

const clientFields = fieldsOf<Client>({ email: true })

const productFields = fieldsOf<Product>({
  productName: true,
  price: true,
  groupId: true,
  groupName: true,
  created_at: true,
  product_hidden: true,
  group_hidden: true,
  product_type: true,
  ip_count: true,
  update_time: true,
  geo: true,
})

const serviceFields = fieldsOf<Service>({
  client: true,
  product: true,
  orderid: true,
  product_name: true,
  regdate: true,
  nextduedate: true,
  status: true,
  billingcycle: true,
  username: true,
  password: true,
  bindedip: true,
  product_type: true,
  ip_count: true,
  price: true,
  ips: true,
  list_version: true,
  list_updated_at: true,
  errors: true,
  inactive: true,
  usage: true,
  sticky: true,
})

const invoiceFields = fieldsOf<Invoice>({
  description: true,
  status: true,
  created_at: true,
  amount: true,
  date_refunded: true,
  date_paid: true,
  paymentmethod: true,
  serviceid: true,
})

function records<T extends object>(all: Record<string, T>, fields: readonly string[]): Record<string, T> {
  const sorted: Record<string, T> = {}
  // The engine sorts whole numbers below 2³² by itself.
  const ids = Object.keys(all)
  if (ids.some((id) => id.length > 9)) ids.sort((a, b) => Number(a) - Number(b))
  for (const id of ids) sorted[id] = record(all[id] as T, fields)
  return sorted
}

function record<T extends object>(given: T, fields: readonly string[]): T {
  const source = given as Record<string, unknown>
  const ordered: Record<string, unknown> = {}
  for (const field of fields) {
    const value = source[field]
    if (value !== undefined) ordered[field] = field === 'usage' || field === 'sticky' ? byName(value) : value
  }
  return ordered as T
}

/** Maps in maps, as `usage.stats`: by their keys. */
function byName(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, byName(value[key])]),
  )
}

/**
 * A scenario as YAML, record by record: the writer takes its time for each.
 * @param stringify writes a value as YAML
 */
export function* yamlOf(scenario: ScenarioDocument, stringify: (value: unknown) => string): Steps<string> {
  let text = ''
  function* add(map: object, indent: string): Steps<void> {
    for (const [key, value] of Object.entries(map)) {
      // accounts, logins and kinds are taken apart; records are not
      const isTaken = indent.length < 6 && isObject(value) && Object.keys(value).length > 0
      const lines = stringify({ [key]: isTaken ? {} : (value as unknown) })
      text += (isTaken ? lines.replace(/ \{\}\n$/, '\n') : lines).replaceAll(/^(?=.)/gm, indent)
      if (isTaken) yield* add(value, `${indent}  `)
      yield
    }
  }
  yield* add(scenario, '')
  return text
}
