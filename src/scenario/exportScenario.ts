import { readClock } from '../world/clock.ts'
import type { State } from '../store/State.ts'
import type { Table } from '../world/Table.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Steps } from '../world/Steps.ts'
import type { Instant } from '../world/time.ts'
import type {
  Client,
  Invoice,
  Product,
  Service,
  Sticky,
  TimelineEntry,
  Usage,
  World,
} from '../world/World.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'

/** Exports the state as a scenario that behaves the same when loaded, including clock, throttle and counters. */
export function exportScenario({ scenario, accounts }: State, real: Instant): ScenarioDocument {
  return {
    description: scenario.document.description,
    accounts: Object.fromEntries([...accounts].map(([login, world]) => [login, exportAccount(world, real)])),
  }
}

/**
 * A world as a scenario account. Equal worlds export to identical bytes: the order of fields doesn't depend on how they
 * were set.
 */
export function exportAccount(world: World, real: Instant): ScenarioAccount {
  return {
    seed: world.seed,
    password: world.password,
    tokens: [...world.tokens],
    credit: world.credit,
    clients: recordsOf(world.clients, clientFields),
    products: recordsOf(world.products, productFields),
    services: recordsOf(world.services, serviceFields),
    invoices: recordsOf(world.invoices, invoiceFields),
    limits: world.limits,
    assumptions: world.assumptions,
    faults: [...world.faults],
    clock: readClock(world.clock, real),
    timeline: inTurn(world).map(([id, entry]) => ({ id, ...entry })),
    history: [...world.history.values()],
    next: world.next,
  }
}

/** The fields of a record in order, as words; the compiler names one that is missing or unknown. */
const fieldsOf =
  <T>() =>
  <const Text extends string>(words: Complete<Text, keyof T & string>): readonly string[] =>
    words.split(' ')

type Complete<
  Text extends string,
  Fields,
  Wrong = Exclude<Fields, Words<Text>> | Exclude<Words<Text>, Fields>,
> = [Wrong] extends [never] ? Text : Wrong
type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

const clientFields = fieldsOf<Client>()('email')

const productFields = fieldsOf<Product>()(
  'productName price groupId groupName created_at product_hidden group_hidden product_type ip_count update_time geo',
)

// The same order as the defaults', so that few records have to be copied
const serviceFields = fieldsOf<Service>()(
  'client product orderid product_name product_type price regdate nextduedate status billingcycle username password ip_count bindedip ips list_version list_updated_at errors inactive usage sticky',
)

const invoiceFields = fieldsOf<Invoice>()(
  'description amount paymentmethod date_paid date_refunded serviceid status created_at',
)

const usageFields = fieldsOf<Usage>()('limit stats')
const stickyFields = fieldsOf<Sticky>()('ttl sessions')

function recordsOf<T extends object>(table: Table<T>, fields: readonly string[]): Record<string, T> {
  const records: Record<string, T> = {}
  for (const [id, record] of table.entries()) records[id] = inOrder(withInnerOrder(record), fields)
  return records
}

/** What is due, soonest first. */
export function inTurn({ timeline }: World): [number, TimelineEntry][] {
  return [...timeline.entries()].toSorted(([, a], [, b]) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** The record itself if its fields are in order, otherwise a reordered copy. */
function inOrder<T extends object>(record: T, fields: readonly string[]): T {
  let next = 0
  let isInOrder = true
  for (const key in record) {
    next = fields.indexOf(key, next) + 1
    if (next > 0) continue
    isInOrder = false
    break
  }
  if (isInOrder) return record
  const ordered: Record<string, unknown> = {}
  for (const field of fields) if (Object.hasOwn(record, field)) ordered[field] = record[field as keyof T]
  return ordered as T
}

function withInnerOrder<T extends object>(record: T): T {
  const { usage, sticky } = record as Partial<Service>
  if (!usage && !sticky) return record
  return {
    ...record,
    ...(usage && { usage: inOrder({ ...usage, stats: byDate(usage.stats) }, usageFields) }),
    ...(sticky && { sticky: inOrder(sticky, stickyFields) }),
  }
}

function byDate(stats: Usage['stats']): Usage['stats'] {
  const days = Object.keys(stats)
  return inOrder(stats, days.toSorted())
}

/**
 * A scenario as YAML, one step per record, since stringifying is slow.
 * @param stringify writes a value as YAML
 */
export function* yamlOf(scenario: ScenarioDocument, stringify: (value: unknown) => string): Steps<string> {
  let text = ''
  function* add(map: object, indent: string): Steps<void> {
    for (const [key, value] of Object.entries(map)) {
      // Descends into accounts, logins and kinds, but not into records.
      const isTaken = indent.length < 6 && isObject(value) && Object.keys(value).length > 0
      const lines = stringify({ [key]: isTaken ? {} : (value as unknown) })
      // Only \n ends a line here: for `^`, so would U+2028 in a text.
      text += (isTaken ? lines.replace(/ \{\}\n$/, '\n') : lines).replaceAll(/(?<=^|\n)(?=[^\n])/g, indent)
      if (isTaken) yield* add(value, `${indent}  `)
      yield
    }
  }
  yield* add(scenario, '')
  return text
}
