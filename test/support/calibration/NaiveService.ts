/**
 * A second service with the same documentation, written without a line of `src/`: what `calibrate` says about it is
 * checked against the readings that it was created with. It is naive on purpose: plain objects and a list of routes.
 */

/** How a service may read what the documentation leaves open; the first is the simulator's default. */
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
  stickyAuth: ['enforced', 'open'],
  hiddenProducts: ['unlisted', 'listed'],
  rebindOwn: ['allowed', 'refused'],
} as const

type Choices = typeof naiveChoices

/** How this service reads it. */
export type NaiveReadings = {
  [K in keyof Choices]: K extends 'updateListInterval' ? number : Choices[K][number]
}

export const usualReadings = Object.fromEntries(
  Object.entries(naiveChoices).map(([id, [first]]) => [id, first]),
) as unknown as NaiveReadings

export interface NaiveRequest {
  method: string
  path: string
  authorization?: string | undefined
  body?: string | undefined
}

export interface NaiveAnswer {
  status: number
  type: string | undefined
  body: string
}

type Type = 'fpr' | 'ppr'

function newProduct(id: number, name: string, cents: number, created: string, type: Type, ...geo: string[]) {
  const group = type === 'fpr' ? { group: 3, groupName: 'Fixed' } : { group: 4, groupName: 'Turning' }
  return { id, name, cents, ...group, created, hidden: name === 'Secret', type, count: 2 * geo.length, geo }
}

function newService(id: number, order: number, product: ReturnType<typeof newProduct>, now: number) {
  const { name, type, count, cents } = product
  const dates = { since: day(now), due: day(now + 31 * 86_400_000), cycle: 'Monthly' }
  const network = { ips: [] as string[], bad: [] as string[], off: [] as string[] }
  const bound: { bound: string | null; updated: number | null } = { bound: null, updated: null }
  const usage = { limit: 5000, days: [] as [string, number][] }
  const sticky = { ttl: 10, sessions: [] as { server: string; session: string; ip: string; end: number }[] }
  const own = { id, order, product: name, type, count, cents, clientId: 31, status: 'Active' }
  const login = { user: `px${id}`, pass: `Pw,${id}"x` }
  return { ...own, ...login, ...dates, ...network, ...bound, ...usage, ...sticky }
}

type NaiveServiceRecord = ReturnType<typeof newService>

interface NaiveInvoice {
  id: number
  text: string
  status: string
  created: string
  cents: number
  paid: string | null
  service: number
}

const names: Record<string, string> = { US: 'United States', DE: 'Germany', FR: 'France', JP: 'Japan' }
const sortFields = ['productId', 'productName', 'price', 'groupId', 'groupName', 'created_at']
const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

const json = (value: unknown): NaiveAnswer => answer(200, JSON.stringify(value))
const refused = (status: number, error: string): NaiveAnswer => answer(status, JSON.stringify({ error }))
const generic = refused(422, 'Unprocessable Entity ')
const noProduct = refused(422, 'Unprocessable Entity or product ID not found')
const badData = refused(422, 'Unprocessable Entity. Incorrect posted data')
const success = (what: string) => ({ success: `${what} successfully` })

function answer(status: number, body: string, type: string | undefined = 'application/json'): NaiveAnswer {
  return { status, type, body }
}

/** Answers a request by the parts of its path, if they are those of the route. */
type Route = [call: RegExp, answer: (parts: string[], request: NaiveRequest, now: number) => NaiveAnswer]

export class NaiveService {
  readonly readings: NaiveReadings
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
  invoices: NaiveInvoice[] = []
  #nextService = 800
  #nextOrder = 1200
  #nextInvoice = 3300
  #nextAddress = 1

