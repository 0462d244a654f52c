import type { Contract } from '../contract/Contract.ts'
import { defined } from '../defined.ts'
import { checkScenario } from '../scenario/checkScenario.ts'
import type { NamedInvoice, NamedProduct, NamedService } from '../world/NamedWorld.ts'
import type { Readings, ScenarioAccount, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { instantOf, type Instant } from '../world/time.ts'
import { login, password } from './Judge.ts'
import type { Survey } from './survey.ts'
import { unseenProduct } from './unseen.ts'

/** What a recording alone doesn't show about a world. */
export interface Start {
  /** In USD; if it was never seen, what the recorded orders need */
  credit: number
  readings: Readings
  /** Seconds */
  interval: number
  /** When the recording begins */
  at: Instant
}

/** The id of a client that doesn't exist */
const goneClient = 9_999_999_998

type Fields = Record<string, unknown>

/** The world at the start of a recording, as a scenario. */
export function startingScenario(found: Survey, start: Start, contract: Contract): ScenarioDocument {
  const records = recordsOf(found.facts)
  const clients = clientsOf(records.clients)
  const products = productsOf(records.products, found)
  const services = Object.fromEntries(
    Object.entries(records.services).map(([id, facts]) => {
      const named = serviceOf(facts, products, clients)
      const next = found.throttled.get(id)
      return [
        id,
        next === undefined ? named : { ...named, list_updated_at: instantOf(next - start.interval * 1000) },
      ]
    }),
  )
  const account: ScenarioAccount = {
    password,
    credit: start.credit,
    clients,
    products,
    services,
    invoices: records.invoices as Record<string, NamedInvoice>,
    limits: { updateListInterval: start.interval },
    assumptions: start.readings,
    ...(found.firstIds && { next: found.firstIds }),
  }
  return withoutIssues(
    {
      description: 'What a recording of the real service shows, as it was at the beginning.',
      clock: instantOf(start.at),
      accounts: { [login]: account },
    },
    contract,
  )
}

interface Records {
  clients: Record<string, Fields>
  products: Record<string, Fields>
  services: Record<string, Fields>
  invoices: Record<string, Fields>
}

/** The records that exist, with their fields. */
function recordsOf(facts: ReadonlyMap<string, unknown>): Records {
  const records: Records = { clients: {}, products: {}, services: {}, invoices: {} }
  for (const [path, value] of facts) {
    const [collection = '', id = '', ...field] = path.split('/')
    if (id === '' || !Object.hasOwn(records, collection) || facts.get(`${collection}/${id}`) !== true)
      continue
    const record = (records[collection as keyof Records][id] ??= {})
    // Without an address of its own, a service would get one.
    const shown = field[0] === 'bindedip' ? (value ?? '') : value
    if (field.length > 0 && shown !== undefined) record[field.join('/')] = shown
  }
  return records
}

function clientsOf(records: Record<string, Fields>): NonNullable<ScenarioAccount['clients']> {
  return Object.fromEntries(
    Object.entries(records).map(([id, { email }]) => [id, typeof email === 'string' ? { email } : {}]),
  )
}

/** A product that was found by its id and not in the list is hidden. */
function productsOf(records: Record<string, Fields>, { facts, whole }: Survey): Record<string, NamedProduct> {
  return Object.fromEntries(
    Object.entries(records).map(([id, record]) => {
      const isListed = facts.has(`products/${id}/created_at`) && facts.has(`products/${id}/productName`)
      const { geo, ip_count, update_time, ...rest } = record
      const named = {
        productName: `Product ${id}`,
        price: 0,
        product_type: 'fpr',
        ...(whole.has('products') &&
          !isListed &&
          record['product_hidden'] === undefined && { product_hidden: true }),
        ...rest,
      } as NamedProduct
      if (named.product_type === 'ppr') return [id, named]
      return [id, Object.assign(named, defined({ geo, ip_count, update_time }))]
    }),
  )
}

function serviceOf(
  facts: Fields,
  products: Record<string, NamedProduct>,
  clients: NonNullable<ScenarioAccount['clients']>,
): NamedService {
  const { client, dead, bindedip, ip_count, ...rest } = facts
  const product = productOf(facts, products)
  const named: Fields = {
    client: client === false ? goneClient : clientFor(clients),
    product: product === undefined ? unseenProduct : Number(product),
  }
  const sessions: { server: string; session: string }[] = []
  const [sticky, usage]: [Fields, Fields] = [{}, {}]
  for (const [name, value] of Object.entries(rest)) {
    const [group, field, ...key] = name.split('/')
    if (group === 'sticky' && field === 'sessions' && key.length === 2) {
      const [server = '', session = ''] = key.map(decodeURIComponent)
      sessions.push({ server, session })
    } else if (group === 'sticky') sticky[field as string] = value
    else if (group === 'usage') usage[field as string] = value
    else named[name] = value
  }
  const type = (named['product_type'] ?? products[product ?? '']?.product_type ?? 'fpr') as string
  if (dead === true && type === 'ppr') named['status'] ??= 'Suspended'
  if (product === undefined || products[product]?.product_type !== type) named['product_type'] = type
  if (product === undefined) Object.assign(named, { product_name: 'Unknown', price: 0, ...defined(named) })
  if (type === 'fpr') Object.assign(named, defined({ bindedip, ip_count }))
  else {
    const seen = (sticky['sessions'] ?? []) as { server: string; session: string }[]
    const others = sessions.filter(
      (one) => !seen.some(({ server, session }) => server === one.server && session === one.session),
    )
    if (Object.keys(sticky).length > 0 || others.length > 0)
      named['sticky'] = { ...sticky, sessions: [...seen, ...others] }
    if (Object.keys(usage).length > 0) named['usage'] = usageOf(usage)
  }
  return named as unknown as NamedService
}

/** A service shows its product's name only. */
function productOf(
  { product_name, price }: Fields,
  products: Record<string, NamedProduct>,
): string | undefined {
  const named = Object.entries(products).filter(([, { productName }]) => productName === product_name)
  return (named.find(([, product]) => product.price === price) ?? named[0])?.[0]
}

/** No response says which client a service belongs to: any will do. */
function clientFor(clients: NonNullable<ScenarioAccount['clients']>): number {
  const [first] = Object.keys(clients)
  if (first !== undefined) return Number(first)
  clients[1] = {}
  return 1
}

/** The rate is the sum of the days; if they were never seen, a single day has all of it. */
export function usageOf({ limit, stats, rate }: Fields): { limit: number; stats: Record<string, number> } {
  const days = (stats ?? {}) as Record<string, number>
  const sum = Object.values(days).reduce((all, one) => all + one, 0)
  const isOdd = typeof rate === 'number' && Math.abs(sum - rate) > 1e-9 && stats === undefined
  return {
    limit: typeof limit === 'number' ? limit : 10_000,
    stats: isOdd && rate > 0 ? { '1970-01-01': rate } : days,
  }
}

/** Drops what a scenario can't express: the real service may have records that ours can't. */
function withoutIssues(document: ScenarioDocument, contract: Contract): ScenarioDocument {
  for (let round = 0; round < 20; round++) {
    const issues = checkScenario(document, contract.operations)
    if (issues.length === 0) return document
    for (const { path } of issues) drop(document as unknown as Fields, path)
  }
  return document
}

const requiredFields = ['client', 'product', 'product_type', 'price', 'productName', 'serviceid', 'status']

function drop(document: Fields, path: readonly (string | number)[]): void {
  // A required field that is wrong takes its record with it.
  const short = path.slice(0, requiredFields.includes(String(path[4])) ? 4 : 5)
  let node: Fields = document
  for (const key of short.slice(0, -1)) {
    if (typeof node[key] !== 'object' || node[key] === null) return
    node = node[key] as Fields
  }
  delete node[short.at(-1) as string]
}
