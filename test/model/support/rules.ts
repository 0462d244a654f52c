import {
  filled,
  generated,
  type Account,
  type Entry,
  type Fault,
  type Invoice,
  type Patch,
  type Service,
  type Sticky,
} from './Account.ts'

/*
 * The rules of the service and of the timeline once more, as naively as they can be said, from their description and not
 * from the code that they test: plain JSON, plain loops, money in whole cents.
 */

/** Status and body, to the letter where a rule fixes it; for a refusal its case. */
export interface Expected {
  status: number
  body: unknown
  case?: string
}

const cases = {
  unauthenticated: [401, 'Unauthenticated'],
  'invalid-authorization-header': [400, 'Invalid Authorization header'],
  'invalid-credentials-format': [400, 'Invalid credentials format'],
  unprocessable: [422, { error: 'Unprocessable Entity ' }],
  'product-not-found': [422, { error: 'Unprocessable Entity or product ID not found' }],
  'insufficient-funds': [422, { error: 'Unprocessed entity or not enough funds to order' }],
  'incorrect-posted-data': [422, { error: 'Unprocessable Entity. Incorrect posted data' }],
  'invalid-ipv4': [422, { error: 'Unprocessable Entity. Invalid IPv4 format' }],
  'ip-already-bound': [422, { error: 'Unprocessable Entity. IP already binded' }],
  'upstream-error': [422, { error: generated }],
} as const

export function refused(name: keyof typeof cases): Expected {
  const [status, body] = cases[name]
  return { status, body, case: name }
}

const clientNotFound = (status: number): Expected => ({
  status,
  body: { error: 'Unprocessable Entity. ClientID not found' },
  case: 'client-not-found',
})
const ok = (body: unknown): Expected => ({ status: 200, body })

/** The clock goes no further. */
export const end = Date.parse('9899-12-31T23:59:59.999Z')
/** Ids from here on are for those who name theirs. */
export const lastId = 9_000_000_000
const iso = (at: number): string => new Date(Math.min(at, end)).toISOString()
const day = (at: number): string => iso(at).slice(0, 10)
const dateTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')
export const cents = (usd: number): number => Math.round(usd * 100)
export const nowOf = ({ clock }: Account): number => Date.parse(clock.now)

/** Four numbers from 0 to 255, none with a zero before it. */
export function isAddress(text: string): boolean {
  const parts = text.split('.')
  return (
    parts.length === 4 &&
    parts.every((part) => /^\d+$/.test(part) && String(Number(part)) === part && +part < 256)
  )
}

function isBound({ services }: Account, ip: string, butFor?: string): boolean {
  return Object.entries(services).some(([id, { bindedip }]) => id !== butFor && bindedip === ip)
}

/** In the order of the ids: of large ones, JSON has them in any. */
const byId = <T>(records: Record<string, T>) => Object.entries(records).toSorted(([a], [b]) => +a - +b)
const idOf = (text: string): string => (/^[1-9]\d*$/.test(text) ? text : '')
const has = (records: object, id: string): boolean => Object.hasOwn(records, id)

/** The operations, in the API's order; each may change the account that it is given. */
export const operations: Record<
  string,
  (account: Account, path: Record<string, string>, body: unknown) => Expected
