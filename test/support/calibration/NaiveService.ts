/**
 * A second implementation of the API that shares no code with `src/`. Tests compare the results of `calibrate` with the
 * interpretations of this service. It is deliberately simple: plain objects and a list of routes.
 */

/** The interpretations of each gap in the documentation. The first is the simulator's default. */
export const naiveChoices = {
  productSort: ['asc', 'desc'],
  unknownSortField: ['unprocessable', 'ignore'],
  updateResult: ['requested', 'all'],
  updateListInterval: [3600, 60, 600, 777, 86_400],
  inactiveTtlBody: ['none', 'array'],
  orderedService: ['Active', 'Pending'],
  orderedInvoice: ['Paid', 'Unpaid', 'Payment Pending', 'Pending'],
  unknownInvoice: ['empty', 'unprocessable'],
  unknownService: ['unprocessable', 'empty'],
  ipListJson: ['strings', 'objects'],
  geo: ['code', 'object'],
  hiddenProducts: ['unlisted', 'listed'],
  rebindOwn: ['allowed', 'refused'],
} as const

type Choices = typeof naiveChoices

/** The interpretations of this service */
export type NaiveInterpretations = {
  [K in keyof Choices]: K extends 'updateListInterval' ? number : Choices[K][number]
}

export const defaultInterpretations = Object.fromEntries(
  Object.entries(naiveChoices).map(([id, [first]]) => [id, first]),
) as unknown as NaiveInterpretations

export interface NaiveRequest {
  method: string
  path: string
  authorization?: string | undefined
  body?: string | undefined
}

export interface NaiveResponse {
  status: number
  type: string | undefined
  body: string
}

type Type = 'fpr' | 'ppr'

function newProduct(id: number, name: string, cents: number, created: string, type: Type, ...geo: string[]) {
  const group = type === 'fpr' ? { groupId: 3, groupName: 'Fixed' } : { groupId: 4, groupName: 'Turning' }
  const listed = { productId: id, productName: name, price: cents / 100, ...group, created_at: created }
  return { id, name, cents, listed, hidden: name === 'Secret', type, count: 2 * geo.length, geo }
}

function newService(id: number, order: number, product: ReturnType<typeof newProduct>, now: number) {
  const { name, type, count, cents } = product
  const dates = { since: day(now), due: day(now + 31 * 86_400_000), cycle: 'Monthly' }
  const network = { ips: [] as string[], bad: [] as string[], off: [] as string[] }
  const bound: { bound: string | null; updated: number | null } = { bound: null, updated: null }
  const usage = { limit: 5000, days: [] as [string, number][] }
  const sticky = { ttl: 10, sessions: [] as { server: string; session: string; ip: string; end: number }[] }
  const basics = { id, order, product: name, type, count, cents, clientId: 31, status: 'Active' }
  const login = { user: `px${id}`, pass: `Pw,${id}"x` }
  return { ...basics, ...login, ...dates, ...network, ...bound, ...usage, ...sticky }
}

type NaiveServiceRecord = ReturnType<typeof newService>

const names: Record<string, string> = { US: 'United States', DE: 'Germany', FR: 'France', JP: 'Japan' }
const sortFields = ['productId', 'productName', 'price', 'groupId', 'groupName', 'created_at']
const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

const json = (value: unknown): NaiveResponse => respond(200, JSON.stringify(value))
const refused = (status: number, error: string): NaiveResponse => respond(status, JSON.stringify({ error }))
const generic = refused(422, 'Unprocessable Entity ')
const noProduct = refused(422, 'Unprocessable Entity or product ID not found')
const badData = refused(422, 'Unprocessable Entity. Incorrect posted data')
const noClient = (status: number) => refused(status, 'Unprocessable Entity. ClientID not found')
const success = (what: string) => ({ success: `${what} successfully` })

function respond(status: number, body: string, type = 'application/json'): NaiveResponse {
  return { status, type: type || undefined, body }
}

/** Responds to a request. @param parts segments of its path after the first */
type Respond = (parts: string[], request: NaiveRequest, now: number) => NaiveResponse

