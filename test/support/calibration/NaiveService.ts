/**
 * A second service with the same documentation, written without a line of `src/`: what `calibrate` says about it is
 * checked against the readings that it was created with. It is naive on purpose: plain objects, one long switch.
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

interface NaiveServiceRecord {
  id: number
  clientId: number
  order: number
  product: string
  type: 'fpr' | 'ppr'
  status: string
  since: string
  due: string
  cycle: string
  user: string
  pass: string
  bound: string | null
  count: number
  cents: number
  ips: string[]
  updated: number | null
  days: [string, number][]
  limit: number
  ttl: number
  sessions: { server: string; session: string; ip: string; end: number }[]
  bad: string[]
  off: string[]
}

type NaiveProduct = ReturnType<typeof newProduct>

function newProduct(
  id: number,
  name: string,
  cents: number,
  created: string,
  type: 'fpr' | 'ppr',
  ...geo: string[]
) {
  const group = type === 'fpr' ? { group: 3, groupName: 'Fixed' } : { group: 4, groupName: 'Turning' }
  return { id, name, cents, ...group, created, hidden: name === 'Secret', type, count: 2 * geo.length, geo }
}

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
const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

export class NaiveService {
  readonly readings: NaiveReadings
  readonly login = 'shop'
  readonly password = 'open:sesame'
  cents = 50_000
  clients = [
    { id: 31, email: 'first@shop.test' },
    { id: 32, email: 'second@shop.test' },
  ]
  products: NaiveProduct[] = [
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
    this.#add(7, 31, 'Active', now)
    this.#add(5, 32, 'Active', now)
    this.#add(9, 31, 'Suspended', now)
    this.#add(5, 31, 'Cancelled', now)
    this.#add(7, 99, 'Active', now) // its client was deleted
    const turning = this.services[1] as NaiveServiceRecord
    turning.days = [
      ['2026-03-02', 40],
      ['2026-03-03', 2.5],
    ]
    turning.sessions = [
      { server: 'ams1', session: 's-a', ip: this.#address(), end: now + 10 * 60_000 },
      { server: 'ams1', session: 's-b', ip: this.#address(), end: now + 8 * 60_000 },
    ]
    ;(this.services[0] as NaiveServiceRecord).bound = '198.51.100.200'
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`${this.login}:${this.password}`).toString('base64')}`
  }

  #address(): string {
    const n = this.#nextAddress++
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  }

  #add(productId: number, clientId: number, status: string, now: number): NaiveServiceRecord {
    const product = this.products.find(({ id }) => id === productId) as NaiveProduct
    const id = this.#nextService
    this.#nextService += 3
    const order = this.#nextOrder
    this.#nextOrder += 2
    const made: NaiveServiceRecord = {
      id,
      clientId,
      order,
      product: product.name,
      type: product.type,
      status,
      since: day(now),
      due: day(now + 31 * 86_400_000),
      cycle: 'Monthly',
      user: `px${id}`,
      pass: `Pw,${id}"x`,
      bound: null,
      count: product.count,
      cents: product.cents,
      ips: Array.from({ length: product.type === 'fpr' ? product.count : 2 }, () => this.#address()),
      updated: null,
      days: [],
      limit: 5000,
      ttl: 10,
      sessions: [],
      bad: [],
      off: [],
    }
    this.services.push(made)
    return made
  }

  handle(request: NaiveRequest, now: number): NaiveAnswer {
    const path = request.path.split('/').slice(2).map(decodeURIComponent)
    const isOpen = this.readings.stickyAuth === 'open' && path[0] === 'sticky' && path[1] === 'changettl'
    const denied = isOpen ? undefined : this.#deny(request.authorization)
    if (denied) return denied
    return this.#route(request.method, path, request.body, now)
  }

  #deny(header: string | undefined): NaiveAnswer | undefined {
    const text = (status: number, body: string): NaiveAnswer => ({
      status,
      type: 'text/plain; charset=utf-8',
      body,
    })
    if (header === undefined) return text(401, 'Unauthenticated')
    if (!header.startsWith('Basic ')) return text(400, 'Invalid Authorization header')
    const decoded = Buffer.from(header.slice(6), 'base64').toString()
    if (!decoded.includes(':')) return text(400, 'Invalid credentials format')
    return decoded === `${this.login}:${this.password}` ? undefined : text(401, 'Unauthenticated')
  }

  #route(method: string, path: string[], body: string | undefined, now: number): NaiveAnswer {
    const [a, b, c, d, e] = path as [string, string, string, string, string]
    const find = (id: string): NaiveServiceRecord | undefined =>
      this.services.find((one) => String(one.id) === id)
    const generic = refused(422, 'Unprocessable Entity ')
    if (a === 'clients') return json(this.clients)
    if (a === 'products' && b === 'orderby') return this.#sorted(c)
    if (a === 'products') return json(this.#list())
    if (a === 'product' && method === 'POST') return this.#order(b, body, now)
    if (a === 'product') return this.#product(b)
    if (a === 'billing' && b === 'credit') return json({ credit: this.cents / 100 })
    if (a === 'billing' && b === 'invoices') return json(this.invoices.map(showInvoice))
    if (a === 'billing') {
      const found = this.invoices.filter(({ id }) => String(id) === c)
      return found.length === 0 && this.readings.unknownInvoice === 'unprocessable'
        ? generic
        : json(found.map(showInvoice))
    }
    if (a === 'services')
      return json(
        this.services.map((one) => ({
          service_id: one.id,
          product_name: one.product,
          nextduedate: one.due,
          orderid: one.order,
          status: one.status,
        })),
      )
    const found = find(
      a === 'iplist' || a === 'networkstatus' || a === 'sticky' ? (a === 'iplist' ? d : c) : b,
    )
    if (a === 'service' && method === 'PUT') return found ? this.#update(found, body, now) : generic
    if (a === 'service')
      return found ? json(showService(found)) : this.readings.unknownService === 'empty' ? json([]) : generic
    if (a === 'sticky' && b === 'list') {
      if (!found) return refused(422, 'No such service')
      if (found.type !== 'ppr' || found.status !== 'Active') return json([])
      return json(found.sessions.filter(({ end }) => end > now).map((one) => showSession(one, found.ttl)))
    }
    if (!found) return generic
    if (a === 'stats' || a === 'rate') {
      if (found.type !== 'ppr') return generic
      if (a === 'stats') return json(found.days.map(([date, rate]) => ({ date, rate })))
      return json([{ limit: found.limit, rate: found.days.reduce((sum, [, rate]) => sum + rate, 0) }])
    }
    if (a === 'networkstatus') {
      if (!this.clients.some(({ id }) => id === found.clientId))
        return refused(400, 'Unprocessable Entity. ClientID not found')
      return json(b === 'errors' ? found.bad : found.off)
    }
    if (a === 'iplist') return this.#ips(found, b, c)
    if (a === 'sticky') return this.#sticky(found, b, d, e, now)
    return refused(404, 'Not here')
  }

  #list(): object[] {
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
    const fields = ['productId', 'productName', 'price', 'groupId', 'groupName', 'created_at']
    if (!fields.includes(field))
      return this.readings.unknownSortField === 'ignore'
        ? json(this.#list())
        : refused(422, 'Unprocessable Entity ')
    const list = this.#list() as Record<string, string | number>[]
    list.sort((x, y) =>
      (x[field] as number) < (y[field] as number) ? -1 : (x[field] as number) > (y[field] as number) ? 1 : 0,
    )
    if (this.readings.productSort === 'desc') list.reverse()
    return json(list)
  }

  #product(id: string): NaiveAnswer {
    const one = this.products.find((product) => String(product.id) === id)
    if (!one) return refused(422, 'Unprocessable Entity or product ID not found')
    return json({
      productId: one.id,
      price: one.cents / 100,
      groupId: one.group,
      groupName: one.groupName,
      created_at: one.created,
      product_hidden: one.hidden,
      group_hidden: false,
      product_type: one.type,
      ...(one.type === 'fpr' && {
        ip_count: one.count,
        update_time: '2026-02-03 04:05:06',
        geo: this.readings.geo === 'code' ? one.geo : one.geo.map((code) => ({ code, name: names[code] })),
      }),
    })
  }

  #order(pid: string, body: string | undefined, now: number): NaiveAnswer {
    const product = this.products.find((one) => String(one.id) === pid)
    if (!product) return refused(422, 'Unprocessable Entity or product ID not found')
    const posted = parse(body)
    const { clientid, setip } = posted ?? {}
    const isBad = refused(422, 'Unprocessable Entity. Incorrect posted data')
    if (!posted || !Number.isInteger(clientid) || (clientid as number) < 1) return isBad
    if (setip !== undefined && typeof setip !== 'string') return isBad
    if (!this.clients.some(({ id }) => id === clientid))
      return refused(422, 'Unprocessable Entity. ClientID not found')
    if (setip !== undefined)
      if (product.type !== 'fpr' || !isAddress(setip) || this.services.some(({ bound }) => bound === setip))
        return isBad
    if (this.cents < product.cents) return refused(422, 'Unprocessed entity or not enough funds to order')
    const made = this.#add(product.id, clientid as number, this.readings.orderedService, now)
    if (typeof setip === 'string') made.bound = setip
    const isPaid = this.readings.orderedInvoice === 'Paid'
    if (isPaid) this.cents -= product.cents
    const id = this.#nextInvoice
    this.#nextInvoice += 5
    this.invoices.push({
      id,
      text: `For ${product.name}`,
      status: this.readings.orderedInvoice,
      created: day(now),
      cents: product.cents,
      paid: isPaid ? day(now) : null,
      service: made.id,
    })
    return json({
      serviceId: made.id,
      orderId: made.order,
      invoiceId: id,
      amount: product.cents / 100,
      ip: made.bound ?? made.ips[0],
    })
  }

  #update(one: NaiveServiceRecord, body: string | undefined, now: number): NaiveAnswer {
    if (!this.clients.some(({ id }) => id === one.clientId))
      return refused(400, 'Unprocessable Entity. ClientID not found')
    if (one.status !== 'Active') return refused(422, 'Unprocessable Entity ')
    const posted = body === undefined || body === '' ? {} : parse(body)
    const isBad = refused(422, 'Unprocessable Entity. Incorrect posted data')
    if (!posted) return isBad
    const { setip, update_list, password } = posted
    for (const value of [setip, update_list, password])
      if (value !== undefined && typeof value !== 'string') return isBad
    let pass: string | undefined
    if (typeof password === 'string') {
      pass = Buffer.from(password, 'base64').toString()
      if (pass === '' || Buffer.from(pass).toString('base64') !== password) return isBad
    }
    if (typeof setip === 'string') {
      if (one.type !== 'fpr') return isBad
      if (!isAddress(setip)) return refused(422, 'Unprocessable Entity. Invalid IPv4 format')
      const isOwnFree = this.readings.rebindOwn === 'allowed'
      if (this.services.some((other) => other.bound === setip && !(isOwnFree && other === one)))
        return refused(422, 'Unprocessable Entity. IP already binded')
    }
    if (update_list === 'true') {
      // This service only keeps whole seconds.
      const seconds = Math.floor(now / 1000)
      const next = one.updated === null ? 0 : one.updated + this.readings.updateListInterval
      if (seconds < next)
        return refused(429, `Too Many Attempts (updateList). Next update possible: ${stamp(next * 1000)}`)
      one.updated = seconds
      one.ips = one.ips.map(() => this.#address())
    }
    if (typeof setip === 'string') one.bound = setip
    if (pass !== undefined) one.pass = pass
    const all = this.readings.updateResult === 'all'
    return json({
      ...((all || setip !== undefined) && { setip: { success: 'IP address updated successfully' } }),
      ...((all || update_list === 'true') && { update_list: { success: 'IP list updated successfully' } }),
      ...((all || password !== undefined) && { password: { success: 'Password updated successfully' } }),
    })
  }

  #ips(one: NaiveServiceRecord, kind: string, format: string): NaiveAnswer {
    const generic = refused(422, 'Unprocessable Entity ')
    const kinds = one.type === 'fpr' ? ['http-ip', 'socks-ip', 'http-auth'] : ['ppr-http', 'ppr-socks']
    if (one.status !== 'Active' || !kinds.includes(kind) || !['csv', 'txt', 'json'].includes(format))
      return generic
    const withLogin = !kind.endsWith('-ip')
    const port = kind.includes('socks') ? 9050 : 3128 // ports of its own
    const lines = one.ips.map((ip) => (withLogin ? `${ip}:${port}:${one.user}:${one.pass}` : `${ip}:${port}`))
    if (format === 'txt') return { status: 200, type: 'text/plain', body: lines.join('\r\n') }
    if (format === 'csv')
      return {
        status: 200,
        type: 'text/csv',
        body: ['ip,port', ...one.ips.map((ip) => `${ip},${port}`)].join('\n'),
      }
    if (this.readings.ipListJson === 'strings') return json(lines)
    return json(
      one.ips.map((ip) => ({ ip, port, ...(withLogin && { username: one.user, password: one.pass }) })),
    )
  }

  #sticky(one: NaiveServiceRecord, call: string, d: string, e: string, now: number): NaiveAnswer {
    const generic = refused(422, 'Unprocessable Entity ')
    const isAlive = one.type === 'ppr' && one.status === 'Active'
    const living = one.sessions.filter(({ end }) => end > now)
    if (call === 'rotate') {
      const session = living.find((other) => other.server === d && other.session === e)
      if (!isAlive || !session) return generic
      session.ip = this.#address()
      session.end = now + one.ttl * 60_000
      return json(showSession(session, one.ttl))
    }
    if (call === 'changettl') {
      if (!['1', '2', '3', '5', '10', '15'].includes(d)) return generic
      if (!isAlive)
        return this.readings.inactiveTtlBody === 'array'
          ? json([])
          : { status: 200, type: undefined, body: '' }
      one.ttl = Number(d)
      one.sessions = living
      for (const session of living) session.end = now + one.ttl * 60_000
      return json({ success: 'TTL changed successfully' })
    }
    if (!isAlive) return json([])
    one.sessions = []
    return json({ success: 'Sticky sessions reset successfully' })
  }
}

function parse(body: string | undefined): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(body ?? '') as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function isAddress(text: unknown): boolean {
  const parts = String(text).split('.')
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
}

function json(value: unknown): NaiveAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value) }
}

function refused(status: number, error: string): NaiveAnswer {
  return { status, type: 'application/json', body: JSON.stringify({ error }) }
}

function showInvoice(one: NaiveInvoice): object {
  return {
    id: one.id,
    description: one.text,
    status: one.status,
    created_at: one.created,
    amount: one.cents / 100,
    ...(one.paid !== null && { date_paid: one.paid }),
    paymentmethod: 'wallet',
    serviceid: one.service,
  }
}

function showService(one: NaiveServiceRecord): object {
  return {
    service_id: one.id,
    orderid: one.order,
    product_name: one.product,
    regdate: one.since,
    nextduedate: one.due,
    status: one.status,
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