> = {
  listClients: ({ clients }) => ok(byId(clients).map(([id, { email }]) => ({ id: +id, email }))),
  getStats: usage((stats) =>
    Object.entries(stats)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, rate]) => ({ date, rate })),
  ),
  getRate: usage((stats, limit) =>
    limit === 'none'
      ? []
      : [
          {
            limit,
            rate: Number(
              Object.values(stats)
                .reduce((sum, rate) => sum + rate, 0)
                .toFixed(3),
            ),
          },
        ],
  ),
  getProduct({ products, assumptions }, { pid = '' }) {
    const product = products[idOf(pid)]
    if (!product) return refused('product-not-found')
    const { productName: _, ...shown } = product
    if (shown.geo && assumptions['geo'] === 'object') shown.geo = generated
    return ok({ productId: +pid, ...shown })
  },
  orderService: order,
  listProducts: (account) => ok(listed(account)),
  listProductsOrderedBy(account, { field = '' }) {
    const { unknownSortField, productSort } = account.assumptions
    const products = listed(account) as unknown as Record<string, string | number>[]
    if (!['productId', 'productName', 'price', 'groupId', 'groupName', 'created_at'].includes(field))
      return unknownSortField === 'ignore' ? ok(products) : refused('unprocessable')
    const sign = productSort === 'desc' ? -1 : 1
    const compare = (a: string | number = 0, b: string | number = 0): number => (a < b ? -1 : a > b ? 1 : 0)
    return ok(products.toSorted((a, b) => sign * compare(a[field], b[field])))
  },
  getNetworkErrors: networkStatus('errors'),
  getNetworkInactive: networkStatus('inactive'),
  getCredit: ({ credit }) => ok({ credit }),
  listInvoices: ({ invoices }) => ok(byId(invoices).map(([id, invoice]) => ({ id: +id, ...invoice }))),
  getInvoice({ invoices, assumptions }, { id = '' }) {
    const invoice = invoices[idOf(id)]
    if (invoice) return ok([{ id: +id, ...invoice }])
    return assumptions['unknownInvoice'] === 'empty' ? ok([]) : refused('unprocessable')
  },
  getService({ services, assumptions }, { id = '' }) {
    const service = services[idOf(id)]
    if (!service) return assumptions['unknownService'] === 'empty' ? ok([]) : refused('unprocessable')
    const { bindedip, product_type, ip_count, ...rest } = service
    const { orderid, product_name, regdate, nextduedate, status, billingcycle, username, password, price } =
      rest
    const isShown = bindedip || (product_type === 'fpr' && assumptions['emptyBind'] === 'empty')
    const own = {
      service_id: +id,
      orderid,
      product_name,
      regdate,
      nextduedate,
      status,
      billingcycle,
      username,
    }
    return ok({
      ...own,
      password,
      ...(isShown && { bindedip }),
      product_type,
      ...(ip_count && { ip_count }),
      price,
    })
  },
  listServices: ({ services }) =>
    ok(
      byId(services).map(([id, { product_name, nextduedate, orderid, status }]) => ({
        service_id: +id,
        product_name,
        nextduedate,
        orderid,
        status,
      })),
    ),
  updateService: update,
  getIpList({ services }, { typel = '', formatl = '', id = '' }) {
    const service = services[idOf(id)]
    const type = ['http-ip', 'socks-ip', 'http-auth'].includes(typel)
      ? 'fpr'
      : /^ppr-(http|socks)$/.test(typel) && 'ppr'
    const fits = service?.status === 'Active' && service.product_type === type
    return fits && ['csv', 'txt', 'json'].includes(formatl) ? ok(generated) : refused('unprocessable')
  },
  listStickySessions(account, { id = '' }) {
    const service = account.services[idOf(id)]
    if (!service) return refused('upstream-error')
    const { ttl, sessions } = rotating(account, service) ?? { ttl: 0, sessions: [] }
    return ok(
      sessions.map(({ server, session, ip, since }) => ({
        server,
        session,
        ip,
        ttl,
        expires_at: dateTime(Date.parse(since) + ttl * 6e4),
      })),
    )
  },
  rotateStickySession(account, { id = '', server, session }) {
    const service = account.services[idOf(id)]
    const sticky = service && rotating(account, service)
    const found = sticky?.sessions.find((one) => one.server === server && one.session === session)
    if (!service || !sticky || !found) return refused('unprocessable')
    const renewed = { ...found, ip: generated, rotations: generated, since: account.clock.now }
    service.sticky = { ...sticky, sessions: sticky.sessions.map((one) => (one === found ? renewed : one)) }
    return ok(generated)
  },
  changeStickyTtl(account, { id = '', ttl = '' }) {
    const service = account.services[idOf(id)]
    if (!service || !['1', '2', '3', '5', '10', '15'].includes(ttl)) return refused('unprocessable')
    const sticky = rotating(account, service)
    if (!sticky) return ok(account.assumptions['inactiveTtlBody'] === 'array' ? [] : '')
    const sessions = sticky.sessions.map((session) => ({ ...session, since: account.clock.now }))
    service.sticky = { ttl: +ttl, sessions }
    return ok(generated)
  },
  resetStickySessions(account, { id = '' }) {
    const service = account.services[idOf(id)]
    if (!service) return refused('unprocessable')
    if (!rotating(account, service)?.ttl) return ok([])
    Object.assign(service.sticky as object, { sessions: [] })
    return ok(generated)
  },
}