export class NaiveService {
  readonly interpretations: NaiveInterpretations
  readonly login = 'shop'
  readonly password = 'open:sesame'
  cents = 50_000
  clients = [
    { id: 31, email: 'first@shop.test' },
    { id: 32, email: 'second@shop.test' },
  ]
  products = [
    newProduct(7, 'Seven Static', 1500, '2024-05-06', 'fpr', 'US', 'FR'),
    newProduct(5, 'Five Turning', 999, '2024-07-08', 'ppr'),
    newProduct(9, 'Nine Static', 4200, '2023-01-02', 'fpr', 'DE'),
    newProduct(13, 'Secret', 100, '2023-09-02', 'fpr', 'JP'),
  ]
  services: NaiveServiceRecord[] = []
  /** In the API's format */
  invoices: ({ id: number } & Record<string, unknown>)[] = []
  #nextService = 800
  #nextOrder = 1200
  #nextInvoice = 3300
  #nextAddress = 1

  constructor(interpretations: Partial<NaiveInterpretations> = {}, now = Date.parse('2026-03-04T05:06:07Z')) {
    this.interpretations = { ...defaultInterpretations, ...interpretations }
    this.#add(7, 31, 'Active', now).bound = '198.51.100.200'
    const turning = this.#add(5, 32, 'Active', now)
    this.#add(9, 31, 'Suspended', now)
    this.#add(5, 31, 'Cancelled', now)
    this.#add(7, 99, 'Active', now) // its client was deleted
    turning.days.push(['2026-03-02', 40], ['2026-03-03', 2.5])
    for (const [session, minutes] of Object.entries({ 's-a': 10, 's-b': 8 }))
      turning.sessions.push({ server: 'ams1', session, ip: this.#address(), end: now + minutes * 60_000 })
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`${this.login}:${this.password}`).toString('base64')}`
  }

  #address(): string {
    const n = this.#nextAddress++
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  }

  #add(productId: number, clientId: number, status: string, now: number): NaiveServiceRecord {
    const product = this.products.find(({ id }) => id === productId) ?? newProduct(0, '', 0, '', 'fpr')
    const service = newService(this.#nextService, this.#nextOrder, product, now)
    this.#nextService += 3
    this.#nextOrder += 2
    service.ips = Array.from({ length: product.count || 2 }, () => this.#address())
    this.services.push(Object.assign(service, { clientId, status }))
    return service
  }

  handle(request: NaiveRequest, now: number): NaiveResponse {
    const denied = this.#deny(request.authorization)
    if (denied) return denied
    const [first = '', ...parts] = request.path.split('/').slice(2).map(decodeURIComponent)
    return this.#routes[`${request.method} ${first}`]?.(parts, request, now) ?? refused(404, 'Not here')
  }

  #deny(header: string | undefined): NaiveResponse | undefined {
    const text = (status: number, body: string) => respond(status, body, 'text/plain; charset=utf-8')
    if (header === undefined) return text(401, 'Unauthenticated')
    if (!header.startsWith('Basic ')) return text(400, 'Invalid Authorization header')
    const decoded = Buffer.from(header.slice(6), 'base64').toString()
    if (!decoded.includes(':')) return text(400, 'Invalid credentials format')
    return decoded === `${this.login}:${this.password}` ? undefined : text(401, 'Unauthenticated')
  }

  readonly #routes: Record<string, Respond> = {
    'GET clients': () => json(this.clients),
    'GET products': ([, field]) => (field === undefined ? json(this.#list()) : this.#sorted(field)),
    'GET product': ([id]) => this.#product(id),
    'POST product': ([id], { body }, now) => this.#order(id, body, now),
    'GET billing': ([kind, id]) => (kind === 'credit' ? json({ credit: this.cents / 100 }) : this.#bills(id)),
    'GET services': () => json(this.services.map(summarize)),
    'GET service': ([id]) => {
      const one = this.#find(id)
      return one
        ? json(showService(one))
        : this.interpretations.unknownService === 'empty'
          ? json([])
          : generic
    },
    'PUT service': ([id], { body }, now) => this.#update(this.#find(id), body, now),
    'GET stats': ([id]) => {
      const one = this.#find(id)
      return one?.type === 'ppr' ? json(one.days.map(([date, rate]) => ({ date, rate }))) : generic
    },
    'GET rate': ([id]) => {
      const { type, limit, days = [] } = this.#find(id) ?? {}
      return type === 'ppr' ? json([{ limit, rate: days.reduce((sum, [, rate]) => sum + rate, 0) }]) : generic
    },
    'GET networkstatus': ([kind, id]) => {
      const one = this.#find(id)
      if (!one) return generic
      const isKnown = this.clients.some((client) => client.id === one.clientId)
      return isKnown ? json(kind === 'errors' ? one.bad : one.off) : noClient(400)
    },
    'GET iplist': ([kind, format, id]) => this.#ips(this.#find(id), kind, format),
    'GET sticky': ([kind, id, ...parts], _, now) => this.#sticky(this.#find(id), kind, parts, now),
  }

  #find(id: string | undefined): NaiveServiceRecord | undefined {
    return this.services.find((one) => String(one.id) === id)
  }

  #bills(id: string | undefined): NaiveResponse {
    const found = this.invoices.filter((one) => id === undefined || String(one.id) === id)
    const isRefused = id && found.length === 0 && this.interpretations.unknownInvoice === 'unprocessable'
    return isRefused ? generic : json(found)
  }

  #list(): Record<string, string | number>[] {
    const isListed = this.interpretations.hiddenProducts === 'listed'
    return this.products.filter(({ hidden }) => isListed || !hidden).map(({ listed }) => listed)
  }

  #sorted(field: string): NaiveResponse {
    if (!sortFields.includes(field))
      return this.interpretations.unknownSortField === 'ignore' ? json(this.#list()) : generic
    const by = (one: Record<string, string | number>) => one[field] as number
    const list = this.#list().toSorted((x, y) => (by(x) < by(y) ? -1 : by(x) > by(y) ? 1 : 0))
    return json(this.interpretations.productSort === 'desc' ? list.toReversed() : list)
  }

  #product(id: string | undefined): NaiveResponse {
    const one = this.products.find((product) => String(product.id) === id)
    if (!one) return noProduct
    const geo =
      this.interpretations.geo === 'code' ? one.geo : one.geo.map((code) => ({ code, name: names[code] }))
    const { productName: _, ...shown } = one.listed
    const fixed = one.type === 'fpr' && { ip_count: one.count, update_time: '2026-02-03 04:05:06', geo }
    const hidden = { product_hidden: one.hidden, group_hidden: false }
    return json({ ...shown, ...hidden, product_type: one.type, ...fixed })
  }

  #order(pid: string | undefined, body: string | undefined, now: number): NaiveResponse {
    const product = this.products.find((one) => String(one.id) === pid)
    if (!product) return noProduct
    const { clientid, setip } = parse(body) ?? {}
    if (!Number.isInteger(clientid) || Number(clientid) < 1) return badData
    if (setip !== undefined && typeof setip !== 'string') return badData
    if (!this.clients.some(({ id }) => id === clientid)) return noClient(422)
    const isTaken = this.services.some(({ bound }) => bound === setip)
    if (setip !== undefined && (product.type !== 'fpr' || !isAddress(setip) || isTaken)) return badData
    if (this.cents < product.cents) return refused(422, 'Unprocessed entity or not enough funds to order')
    const service = this.#add(product.id, Number(clientid), this.interpretations.orderedService, now)
    service.bound = setip ?? null
    const status = this.interpretations.orderedInvoice
    if (status === 'Paid') this.cents -= product.cents
    const id = this.#nextInvoice
    this.#nextInvoice += 5
    const [amount, created_at] = [product.cents / 100, day(now)]
    const paid = status === 'Paid' && { date_paid: created_at }
    const terms = { description: `For ${product.name}`, paymentmethod: 'wallet', serviceid: service.id }
    this.invoices.push({ id, ...terms, status, created_at, amount, ...paid })
    return json({
      serviceId: service.id,
      orderId: service.order,
      invoiceId: id,
      amount,
      ip: service.bound ?? service.ips[0],
    })
  }

  #update(one: NaiveServiceRecord | undefined, body: string | undefined, now: number): NaiveResponse {
    if (one && !this.clients.some(({ id }) => id === one.clientId)) return noClient(400)
    if (one?.status !== 'Active') return generic
    const posted = body === undefined || body === '' ? {} : parse(body)
    if (!posted) return badData
    const { setip, update_list, password } = posted
    if ([setip, update_list, password].some((value) => value !== undefined && typeof value !== 'string'))
      return badData
    const pass = Buffer.from(String(password), 'base64').toString()
    if (password !== undefined && (pass === '' || Buffer.from(pass).toString('base64') !== password))
      return badData
    if (typeof setip === 'string') {
      if (one.type !== 'fpr') return badData
      if (!isAddress(setip)) return refused(422, 'Unprocessable Entity. Invalid IPv4 format')
      const isOwnFree = this.interpretations.rebindOwn === 'allowed'
      if (this.services.some((other) => other.bound === setip && !(isOwnFree && other === one)))
        return refused(422, 'Unprocessable Entity. IP already binded')
    }
    if (update_list === 'true') {
      const seconds = Math.floor(now / 1000) // this service stores whole seconds
      const next = one.updated === null ? 0 : one.updated + this.interpretations.updateListInterval
      if (seconds < next)
        return refused(429, `Too Many Attempts (updateList). Next update possible: ${stamp(next * 1000)}`)
      one.updated = seconds
      one.ips = one.ips.map(() => this.#address())
    }
    if (typeof setip === 'string') one.bound = setip
    if (password !== undefined) one.pass = pass
    const all = this.interpretations.updateResult === 'all'
    return json({
      ...((all || setip !== undefined) && { setip: success('IP address updated') }),
      ...((all || update_list === 'true') && { update_list: success('IP list updated') }),
      ...((all || password !== undefined) && { password: success('Password updated') }),
    })
  }

  #ips(one: NaiveServiceRecord | undefined, kind = '', format = ''): NaiveResponse {
    const kinds = one?.type === 'fpr' ? ['http-ip', 'socks-ip', 'http-auth'] : ['ppr-http', 'ppr-socks']
    if (one?.status !== 'Active' || !kinds.includes(kind)) return generic
    const port = kind.includes('socks') ? 9050 : 3128 // differs from the simulator's
    const login = kind.endsWith('-ip') ? {} : { username: one.user, password: one.pass }
    const lines = one.ips.map((ip) => [ip, port, ...Object.values(login)].join(':'))
    const table = ['ip,port', ...one.ips.map((ip) => `${ip},${port}`)]
    if (format === 'txt') return respond(200, lines.join('\r\n'), 'text/plain')
    if (format === 'csv') return respond(200, table.join('\n'), 'text/csv')
    if (format !== 'json') return generic
    return json(
      this.interpretations.ipListJson === 'strings' ? lines : one.ips.map((ip) => ({ ip, port, ...login })),
    )
  }

  #sticky(one: NaiveServiceRecord | undefined, kind = '', [a, b]: string[], now: number): NaiveResponse {
    if (!one) return kind === 'list' ? refused(422, 'No such service') : generic
    const isAlive = one.type === 'ppr' && one.status === 'Active'
    const living = one.sessions.filter(({ end }) => end > now)
    if (kind === 'list') return json(isAlive ? living.map((session) => showSession(session, one.ttl)) : [])
    const end = now + one.ttl * 60_000
    if (kind === 'rotate') {
      const found = living.find(({ server, session }) => server === a && session === b)
      if (!isAlive || !found) return generic
      return json(showSession(Object.assign(found, { ip: this.#address(), end }), one.ttl))
    }
    if (kind === 'changettl') {
      if (!['1', '2', '3', '5', '10', '15'].includes(String(a))) return generic
      if (!isAlive) return this.interpretations.inactiveTtlBody === 'array' ? json([]) : respond(200, '', '')
      one.ttl = Number(a)
      one.sessions = living.map((session) => ({ ...session, end: now + one.ttl * 60_000 }))
      return json(success('TTL changed'))
    }
    if (!isAlive) return json([])
    one.sessions = []
    return json(success('Sticky sessions reset'))
  }
}

function parse(body: string | undefined): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(body ?? '') as unknown
    return value?.constructor === Object ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function isAddress(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
}

function summarize({ id, product, due, order, status }: NaiveServiceRecord): object {
  return { service_id: id, product_name: product, nextduedate: due, orderid: order, status }
}

function showService(one: NaiveServiceRecord): object {
  return {
    ...summarize(one),
    regdate: one.since,
    billingcycle: one.cycle,
    username: one.user,
    password: one.pass,
    ...(one.bound !== null && { bindedip: one.bound }),
    product_type: one.type,
    ...(one.type === 'fpr' && { ip_count: one.count }),
    price: one.cents / 100,
  }
}

function showSession(one: NaiveServiceRecord['sessions'][number], ttl: number): object {
  const { end, ...shown } = one
  return { ...shown, ttl, expires_at: stamp(end) }
}
