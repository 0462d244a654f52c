import { setImmediate as nextTurn } from 'node:timers/promises'
import { fraction, hash, pick } from '../world/chance.ts'
import { dateOf, dayLength, type Instant, type TimeZone } from '../world/time.ts'
import { billingCycles, invoiceStatuses, serviceStatuses } from './values.ts'
import type { Kind, InvoiceInput, ProductInput, ServiceInput } from '../world/World.ts'
import type { ScenarioAccount } from '../scenario/ScenarioDocument.ts'

type Faker = typeof import('@faker-js/faker/locale/en')['faker']

/** The current time, and the time zone of dates */
interface Today {
  now: Instant
  timeZone: TimeZone
}

/** Number of records that are generated without being requested, if other records need some and there are none. */
const fewest = 3

/**
 * Adds the records that `generate` requests. Each depends only on the seed, its own id and the records that it can refer to.
 * Dates are relative to the account's today.
 */
export async function addGenerated(
  account: ScenarioAccount,
  seed: number,
  today: Today,
): Promise<ScenarioAccount> {
  const { faker } = await import('@faker-js/faker/locale/en')
  const full = {
    ...account,
    clients: { ...account.clients },
    products: { ...account.products },
    services: { ...account.services },
    invoices: { ...account.invoices },
  }
  const { generate = {} } = account
  /** The number of records to generate, including those that others need */
  const wanted = (kind: Kind, needed: number): number =>
    generate[kind] ?? (needed > 0 && Object.keys(full[kind]).length === 0 ? fewest : 0)
  const invoices = wanted('invoices', 0)
  const services = wanted('services', invoices)
  const [clients, products] = [wanted('clients', services), wanted('products', services)]
  let made = 0
  const add = async <R>(records: Record<string, R>, count: number, first: number, one: (id: number) => R) => {
    for (let id = first, left = count; left > 0; id++) {
      if (Object.hasOwn(records, id)) continue
      records[id] = one(id)
      left--
      // 10,000 services take some 200 ms, so other requests are handled in between.
      if (++made % 500 === 0) await nextTurn()
    }
  }

  await add(full.clients, clients, 11, (id) => ({ email: emailOf(faker, seed, id) }))
  await add(full.products, products, 101, (id) => productOf(faker, seed, id, today))
  const owners = Object.keys(full.clients)
  const catalogue = Object.keys(full.products)
  await add(full.services, services, 5001, (id) => {
    const product = some(catalogue, [seed, 'product', id]) ?? ''
    const client = Number(some(owners, [seed, 'client', id]) ?? 11)
    return serviceOf(seed, id, today, Number(product), client, full.products[product])
  })
  const ordered = Object.keys(full.services)
  await add(full.invoices, invoices, 9001, (id) =>
    invoiceOf(seed, id, today, Number(some(ordered, [seed, 'service', id]) ?? 5001)),
  )
  return full
}

/** One of the ids, if there are any. */
function some(ids: readonly string[], seed: readonly (string | number)[]): string | undefined {
  return ids[hash(seed) % ids.length]
}

function emailOf(faker: Faker, seed: number, id: number): string {
  faker.seed([seed, hash(['client']), id])
  const [name, host] = faker.internet.exampleEmail().toLowerCase().split('@')
  return `${name}${id}@${host}` // the id makes it unique
}

function productOf(faker: Faker, seed: number, id: number, today: Today): ProductInput {
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

function serviceOf(
  seed: number,
  id: number,
  today: Today,
  product: number,
  client: number,
  { price, product_type }: Partial<ProductInput> = {},
): ServiceInput {
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

function invoiceOf(seed: number, id: number, today: Today, serviceid: number): InvoiceInput {
  return {
    serviceid,
    status: fraction([seed, 'paid', id]) < 0.8 ? 'Paid' : pick(invoiceStatuses, [seed, 'invoice', id]),
    created_at: dayBefore(today, 365, [seed, 'invoiced', id]),
  }
}

function dayBefore({ now, timeZone }: Today, days: number, seed: readonly (string | number)[]): string {
  return dateOf(now - Math.floor(fraction(seed) * days) * dayLength, timeZone)
}
