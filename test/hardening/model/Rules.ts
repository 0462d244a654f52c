/**
 * The rules of the service once more, as naively as they can be said: plain fields, plain loops, no code of the
 * product. What is not fixed by a rule (ids, addresses, passwords that are made up) is taken from the answers.
 */
export interface RuledSession {
  server: string
  session: string
  ip: string | undefined
  since: number
}

export interface RuledService {
  client: number
  name: string
  type: 'fpr' | 'ppr'
  status: string
  bindedip: string
  /** undefined: made up */
  password: string | undefined
  updated: number | undefined
  /** Minutes */
  ttl: number
  sessions: RuledSession[]
}

export interface RuledFault {
  operation: string
  phase: 'before' | 'after'
  left: number
}

export interface Rules {
  /** Milliseconds since 1970 */
  now: number
  /** Cents, as everything that is money here */
  credit: number
  /** What was put in, since the start */
  paidIn: number
  clients: number[]
  products: { id: number; name: string; price: number; type: 'fpr' | 'ppr' }[]
  services: Map<number, RuledService>
  invoices: Map<number, { serviceid: number; amount: number }>
  /** Every id that was ever given away */
  orders: number[]
  /** The largest id that a service ever had */
  lastService: number
  /** Seconds between two updates of a list */
  interval: number
  fault: RuledFault | undefined
}

/** Status and body, to the letter where it is known before. */
export interface Expected {
  status: number
  body: unknown
}

export const start = Date.parse('2026-01-15T12:00:00Z')
const minute = 60_000

/** The scenario that the rules begin with. */
export const scenario = {
  clock: '2026-01-15T12:00:00Z',
  seed: 3,
  accounts: {
    reseller: {
      password: 'secret:with:colons',
      credit: 5,
      clients: { 11: { email: 'ana@example.com' }, 12: { email: 'bo@example.com' } },
      products: {
        101: { productName: 'Static 1', price: 0.1, product_type: 'fpr', ip_count: 2 },
        102: { productName: 'Static 2', price: 1.15, product_type: 'fpr', ip_count: 3 },
        103: { productName: 'Rotating', price: 0.35, product_type: 'ppr' },
        104: { productName: 'Dear', price: 19.99, product_type: 'fpr', ip_count: 1 },
        105: { productName: 'Free', price: 0, product_type: 'ppr' },
      },
      services: {
        5001: { client: 11, product: 101, status: 'Active', bindedip: '192.0.2.1' },
        5002: { client: 12, product: 102, status: 'Active', bindedip: '192.0.2.2' },
        5003: {
          client: 11,
          product: 103,
          status: 'Active',
          sticky: {
            ttl: 5,
            sessions: [
              { server: 'us1', session: 'abc' },
              { server: 'us1', session: 'xyz' },
            ],
          },
        },
        5004: {
          client: 11,
          product: 103,
          status: 'Suspended',
          sticky: { ttl: 5, sessions: [{ server: 'us1', session: 'abc' }] },
        },
        5005: { client: 99, product: 101, status: 'Active', bindedip: '192.0.2.3' },
        5006: { client: 12, product: 102, status: 'Pending', bindedip: '192.0.2.4' },
      },
      limits: { updateListInterval: 600 },
    },
  },
}