  constructor(readings: Partial<NaiveReadings> = {}, now = Date.parse('2026-03-04T05:06:07Z')) {
    this.readings = { ...usualReadings, ...readings }
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
    const made = newService(this.#nextService, this.#nextOrder, product, now)
    this.#nextService += 3
    this.#nextOrder += 2
    made.ips = Array.from({ length: product.count || 2 }, () => this.#address())
    this.services.push(Object.assign(made, { clientId, status }))
    return made
  }

  handle(request: NaiveRequest, now: number): NaiveAnswer {
    const isOpen = this.readings.stickyAuth === 'open' && request.path.startsWith('/api/sticky/changettl/')
    const denied = isOpen ? undefined : this.#deny(request.authorization)
    if (denied) return denied
    const call = `${request.method} ${request.path.slice('/api/'.length)}`
    for (const [route, respond] of this.#routes) {
      const found = route.exec(call)
      if (found) return respond(found.slice(1).map(decodeURIComponent), request, now)
    }
    return refused(404, 'Not here')
  }

  #deny(header: string | undefined): NaiveAnswer | undefined {
    const text = (status: number, body: string) => answer(status, body, 'text/plain; charset=utf-8')
    if (header === undefined) return text(401, 'Unauthenticated')
    if (!header.startsWith('Basic ')) return text(400, 'Invalid Authorization header')
    const decoded = Buffer.from(header.slice(6), 'base64').toString()
    if (!decoded.includes(':')) return text(400, 'Invalid credentials format')
    return decoded === `${this.login}:${this.password}` ? undefined : text(401, 'Unauthenticated')
  }

  readonly #routes: Route[] = [
    [/^GET clients$/, () => json(this.clients)],
    [/^GET products$/, () => json(this.#list())],
    [/^GET products\/orderby\/(.+)$/, ([field]) => this.#sorted(String(field))],
    [/^GET product\/(.+)$/, ([id]) => this.#product(id)],
    [/^POST product\/(.+)$/, ([id], { body }, now) => this.#order(id, body, now)],
    [/^GET billing\/credit$/, () => json({ credit: this.cents / 100 })],
    [/^GET billing\/invoices$/, () => json(this.invoices.map(showInvoice))],
    [
      /^GET billing\/invoice\/(.+)$/,
      ([id]) => {
        const found = this.invoices.filter((one) => String(one.id) === id)
        const isRefused = found.length === 0 && this.readings.unknownInvoice === 'unprocessable'
        return isRefused ? generic : json(found.map(showInvoice))
      },
    ],
    [/^GET services$/, () => json(this.services.map(summarize))],
    [
      /^GET service\/(.+)$/,
      this.#of(
        (one) => json(showService(one)),
        () => (this.readings.unknownService === 'empty' ? json([]) : generic),
      ),
    ],
    [/^PUT service\/(.+)$/, this.#of((one, _, { body }, now) => this.#update(one, body, now))],
    [
      /^GET stats\/(.+)$/,
      this.#of(({ type, days }) =>
        type === 'ppr' ? json(days.map(([date, rate]) => ({ date, rate }))) : generic,
      ),
    ],
    [
      /^GET rate\/(.+)$/,
      this.#of(({ type, limit, days }) =>
        type === 'ppr' ? json([{ limit, rate: days.reduce((sum, [, rate]) => sum + rate, 0) }]) : generic,
      ),
    ],
    [/^GET networkstatus\/errors\/(.+)$/, this.#of((one) => this.#network(one, one.bad))],
    [/^GET networkstatus\/inactive\/(.+)$/, this.#of((one) => this.#network(one, one.off))],
    [/^GET iplist\/[^/]+\/[^/]+\/([^/]+)$/, this.#of((one, _, { path }) => this.#ips(one, path.split('/')))],
    [
      /^GET sticky\/list\/(.+)$/,
      this.#of(
        (one, _, __, now) =>
          json(isAlive(one) ? living(one, now).map((session) => showSession(session, one.ttl)) : []),
        () => refused(422, 'No such service'),
      ),
    ],
    [
      /^GET sticky\/rotate\/([^/]+)\/([^/]+)\/([^/]+)$/,
      this.#of((one, [server, session], _, now) => {
        const found = living(one, now).find((other) => other.server === server && other.session === session)
        if (!isAlive(one) || !found) return generic
        Object.assign(found, { ip: this.#address(), end: now + one.ttl * 60_000 })
        return json(showSession(found, one.ttl))
      }),
    ],
    [
      /^GET sticky\/changettl\/([^/]+)\/(.+)$/,
      this.#of((one, [ttl], _, now) => {
        if (!['1', '2', '3', '5', '10', '15'].includes(String(ttl))) return generic
        if (!isAlive(one))
          return this.readings.inactiveTtlBody === 'array'
            ? json([])
            : { status: 200, type: undefined, body: '' }
        one.ttl = Number(ttl)
        one.sessions = living(one, now)
        for (const session of one.sessions) session.end = now + one.ttl * 60_000
        return json(success('TTL changed'))
      }),
    ],
    [
      /^GET sticky\/resetall\/(.+)$/,
      this.#of((one) => {
        if (!isAlive(one)) return json([])
        one.sessions = []
        return json(success('Sticky sessions reset'))
      }),
    ],
  ]

  /** A route whose first part is the id of a service. */
  #of(
    respond: (one: NaiveServiceRecord, parts: string[], request: NaiveRequest, now: number) => NaiveAnswer,
    missing = () => generic,
  ): Route[1] {
    return ([id, ...parts], request, now) => {
      const found = this.services.find((one) => String(one.id) === id)
      return found ? respond(found, parts, request, now) : missing()
    }
  }