function usage(show: (stats: Record<string, number>, limit: number | 'none') => unknown) {
  return ({ services, assumptions }: Account, { id = '' }: Record<string, string>): Expected => {
    const service = services[idOf(id)]
    if (service?.usage) return ok(show(service.usage.stats, service.usage.limit))
    return service && assumptions['usageOfFpr'] === 'empty' ? ok([]) : refused('unprocessable')
  }
}

function networkStatus(kind: 'errors' | 'inactive') {
  return ({ services, clients }: Account, { id = '' }: Record<string, string>): Expected => {
    const service = services[idOf(id)]
    if (!service) return refused('unprocessable')
    return has(clients, String(service.client)) ? ok(service[kind] ?? []) : clientNotFound(400)
  }
}

function listed({ products, assumptions }: Account) {
  return byId(products)
    .filter(
      ([, one]) => assumptions['hiddenProducts'] === 'listed' || !(one.product_hidden || one.group_hidden),
    )
    .map(([id, { productName, price, groupId, groupName, created_at }]) => ({
      productId: +id,
      productName,
      price,
      groupId,
      groupName,
      created_at,
    }))
}

/** The sessions of an Active rotating service that have not outlived their TTL. */
function rotating(account: Account, { status, sticky }: Service): Sticky | undefined {
  if (status !== 'Active' || !sticky) return undefined
  return { ...sticky, sessions: living(account, sticky) }
}

function living(account: Account, { ttl, sessions }: Sticky) {
  return sessions.filter(({ since }) => nowOf(account) < Date.parse(since) + ttl * 60_000)
}

function order(account: Account, { pid = '' }: Record<string, string>, posted: unknown): Expected {
  const product = account.products[idOf(pid)]
  if (!product) return refused('product-not-found')
  const { clientid, setip } = (posted ?? {}) as Record<string, unknown>
  const isInteger = Number.isInteger(clientid) && (clientid as number) > 0
  if (!isInteger || !['undefined', 'string'].includes(typeof setip)) return refused('incorrect-posted-data')
  if (!has(account.clients, String(clientid))) return clientNotFound(422)
  if (
    typeof setip === 'string' &&
    (product.product_type === 'ppr' || !isAddress(setip) || isBound(account, setip))
  )
    return refused('incorrect-posted-data')
  if (cents(account.credit) < cents(product.price)) return refused('insufficient-funds')
  const { next, assumptions, limits } = account
  if (Math.max(next.service, next.order, next.invoice) >= lastId) return refused('product-not-found')
  const [serviceId, orderId, invoiceId] = [next.service++, next.order++, next.invoice++]
  const { orderedService = '', orderedInvoice = '' } = assumptions
  const now = nowOf(account)
  account.services[serviceId] = {
    ...newService(product.product_type),
    client: clientid as number,
    product: +pid,
    orderid: orderId,
    product_name: product.productName,
    price: product.price,
    status: orderedService,
    regdate: day(now),
    ...(product.product_type === 'fpr' && { bindedip: (setip ?? '') as string }),
  } as Service
  const isPaid = orderedInvoice === 'Paid'
  account.invoices[invoiceId] = {
    serviceid: serviceId,
    status: orderedInvoice,
    created_at: day(now),
    amount: product.price,
    description: generated,
    paymentmethod: generated,
    ...(isPaid && { date_paid: day(now) }),
  } as Invoice
  if (isPaid) account.credit = (cents(account.credit) - cents(product.price)) / 100
  const later = (seconds: number, entry: Omit<Entry, 'id' | 'at'>): void =>
    void account.timeline.push({
      id: next.timeline++,
      at: iso(now + seconds * 1000),
      description: generated,
      ...entry,
    })
  if (orderedService !== 'Active' && limits.activation !== undefined)
    later(limits.activation, { patch: { services: { [serviceId]: { status: 'Active' } } } })
  if (!isPaid && limits.payment !== undefined)
    later(limits.payment, {
      patch: { invoices: { [invoiceId]: { status: 'Paid', date_paid: day(now + limits.payment * 1000) } } },
      add: { credit: 0 - product.price },
    })
  return ok({ serviceId, orderId, invoiceId, amount: product.price, ip: setip ?? generated })
}

