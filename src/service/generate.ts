import { setImmediate as nextTurn } from 'node:timers/promises'
import { fraction, hash, pick } from '../world/chance.ts'
import { dateOf, dayLength, type Instant, type TimeZone } from '../world/time.ts'
import {
  type InvoiceInput,
  type Kind,
  kinds,
  type ProductInput,
  type RecordsInput,
  type ServiceInput,
  type WorldInput,
} from '../world/World.ts'
import { firstIdOf, nounOf, ownersOf } from './records.ts'
import { billingCycles, invoiceStatuses, serviceStatuses } from './values.ts'

type Faker = typeof import('@faker-js/faker/locale/en')['faker']

/** The current time, and the time zone of dates */
interface Today {
  now: Instant
  timeZone: TimeZone
}

/** An account, and how many records of each kind to add. */
type Incomplete = WorldInput & { generate?: { [K in Kind]?: number } }

/** Sources of a generated record. */
interface Source {
  faker: Faker
  seed: number
  id: number
  today: Today
  /** The ids of the records that it refers to, by field */
  owners: Readonly<Record<string, number>>
  products: Readonly<Record<string, ProductInput>>
}

const generators: { readonly [K in Kind]: (source: Source) => RecordsInput[K] } = {
  clients: ({ faker, seed, id }) => ({ email: emailOf(faker, seed, id) }),
  products: productOf,
  services: serviceOf,
  invoices: invoiceOf,
}

/** How many records to generate if other records need some and there are none. */
const fewest = 3

/**
 * Adds the records that `generate` requests. Each depends only on the seed, its own id and the records that it can refer to.
 * Dates are relative to the account's today.
 */
export async function addGenerated(account: Incomplete, seed: number, today: Today): Promise<Incomplete> {
  const { faker } = await import('@faker-js/faker/locale/en')
  const copies = Object.fromEntries(kinds.map((kind) => [kind, { ...account[kind] }]))
  const records = copies as { [K in Kind]: Record<string, RecordsInput[K]> }
  const wanted = wantedOf(account)
  let made = 0
  for (const kind of kinds) {
    const choices = ownersOf(kind).map(
      ([field, owner]) => [field, owner, Object.keys(records[owner])] as const,
    )
    for (let id = firstIdOf(kind), left = wanted[kind]; left > 0; id++) {
      if (Object.hasOwn(records[kind], id)) continue
      const owners = Object.fromEntries(
        choices.map(([field, owner, ids]) => {
          const chosen = ids[hash([seed, nounOf(owner), id]) % ids.length]
          return [field, chosen === undefined ? firstIdOf(owner) : Number(chosen)]
        }),
      )
      records[kind][id] = generators[kind]({ faker, seed, id, today, owners, products: records.products })
      left--
      // 10,000 services take some 200 ms, so other requests are handled in between.
      if (++made % 500 === 0) await nextTurn()
    }
  }
  return { ...account, ...records }
}

/** How many records of each kind to generate; some if others need them and there are none. */
function wantedOf(account: Incomplete): Record<Kind, number> {
  const wanted = {} as Record<Kind, number>
  for (const kind of kinds.toReversed()) {
    const isNeeded = kinds.some(
      (other) => wanted[other] > 0 && ownersOf(other).some(([, owner]) => owner === kind),
    )
    const isEmpty = Object.keys(account[kind] ?? {}).length === 0
    wanted[kind] = account.generate?.[kind] ?? (isNeeded && isEmpty ? fewest : 0)
  }
  return wanted
}

function emailOf(faker: Faker, seed: number, id: number): string {
  faker.seed([seed, hash(['client']), id])
  const [name, host] = faker.internet.exampleEmail().toLowerCase().split('@')
  return `${name}${id}@${host}` // the id makes it unique
}

function productOf({ faker, seed, id, today }: Source): ProductInput {
  faker.seed([seed, hash(['product']), id])
  const isStatic = fraction([seed, 'type', id]) < 2 / 3
  const size = faker.helpers.arrayElement([1, 5, 10, 25, 50, 100])
  return {
    productName: `${isStatic ? `Static ${size}` : `Rotating ${size} GB`} ${faker.location.country()}`,
    price: faker.number.int({ min: 199, max: 19_999 }) / 100,
    groupId: isStatic ? 1 : 2,
    groupName: isStatic ? 'Static' : 'Rotating',
    created_at: dayBefore(today, 3 * 365, [seed, 'created', id]),
    product_type: isStatic ? 'fpr' : 'ppr',
    ...(isStatic && {
      ip_count: size,
      geo: faker.helpers.uniqueArray(
        () => faker.location.countryCode(),
        faker.number.int({ min: 1, max: 4 }),
      ),
    }),
  }
}

function serviceOf({ seed, id, today, owners, products }: Source): ServiceInput {
  const { client, product } = owners as { client: number; product: number }
  const { price, product_type }: Partial<ProductInput> = products[product] ?? {}
  // Most real services are active and billed monthly.
  const status = fraction([seed, 'active', id]) < 0.8 ? 'Active' : pick(serviceStatuses, [seed, 'status', id])
  const cycle =
    fraction([seed, 'monthly', id]) < 0.7 ? 'Monthly' : pick(billingCycles.slice(1), [seed, 'cycle', id])
  return {
    client,
    product,
    status,
    billingcycle: price === 0 ? 'Free' : cycle,
    ...(product_type === 'ppr' && { usage: { stats: usageOf(seed, id, today) } }),
  }
}

/** Usage of the last week. */
function usageOf(seed: number, id: number, { now, timeZone }: Today): Record<string, number> {
  return Object.fromEntries(
    Array.from({ length: 7 }, (_, i) => [
      dateOf(now - (7 - i) * dayLength, timeZone),
      hash([seed, 'usage', id, i]) % 1000,
    ]),
  )
}

function invoiceOf({ seed, id, today, owners }: Source): InvoiceInput {
  return {
    serviceid: owners['serviceid'] as number,
    status: fraction([seed, 'paid', id]) < 0.8 ? 'Paid' : pick(invoiceStatuses, [seed, 'invoice', id]),
    created_at: dayBefore(today, 365, [seed, 'invoiced', id]),
  }
}

function dayBefore({ now, timeZone }: Today, days: number, seed: readonly (string | number)[]): string {
  return dateOf(now - Math.floor(fraction(seed) * days) * dayLength, timeZone)
}
