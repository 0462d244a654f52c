import { z } from 'zod'
import {
  assumptionValues,
  billingCycles,
  invoiceStatuses,
  productTypes,
  serviceStatuses,
} from '../../world/values.ts'
import { isIpv4 } from '../../world/ipv4.ts'
import { parseInstant } from '../clock.ts'

/** An object of these fields and no others; a field too many is told with those that are allowed. */
function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined
      const [first = ''] = issue.keys as string[]
      const near = nearest(first, allowed)
      return `unknown field ${JSON.stringify(first)}${near ? `, did you mean ${JSON.stringify(near)}?` : ''} (allowed: ${allowed.join(', ')})`
    },
  })
}

/** The name that was probably meant. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const close = names
    .map((other) => ({ other, distance: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, distance: d }) => d <= Math.max(1, Math.floor(other.length / 3)))
  return close.toSorted((a, b) => a.distance - b.distance)[0]?.other
}

/** Edits that turn a into b (Levenshtein, with a swap of neighbours as one). */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [
    i,
    ...Array.from({ length: b.length }, () => 0),
  ])
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let j = 0; j <= b.length; j++) (rows[0] as number[])[j] = j
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      let best = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, at(i - 2, j - 2) + 1)
      ;(rows[i] as number[])[j] = best
    }
  return at(a.length, b.length)
}

const idPattern = /^[1-9][0-9]{0,9}$/
const byId = <T extends z.ZodType>(record: T) =>
  z.record(z.string().regex(idPattern, 'an id is a positive integer of at most ten digits'), record)

/** A choice of texts; what else stands there is told with the choices. */
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: (issue) => `${JSON.stringify(issue.input)} is not one of: ${values.join(', ')}` })

const id = z.int('a positive integer').min(1).max(9_999_999_999)
const count = z.int('a whole number, 0 or more').min(0)
const usd = z
  .number('an amount in USD (a number)')
  .min(0)
  .max(1e12)
  .refine(
    (amount) => Math.abs(Math.round(amount * 100) - amount * 100) < 1e-6,
    'an amount in USD has at most two decimals',
  )
const isRealDate = (text: string) => new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
const date = z
  .string()
  .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) && isRealDate(text), 'a date is YYYY-MM-DD')
const dateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'a date and time is YYYY-MM-DD HH:MM:SS')
  .refine((text) => !Number.isNaN(Date.parse(`${text.replace(' ', 'T')}Z`)), 'there is no such date and time')
const instant = z
  .string()
  .refine(
    (text) => parseInstant(text) !== undefined,
    'an instant is ISO 8601 with its zone, as 2026-01-15T12:00:00Z',
  )
const ip = z.string().refine(isIpv4, 'an IPv4 address is dotted decimal, four parts, no leading zeros')
const text = z.string().min(1, 'must not be empty').max(10_000)
// oxlint-disable-next-line no-control-regex -- header and lists are made of lines
const secret = text.regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters')

const clock = z.union([instant, fields({ now: instant, frozen: z.boolean() })], {
  error:
    'a clock is an ISO 8601 instant with its zone (frozen there), as 2026-01-15T12:00:00Z, or {now, frozen}',
})

const product = fields({
  productName: text,
  price: usd,
  groupId: id.optional(),
  groupName: text.optional(),
  created_at: date.optional(),
  product_hidden: z.boolean().optional(),
  group_hidden: z.boolean().optional(),
  product_type: oneOf(productTypes),
  ip_count: count.max(65_536).optional(),
  update_time: dateTime.optional(),
  geo: z.array(z.string().regex(/^[A-Z]{2}$/, 'a country code is two capital letters')).optional(),
})

const session = fields({
  server: text,
  session: text,
  ip: ip.optional(),
  rotations: count.optional(),
  since: instant.optional(),
})