/** The rules' own idea of that scenario. */
export function begin(): Rules {
  const service = (
    client: number,
    name: string,
    type: 'fpr' | 'ppr',
    status: string,
    bindedip: string,
    names: string[] = [],
  ): RuledService => ({
    client,
    name,
    type,
    status,
    bindedip,
    password: undefined,
    updated: undefined,
    ttl: names.length ? 5 : 10,
    sessions: names.map((session) => ({ server: 'us1', session, ip: undefined, since: start })),
  })
  return {
    now: start,
    credit: 500,
    paidIn: 500,
    clients: [11, 12],
    products: [
      { id: 101, name: 'Static 1', price: 10, type: 'fpr' },
      { id: 102, name: 'Static 2', price: 115, type: 'fpr' },
      { id: 103, name: 'Rotating', price: 35, type: 'ppr' },
      { id: 104, name: 'Dear', price: 1999, type: 'fpr' },
      { id: 105, name: 'Free', price: 0, type: 'ppr' },
    ],
    services: new Map([
      [5001, service(11, 'Static 1', 'fpr', 'Active', '192.0.2.1')],
      [5002, service(12, 'Static 2', 'fpr', 'Active', '192.0.2.2')],
      [5003, service(11, 'Rotating', 'ppr', 'Active', '', ['abc', 'xyz'])],
      [5004, service(11, 'Rotating', 'ppr', 'Suspended', '', ['abc'])],
      [5005, service(99, 'Static 1', 'fpr', 'Active', '192.0.2.3')],
      [5006, service(12, 'Static 2', 'fpr', 'Pending', '192.0.2.4')],
    ]),
    invoices: new Map(),
    orders: [],
    lastService: 5006,
    interval: 600,
    fault: undefined,
  }
}

const no = (status: number, error: string): Expected => ({ status, body: { error } })
export const unprocessable = no(422, 'Unprocessable Entity ')
const noProduct = no(422, 'Unprocessable Entity or product ID not found')
const noFunds = no(422, 'Unprocessed entity or not enough funds to order')
const wrongData = no(422, 'Unprocessable Entity. Incorrect posted data')
const noClient = (status: number): Expected => no(status, 'Unprocessable Entity. ClientID not found')
const wrongIp = no(422, 'Unprocessable Entity. Invalid IPv4 format')
const bound = no(422, 'Unprocessable Entity. IP already binded')
const yes = (body: unknown): Expected => ({ status: 200, body })

/** Four numbers from 0 to 255, none with a zero before it. */
export function isAddress(text: string): boolean {
  const parts = text.split('.')
  return (
    parts.length === 4 &&
    parts.every(
      (part) =>
        String(Number(part)) === part && Number(part) >= 0 && Number(part) < 256 && /^\d+$/.test(part),
    )
  )
}

export function isBound(rules: Rules, ip: string, butFor?: number): boolean {
  return [...rules.services].some(([id, { bindedip }]) => id !== butFor && bindedip === ip)
}

/** What an order must give; an order that succeeds has undefined as its body. */
export function order(rules: Rules, pid: string, posted: unknown): Expected {
  const product = rules.products.find(({ id }) => String(id) === pid)
  if (!product) return noProduct
  if (typeof posted !== 'object' || posted === null) return wrongData
  const { clientid, setip } = posted as { clientid?: unknown; setip?: unknown }
  if (typeof clientid !== 'number' || !Number.isInteger(clientid) || clientid < 1) return wrongData
  if (setip !== undefined && typeof setip !== 'string') return wrongData
  if (!rules.clients.includes(clientid)) return noClient(422)
  if (setip !== undefined && (product.type === 'ppr' || !isAddress(setip) || isBound(rules, setip)))
    return wrongData
  return product.price > rules.credit ? noFunds : yes(undefined)
}

export interface Ordered {
  serviceId: number
  orderId: number
  invoiceId: number
  amount: number
  ip: string
}

/** What an order that succeeded has changed. */
export function ordered(
  rules: Rules,
  pid: string,
  { clientid, setip = '' }: { clientid: number; setip?: string },
  ids: Ordered,
): void {
  const product = rules.products.find(({ id }) => String(id) === pid)
  if (!product) throw new Error(`there is no product ${pid}`)
  rules.credit -= product.price
  rules.services.set(ids.serviceId, {
    client: clientid,
    name: product.name,
    type: product.type,
    status: 'Active',
    bindedip: setip,
    password: undefined,
    updated: undefined,
    ttl: 10,
    sessions: [],
  })
  rules.invoices.set(ids.invoiceId, { serviceid: ids.serviceId, amount: product.price })
  rules.orders.push(ids.orderId)
  rules.lastService = Math.max(rules.lastService, ids.serviceId)
}

/** The service of an id as it stands in a path: a number without sign, point or zeros before it. */
export function find(rules: Rules, id: string): RuledService | undefined {
  return /^[1-9]\d*$/.test(id) ? rules.services.get(Number(id)) : undefined
}