function newService(type: 'fpr' | 'ppr') {
  const made = { orderid: generated, product_name: generated, price: generated, billingcycle: generated }
  const more = { regdate: generated, nextduedate: generated, username: generated, password: generated }
  const own =
    type === 'fpr'
      ? { ip_count: generated, bindedip: generated }
      : { usage: { limit: generated, stats: {} }, sticky: { ttl: 10, sessions: [] } }
  return { ...made, ...more, product_type: type, status: 'Active', ...own }
}

function update(account: Account, { id = '' }: Record<string, string>, posted: unknown): Expected {
  const service = account.services[idOf(id)]
  if (!service) return refused('unprocessable')
  if (!has(account.clients, String(service.client))) return clientNotFound(400)
  if (service.status !== 'Active') return refused('unprocessable')
  const fields = (posted ?? {}) as Record<string, unknown>
  if (Array.isArray(posted) || Object.values(fields).some((value) => typeof value !== 'string'))
    return refused('incorrect-posted-data')
  const { setip, update_list, password } = fields as Record<string, string | undefined>
  const decoded = password === undefined ? undefined : Buffer.from(password, 'base64').toString()
  const isText = decoded !== '' && !/[\0-\x1f\x7f-\x9f]/.test(decoded ?? '')
  if (decoded !== undefined && (!isText || Buffer.from(decoded).toString('base64') !== password))
    return refused('incorrect-posted-data')
  const { assumptions, limits } = account
  if (setip !== undefined) {
    if (service.product_type === 'ppr') return refused('incorrect-posted-data')
    if (!isAddress(setip)) return refused('invalid-ipv4')
    if (isBound(account, setip, assumptions['rebindOwn'] === 'refused' ? undefined : id))
      return refused('ip-already-bound')
  }
  const wantsList = update_list === 'true'
  const next = Date.parse(service.list_updated_at ?? '') + limits.updateListInterval * 1000
  if (wantsList && nowOf(account) < next) {
    const text = `Too Many Attempts (updateList). Next update possible: ${dateTime(Math.ceil(next / 1000) * 1000)}`
    return { status: 429, body: { error: text }, case: 'update-list-throttled' }
  }
  if (setip !== undefined) service.bindedip = setip
  if (decoded !== undefined) service.password = decoded
  if (wantsList) {
    const { ips: _, ...rest } = service
    const updated = { ...rest, list_version: generated, list_updated_at: account.clock.now }
    if (service.errors) updated.errors = generated
    if (service.inactive) updated.inactive = generated
    account.services[id] = updated
  }
  const all = assumptions['updateResult'] === 'all'
  return ok({
    ...((all || setip !== undefined) && { setip: { success: 'IP address updated successfully' } }),
    ...((all || wantsList) && { update_list: { success: 'IP list updated successfully' } }),
    ...((all || password !== undefined) && { password: { success: 'Password updated successfully' } }),
  })
}

