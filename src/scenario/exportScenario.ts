import { readClock } from '../state/clock.ts'
import { copyState, type State } from '../state/State.ts'
import { jsonChunks, Members } from '../jsonChunks.ts'
import { copyWorld } from '../world/sharing.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Steps } from '../world/Steps.ts'
import type { Instant } from '../world/time.ts'
import type { Client, Invoice, Product, Service, Sticky, Usage, World } from '../world/World.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'

/** Exports the state as a scenario that behaves the same when loaded, including clock, throttle and counters. */
export function exportScenario(
  { scenario, accounts }: State,
  real: Instant,
  records: Records = recordsOf,
): ScenarioDocument {
  return {
    description: scenario.document.description,
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([login, world]) => [login, exportAccount(world, real, records)]),
    ),
  }
}

/** The exported state as JSON chunks; changes made meanwhile aren't included. */
export function exportedScenario(state: State, real: Instant): Iterable<string> {
  // scenario → accounts → login → kind → record
  return jsonChunks(exportScenario(copyState(state), real, recordsInTurn), 4)
}

/** The same for one account. */
export function exportedAccount(world: World, real: Instant): Iterable<string> {
  return jsonChunks(exportAccount(copyWorld(world), real, recordsInTurn), 2)
}

/**
 * A world as a scenario account. Equal worlds export to identical bytes: the order of fields doesn't depend on how they
 * were set.
 */
export function exportAccount(world: World, real: Instant, records: Records = recordsOf): ScenarioAccount {
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

function recordsOf<T extends object>(all: Record<string, T>, fields: readonly string[]): Record<string, T> {
  const sorted: Record<string, T> = {}
  for (const id of idsOf(all)) sorted[id] = inOrder(withInnerOrder(all[id] as T), fields)
  return sorted
}

/** The same for `jsonChunks`, with each record prepared on demand: preparing 100,000 takes a tenth of a second. */
export function recordsInTurn<T extends object>(
  all: Record<string, T>,
  fields: readonly string[],
): Record<string, T> {
  return new Members(function* () {
    for (const id of idsOf(all)) yield [id, inOrder(withInnerOrder(all[id] as T), fields)]
  }) as never
}

export type Records = typeof recordsOf

/** Smallest first. */
function idsOf(all: object): string[] {
  const ids = Object.keys(all)
  // The engine already sorts integer keys below 2³².
  if (ids.some((id) => id.length > 9)) ids.sort((a, b) => Number(a) - Number(b))
  return ids
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