/** What an update must give, done where it succeeds. */
export function update(rules: Rules, id: string, posted: unknown): Expected {
  const service = find(rules, id)
  if (!service) return unprocessable
  if (!rules.clients.includes(service.client)) return noClient(400)
  if (service.status !== 'Active') return unprocessable
  if (
    typeof posted !== 'object' ||
    posted === null ||
    Object.values(posted).some((value) => typeof value !== 'string')
  )
    return wrongData
  const { setip, update_list, password } = posted as Record<string, string | undefined>
  const decoded = password === undefined ? undefined : Buffer.from(password, 'base64').toString()
  if (decoded !== undefined && (decoded === '' || Buffer.from(decoded).toString('base64') !== password))
    return wrongData
  if (setip !== undefined) {
    if (service.type === 'ppr') return wrongData
    if (!isAddress(setip)) return wrongIp
    if (isBound(rules, setip, Number(id))) return bound
  }
  if (update_list === 'true' && service.updated !== undefined) {
    const next = service.updated + rules.interval * 1000
    if (rules.now < next)
      return no(
        429,
        `Too Many Attempts (updateList). Next update possible: ${dateTime(Math.ceil(next / 1000) * 1000)}`,
      )
  }
  if (setip !== undefined) service.bindedip = setip
  if (update_list === 'true') service.updated = rules.now
  if (decoded !== undefined) service.password = decoded
  return yes({
    ...(setip !== undefined && { setip: { success: 'IP address updated successfully' } }),
    ...(update_list === 'true' && { update_list: { success: 'IP list updated successfully' } }),
    ...(password !== undefined && { password: { success: 'Password updated successfully' } }),
  })
}

function living(rules: Rules, service: RuledService): RuledSession[] {
  return service.sessions.filter(({ since }) => rules.now < since + service.ttl * minute)
}

/** What a service writes of its sessions is only those that live. */
export function forgetDead(rules: Rules, id: string): void {
  const service = find(rules, id)
  if (service) service.sessions = living(rules, service)
}

/** Time passes, and the sessions that have outlived their TTL are gone. */
export function pass(rules: Rules, seconds: number): void {
  rules.now += seconds * 1000
  for (const service of rules.services.values()) service.sessions = living(rules, service)
}

function isRotating({ type, status }: RuledService): boolean {
  return type === 'ppr' && status === 'Active'
}

/** What changing the TTL must give, done where it succeeds; a body of undefined may be anything. */
export function changeTtl(rules: Rules, id: string, ttl: string): Expected {
  if (!['1', '2', '3', '5', '10', '15'].includes(ttl)) return unprocessable
  const service = find(rules, id)
  if (!service) return unprocessable
  if (!isRotating(service)) return yes('')
  service.sessions = living(rules, service)
  for (const session of service.sessions) session.since = rules.now
  service.ttl = Number(ttl)
  return yes(undefined)
}

/** What resetting all sessions must give, done where it succeeds. */
export function resetAll(rules: Rules, id: string): Expected {
  const service = find(rules, id)
  if (!service) return unprocessable
  if (!isRotating(service)) return yes([])
  service.sessions = []
  return yes(undefined)
}

/** The session that a rotation renews; undefined where it must be refused. */
export function toRotate(
  rules: Rules,
  id: string,
  server: string,
  session: string,
): RuledSession | undefined {
  const service = find(rules, id)
  if (!service || !isRotating(service)) return undefined
  return living(rules, service).find((one) => one.server === server && one.session === session)
}

/** What the list of a service's sessions shows, addresses aside. */
export function sessions(
  rules: Rules,
  service: RuledService,
): { server: string; session: string; ttl: number; expires_at: string }[] {
  if (!isRotating(service)) return []
  return living(rules, service).map(({ server, session, since }) => ({
    server,
    session,
    ttl: service.ttl,
    expires_at: dateTime(since + service.ttl * minute),
  }))
}

/** YYYY-MM-DD HH:MM:SS */
export function dateTime(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19)
}