const service = fields({
  client: id,
  product: id,
  orderid: id.optional(),
  product_name: text.optional(),
  regdate: date.optional(),
  nextduedate: date.optional(),
  status: oneOf(serviceStatuses).optional(),
  billingcycle: oneOf(billingCycles).optional(),
  username: secret.optional(),
  password: secret.optional(),
  bindedip: z
    .union([ip, z.literal('')], { error: 'an IPv4 address in dotted decimal, or empty where none is bound' })
    .optional(),
  product_type: oneOf(productTypes).optional(),
  ip_count: count.max(65_536).optional(),
  price: usd.optional(),
  ips: z.array(ip).optional(),
  list_version: count.optional(),
  list_updated_at: instant.optional(),
  errors: z.array(ip).optional(),
  inactive: z.array(ip).optional(),
  usage: fields({ limit: z.number().min(0), stats: z.record(date, z.number().min(0)).optional() }).optional(),
  sticky: fields({
    ttl: z
      .int()
      .refine((ttl) => [1, 2, 3, 5, 10, 15].includes(ttl), 'a TTL is 1, 2, 3, 5, 10 or 15 (minutes)')
      .optional(),
    sessions: z.array(session).optional(),
  }).optional(),
})

const invoice = fields({
  description: z.string().max(10_000).optional(),
  status: oneOf(invoiceStatuses),
  created_at: date.optional(),
  amount: usd.optional(),
  date_refunded: date.optional(),
  date_paid: date.optional(),
  paymentmethod: text.optional(),
  serviceid: id,
})

/** The statuses that can be sent: a 1xx is no answer yet. */
const respond = fields({
  status: z.int().min(200, 'a status is 200 to 599').max(599, 'a status is 200 to 599'),
  body: z.json().optional(),
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'no header name'),
      z.string().regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, 'no header value'),
    )
    .optional(),
})

/** A fault, in a scenario or by the control plane. Which operations and cases there are is the contract's to say. */
export const faultSchema = fields({
  id: id.optional(),
  operation: text,
  match: fields({ path: z.record(z.string(), z.string()).optional(), body: z.json().optional() }).optional(),
  phase: oneOf(['before', 'after']).optional(),
  respond: z
    .union([text, respond], { error: 'a case of the operation (its name), or {status, body?, headers?}' })
    .optional(),
  delay: z.number().min(0).max(600_000, 'a delay is at most 600000 ms').optional(),
  drop: oneOf(['reset', 'empty', 'truncate']).optional(),
  after: count.optional(),
  times: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
  seen: count.optional(),
  used: count.optional(),
}).refine((fault) => fault.respond !== undefined || fault.delay !== undefined || fault.drop !== undefined, {
  error: 'a fault does something: respond, delay or drop',
})

const interval = z.number('seconds').min(0).max(1e9)

// The interval is a number of any size: it may stand among the assumptions, and is kept in `limits`.
const assumptions = fields({
  ...Object.fromEntries(
    Object.entries(assumptionValues).map(([name, values]) => [name, oneOf(values).optional()]),
  ),
  updateListInterval: interval.optional(),
})

const accountShape = {
  password: secret,
  tokens: z.array(secret).optional(),
  credit: usd.optional(),
  seed: z.int().optional(),
  clock: clock.optional(),
  clients: byId(fields({ email: z.email('an e-mail address').optional() })).optional(),
  products: byId(product).optional(),
  services: byId(service).optional(),
  invoices: byId(invoice).optional(),
  limits: fields({ updateListInterval: interval.optional() }).optional(),
  assumptions: assumptions.optional(),
  faults: z.array(faultSchema).optional(),
  next: fields({
    service: id.optional(),
    order: id.optional(),
    invoice: id.optional(),
    fault: id.optional(),
  }).optional(),
  generate: fields({
    clients: count.max(100_000).optional(),
    products: count.max(100_000).optional(),
    services: count.max(200_000).optional(),
    invoices: count.max(200_000).optional(),
  }).optional(),
}

/** Parts of an account, as a patch leaves them. */
export const accountPartSchema = fields({ ...accountShape, password: secret.optional() })

const loginPattern = /^[^:\u0000-\u001f\u007f]{1,100}$/
export const loginSchema = z
  .string()
  .regex(loginPattern, 'a login has 1 to 100 characters, no colon and no control characters')
  .refine((login) => login !== '__proto__', 'no login')

/** A scenario with everything merged in. */
export const scenarioSchema = fields({
  description: text,
  seed: z.int('a whole number').optional(),
  clock: clock.optional(),
  accounts: z
    .record(loginSchema, fields(accountShape))
    .refine((accounts) => Object.keys(accounts).length > 0, 'at least one account'),
})

/** What a scenario file says about others. */
export const referencesSchema = z.looseObject({
  extends: z.string('the name of a scenario').optional(),
  fixtures: z.array(z.string('the name of a fixture'), 'a list of names of fixtures').optional(),
})