  #list() {
    return this.products
      .filter(({ hidden }) => !hidden || this.readings.hiddenProducts === 'listed')
      .map((one) => ({
        productId: one.id,
        productName: one.name,
        price: one.cents / 100,
        groupId: one.group,
        groupName: one.groupName,
        created_at: one.created,
      }))
  }

  #sorted(field: string): NaiveAnswer {
    if (!sortFields.includes(field))
      return this.readings.unknownSortField === 'ignore' ? json(this.#list()) : generic
    const list = this.#list() as Record<string, string | number>[]
    const by = (one: Record<string, string | number>) => one[field] as number
    list.sort((x, y) => (by(x) < by(y) ? -1 : by(x) > by(y) ? 1 : 0))
    return json(this.readings.productSort === 'desc' ? list.toReversed() : list)
  }

  #product(id: string | undefined): NaiveAnswer {
    const one = this.products.find((product) => String(product.id) === id)
    if (!one) return noProduct
    const geo = this.readings.geo === 'code' ? one.geo : one.geo.map((code) => ({ code, name: names[code] }))
    return json({
      productId: one.id,
      price: one.cents / 100,
      groupId: one.group,
      groupName: one.groupName,
      created_at: one.created,
      product_hidden: one.hidden,
      group_hidden: false,
      product_type: one.type,
      ...(one.type === 'fpr' && { ip_count: one.count, update_time: '2026-02-03 04:05:06', geo }),
    })
  }

  #order(pid: string | undefined, body: string | undefined, now: number): NaiveAnswer {
    const product = this.products.find((one) => String(one.id) === pid)
    if (!product) return noProduct
    const { clientid, setip } = parse(body) ?? {}
    if (!Number.isInteger(clientid) || Number(clientid) < 1) return badData
    if (setip !== undefined && typeof setip !== 'string') return badData
    if (!this.clients.some(({ id }) => id === clientid))
      return refused(422, 'Unprocessable Entity. ClientID not found')
    const isTaken = this.services.some(({ bound }) => bound === setip)
    if (setip !== undefined && (product.type !== 'fpr' || !isAddress(setip) || isTaken)) return badData
    if (this.cents < product.cents) return refused(422, 'Unprocessed entity or not enough funds to order')
    const made = this.#add(product.id, Number(clientid), this.readings.orderedService, now)
    made.bound = setip ?? null
    const status = this.readings.orderedInvoice
    const paid = status === 'Paid' ? day(now) : null
    if (paid) this.cents -= product.cents
    const id = this.#nextInvoice
    this.#nextInvoice += 5
    const [text, { cents }] = [`For ${product.name}`, product]
    this.invoices.push({ id, text, status, created: day(now), cents, paid, service: made.id })
    const ip = made.bound ?? made.ips[0]
    return json({ serviceId: made.id, orderId: made.order, invoiceId: id, amount: cents / 100, ip })
  }

  #network({ clientId }: NaiveServiceRecord, ips: string[]): NaiveAnswer {
    const isKnown = this.clients.some(({ id }) => id === clientId)
    return isKnown ? json(ips) : refused(400, 'Unprocessable Entity. ClientID not found')
  }

  #update(one: NaiveServiceRecord, body: string | undefined, now: number): NaiveAnswer {
    if (!this.clients.some(({ id }) => id === one.clientId))
      return refused(400, 'Unprocessable Entity. ClientID not found')
    if (one.status !== 'Active') return generic
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
      const isOwnFree = this.readings.rebindOwn === 'allowed'
      if (this.services.some((other) => other.bound === setip && !(isOwnFree && other === one)))
        return refused(422, 'Unprocessable Entity. IP already binded')
    }
    if (update_list === 'true') {
      const seconds = Math.floor(now / 1000) // this service only keeps whole seconds
      const next = one.updated === null ? 0 : one.updated + this.readings.updateListInterval
      if (seconds < next)
        return refused(429, `Too Many Attempts (updateList). Next update possible: ${stamp(next * 1000)}`)
      one.updated = seconds
      one.ips = one.ips.map(() => this.#address())
    }
    if (typeof setip === 'string') one.bound = setip
    if (password !== undefined) one.pass = pass
    const all = this.readings.updateResult === 'all'
    return json({
      ...((all || setip !== undefined) && { setip: success('IP address updated') }),
      ...((all || update_list === 'true') && { update_list: success('IP list updated') }),
      ...((all || password !== undefined) && { password: success('Password updated') }),
    })
  }

  #ips(one: NaiveServiceRecord, [, , , kind = '', format = '']: string[]): NaiveAnswer {
    const kinds = one.type === 'fpr' ? ['http-ip', 'socks-ip', 'http-auth'] : ['ppr-http', 'ppr-socks']
    if (one.status !== 'Active' || !kinds.includes(kind)) return generic
    const port = kind.includes('socks') ? 9050 : 3128 // ports of its own
    const login = kind.endsWith('-ip') ? {} : { username: one.user, password: one.pass }
    const lines = one.ips.map((ip) => [ip, port, ...Object.values(login)].join(':'))
    const table = ['ip,port', ...one.ips.map((ip) => `${ip},${port}`)]
    if (format === 'txt') return answer(200, lines.join('\r\n'), 'text/plain')
    if (format === 'csv') return answer(200, table.join('\n'), 'text/csv')
    if (format !== 'json') return generic
    return json(
      this.readings.ipListJson === 'strings' ? lines : one.ips.map((ip) => ({ ip, port, ...login })),
    )
  }
}

function isAlive({ type, status }: NaiveServiceRecord): boolean {
  return type === 'ppr' && status === 'Active'
}

function living({ sessions }: NaiveServiceRecord, now: number) {
  return sessions.filter(({ end }) => end > now)
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

function showInvoice({ id, text, status, created, cents, paid, service }: NaiveInvoice): object {
  const date = paid !== null && { date_paid: paid }
  const [amount, paymentmethod] = [cents / 100, 'wallet']
  return {
    id,
    description: text,
    status,
    created_at: created,
    amount,
    ...date,
    paymentmethod,
    serviceid: service,
  }
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

function showSession(
  { server, session, ip, end }: NaiveServiceRecord['sessions'][number],
  ttl: number,
): object {
  return { server, session, ip, ttl, expires_at: stamp(end) }
}