/** The fault that strikes a request, counted. */
export function strike({ faults }: Account, operation: string): Fault | undefined {
  for (const fault of faults) {
    const { times = Infinity, after = 0 } = fault
    if (fault.used >= times || !['*', operation].includes(fault.operation)) continue
    if (fault.seen++ < after) continue
    fault.used++
    return fault
  }
  return undefined
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const made: Record<string, unknown> =
    typeof target === 'object' && !Array.isArray(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete made[key]
    else made[key] = merged(made[key], value)
  return made
}

/**
 * The account after a merge patch of credit, limits, assumptions, tokens, clients, and of prices, statuses, addresses and
 * whole services; undefined if it must be refused.
 */
export function patched(account: Account, patch: Patch): Account | undefined {
  const after = merged(structuredClone(account), patch) as Account
  const {
    services = {},
    products = {},
    invoices = {},
  } = patch as Record<string, Record<string, Partial<Service> | null>>
  const isUsd = (usd: number): boolean => usd >= 0 && cents(usd) / 100 === usd
  const isWrong = ([id, named]: [string, Partial<Service> | null]): boolean =>
    named !== null && (!account.products[id] || !isUsd(named.price ?? 0))
  if (!isUsd(after.credit) || Object.entries(products).some(isWrong)) return undefined
  for (const [id, named] of Object.entries(services)) {
    if (!named) continue
    const before = account.services[id]
    const product = after.products[String(after.services[id]?.product)]
    if (!before && (named.client === undefined || named.product === undefined || !product)) return undefined
    const type = before?.product_type ?? product?.product_type ?? 'fpr'
    const service = { ...(before ?? newService(type)), ...named } as Service
    if (Object.hasOwn(named, 'bindedip') && type === 'ppr' && named.bindedip !== null) return undefined
    if (named.bindedip === null && type === 'fpr') service.bindedip = ''
    if (type === 'ppr') delete service.bindedip
    after.services[id] = service
  }
  const addresses = Object.values(after.services).flatMap(({ bindedip }) => (bindedip ? [bindedip] : []))
  const wrong = addresses.some((ip) => ip !== generated && !isAddress(ip))
  if (wrong || new Set(addresses).size < addresses.length) return undefined
  for (const [id, named] of Object.entries(invoices)) {
    if (!account.invoices[id] && named) return undefined
    if (named)
      after.invoices[id] = { date_paid: generated, date_refunded: generated, ...after.invoices[id] } as never
  }
  after.next = Object.keys(services).length > 0 ? generated : after.next
  return after
}

/** Why an addition cannot be made, in any words. */
function cannotAdd({ services, credit }: Account, { add }: Pick<Entry, 'add'>, at: number): boolean {
  const isUsed = ([id, { usage: more }]: [string, { usage: number }]): boolean =>
    services[id]?.usage === undefined || (services[id].usage.stats[day(at)] ?? 0) + more > 1e12
  return Object.entries(add?.services ?? {}).some(isUsed) || cents(credit) + cents(add?.credit ?? 0) < 0
}

/** The account once all has happened that is due by an instant. */
export function settled(account: Account, until = nowOf(account)): Account {
  const world = structuredClone(account)
  for (;;) {
    world.timeline.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id - b.id))
    const [entry] = world.timeline
    const at = Date.parse(entry?.at ?? '')
    if (!entry || at > until) return world
    const { id, patch = {}, add, every, times = 1, description = generated } = entry
    const after = cannotAdd(world, entry, at) ? undefined : patched(world, patch)
    const isNothing = add && entry.patch && JSON.stringify(filled(after, world)) === JSON.stringify(world)
    const isDone = after !== undefined && !isNothing
    if (isDone) {
      Object.assign(world, after)
      for (const [service, { usage: more }] of Object.entries(add?.services ?? {})) {
        const { stats } = (world.services[service] as Required<Service>).usage
        stats[day(at)] = (stats[day(at)] ?? 0) + more
      }
      world.credit = (cents(world.credit) + cents(add?.credit ?? 0)) / 100
    }
    world.timeline.shift()
    if (times > 1 && every)
      world.timeline.unshift({ ...entry, at: iso(at + durationOf(every)), times: times - 1 })
    world.history.push({ id, at: entry.at, description, ...(!isDone && { reason: generated }) })
    world.history = world.history.slice(-100)
  }
}

/** Milliseconds of a duration that the model knows. */
export function durationOf(text: string): number {
  const [, days = '0', count = '0', unit = ''] = /^P(?:(\d+)D|T(\d+)([SMH]))$/.exec(text) ?? []
  return Number(days) * 86_400_000 + Number(count) * ({ S: 1000, M: 60_000, H: 3_600_000 }[unit] ?? 0)
}

/** The account with one more entry; undefined if it must be refused. */
export function scheduled(
  account: Account,
  { after, ...named }: Omit<Entry, 'id' | 'at'> & { at?: string; after?: string },
) {
  const at = after === undefined ? Date.parse(named.at ?? '') : nowOf(account) + durationOf(after)
  if (at < nowOf(account) || at > end || (named.every === undefined) !== (named.times === undefined))
    return undefined
  const then = settled(account, at)
  if (
    cannotAdd(then, { add: { services: named.add?.services ?? {} } }, 0) ||
    !patched(then, named.patch ?? {})
  )
    return undefined
  const entry = { ...named, id: account.next.timeline, at: iso(at) }
  const next = { ...account.next, timeline: entry.id + 1 }
  return { entry, account: settled({ ...account, next, timeline: [...account.timeline, entry] }) }
}

/** The account at a later time: sessions that have outlived their TTL are gone, and what is due has happened. */
export function advanced(account: Account, to: number): Account {
  const later = structuredClone(account)
  later.clock.now = iso(to)
  for (const { sticky } of Object.values(later.services)) if (sticky) sticky.sessions = living(later, sticky)
  return settled(later)
}
