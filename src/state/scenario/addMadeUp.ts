import { fraction, hash, pick } from '../../world/chance.ts'
import { cents } from '../../world/money.ts'
import { dateOf, type Instant } from '../../world/time.ts'
import { billingCycles, invoiceStatuses, serviceStatuses } from '../../world/values.ts'
import type { ScenarioAccount } from './ScenarioDocument.ts'

const day = 24 * 60 * 60 * 1000

/** The account with as many more records as `generate` asks for, from faker and the seed. */
export async function addMadeUp(
  account: ScenarioAccount,
  seed: number,
  now: Instant,
): Promise<ScenarioAccount> {
  const { faker } = await import('@faker-js/faker/locale/en')
  faker.setDefaultRefDate(new Date(now))
  const { generate = {} } = account
  const clients = { ...account.clients }
  const products = { ...account.products }
  const services = { ...account.services }
  const invoices = { ...account.invoices }

  for (const id of newIds(clients, generate.clients, 11)) {
    faker.seed([seed, hash(['client']), id])
    clients[id] = { email: faker.internet.exampleEmail().toLowerCase() }
  }
  for (const id of newIds(products, generate.products, 101)) {
    faker.seed([seed, hash(['product']), id])
    const product_type = pick(['fpr', 'fpr', 'ppr'] as const, [seed, 'type', id])
    const size = faker.helpers.arrayElement([1, 5, 10, 25, 50, 100])
    products[id] = {
      productName: `${product_type === 'fpr' ? `Static ${size}` : `Rotating ${size} GB`} ${faker.location.country()}`,
      price: faker.number.int({ min: 199, max: 19_999 }) / 100,
      groupId: product_type === 'fpr' ? 1 : 2,
      groupName: product_type === 'fpr' ? 'Static' : 'Rotating',
      created_at: dateOf(faker.date.past({ years: 3 }).getTime()),
      product_type,
      ...(product_type === 'fpr' && {
        ip_count: size,
        geo: faker.helpers.multiple(() => faker.location.countryCode(), { count: { min: 1, max: 4 } }),
      }),
    }
  }
  const clientIds = Object.keys(clients)
  const productIds = Object.keys(products)
  for (const id of newIds(services, generate.services, 5001)) {
    const product = Number(pick(productIds, [seed, 'product', id]))
    services[id] = {
      client: clientIds.length ? Number(pick(clientIds, [seed, 'client', id])) : 11,
      product,
      // most services of a going concern are Active and paid by the month
      status: fraction([seed, 'active', id]) < 0.8 ? 'Active' : pick(serviceStatuses, [seed, 'status', id]),
      billingcycle:
        products[product]?.price === 0
          ? 'Free'
          : fraction([seed, 'monthly', id]) < 0.7
            ? 'Monthly'
            : pick(billingCycles.slice(1), [seed, 'cycle', id]),
      ...(products[product]?.product_type === 'ppr' && {
        usage: { limit: 10_000, stats: usageOf(seed, id, now) },
      }),
    }
  }
  const serviceIds = Object.keys(services)
  for (const id of newIds(invoices, generate.invoices, 9001)) {
    faker.seed([seed, hash(['invoice']), id])
    const serviceid = serviceIds.length ? Number(pick(serviceIds, [seed, 'service', id])) : 5001
    const product = products[services[serviceid]?.product ?? 0]
    invoices[id] = {
      serviceid,
      status: fraction([seed, 'paid', id]) < 0.8 ? 'Paid' : pick(invoiceStatuses, [seed, 'invoice', id]),
      amount: cents(product?.price ?? 0) / 100,
      created_at: dateOf(faker.date.past({ years: 1 }).getTime()),
    }
  }
  return { ...account, clients, products, services, invoices }
}

/** Usage of the last week. */
function usageOf(seed: number, id: number, now: Instant): Record<string, number> {
  return Object.fromEntries(
    Array.from({ length: 7 }, (_, i) => [dateOf(now - (7 - i) * day), hash([seed, 'usage', id, i]) % 1000]),
  )
}

function newIds(records: Record<string, unknown>, count = 0, first: number): number[] {
  const start = Object.keys(records).reduce((max, id) => Math.max(max, Number(id) + 1), first)
  return Array.from({ length: count }, (_, i) => start + i)
}
