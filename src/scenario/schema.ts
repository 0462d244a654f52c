import { z } from 'zod'
import { effects, effectsOf } from '../faults/effects/effects.ts'
import type { SchemaForms } from '../faults/effects/FaultEffect.ts'
import { faultPhases } from '../world/faultValues.ts'
import {
  assumptionValues,
  type Assumptions,
  billingCycles,
  invoiceStatuses,
  productTypes,
  serviceStatuses,
} from '../world/values.ts'
import type { FaultEffects } from '../world/World.ts'
import { isIpv4 } from '../world/ipv4.ts'
import { parseInstant } from '../state/clock.ts'
import { didYouMean } from './nearest.ts'

/*
 * The form of scenarios. Messages here are noun phrases that tell what is allowed: `schemaIssues` makes them
 * `"Actve" is not one of: …`. Descriptions are what editors show.
 */

/** More unknown fields of one object than this are told by number. */
const mostUnknown = 20

/** An object of these fields and no others; each field too many is told, one a line, with those that are allowed. */
function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'a map of fields'
      return issue.keys
        .slice(0, mostUnknown)
        .map(
          (key) =>
            `unknown field ${JSON.stringify(key)}${didYouMean(key, allowed)} (allowed: ${allowed.join(', ')})`,
        )
        .join('\n')
    },
  })
}

/** A choice of texts. */
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, {
    error: ({ input }) =>
      `one of: ${values.join(', ')}${typeof input === 'string' ? didYouMean(input, values) : ''}`,
  })

const idPattern = /^[1-9][0-9]{0,9}$/
const byId = <T extends z.ZodType>(record: T) =>
  z.record(
    z.string().regex(idPattern, 'an id (a positive integer of at most ten digits)'),
    record,
    'a map by id',
  )

const listOf = <T extends z.ZodType>(item: T) => z.array(item, 'a list')
const whole = (phrase: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.int(phrase).min(min, phrase).max(max, phrase)
const between = (phrase: string, min: number, max: number) =>
  z.number(phrase).min(min, phrase).max(max, phrase)

const id = whole('an id (a positive integer of at most ten digits)', 1, 9_999_999_999)
// the order of a service that names none is numbered a little higher than the service
const orderId = whole('an id (a positive integer of at most eleven digits)', 1, 99_999_999_999)
const count = whole('a whole number, 0 or more', 0)
const addresses = whole('a number of addresses, 1 to 65536', 1, 65_536)
const amount = between('a number, 0 or more', 0, 1e15)
const usdPhrase = 'an amount in USD (a number, 0 or more, with at most two decimals)'
const usd = between(usdPhrase, 0, 1e12).refine(
  (dollars) => Math.abs(Math.round(dollars * 100) - dollars * 100) < 1e-6,
  usdPhrase,
)
const flag = z.boolean('true or false')

const isRealDate = (text: string) => new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
const datePhrase = 'a date (YYYY-MM-DD)'
const date = z
  .string(datePhrase)
  .regex(/^\d{4}-\d\d-\d\d$/, datePhrase)
  .refine(isRealDate, datePhrase)
const dateTimePhrase = 'a date and time (YYYY-MM-DD HH:MM:SS)'
const dateTime = z
  .string(dateTimePhrase)
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, dateTimePhrase)
  .refine(
    (text) => isRealDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(`${text.replace(' ', 'T')}Z`)),
    dateTimePhrase,
  )
const instantPhrase = 'an instant (ISO 8601 with its zone, as 2026-01-15T12:00:00Z)'
const instant = z
  .string(instantPhrase)
  .refine((text) => parseInstant(text) !== undefined, instantPhrase)
  .meta({ format: 'date-time' })
const ipPhrase = 'an IPv4 address (dotted decimal, four parts, no leading zeros)'
const ip = z.string(ipPhrase).refine(isIpv4, ipPhrase).meta({ format: 'ipv4' })
const textPhrase = 'a text (1 to 10000 characters)'
const text = z.string(textPhrase).min(1, textPhrase).max(10_000, textPhrase)
// An update may set a password of any length that a body can have.
const secretPhrase = 'a text without control characters (1 to 1000000 characters)'
const secret = z
  .string(secretPhrase)
  .min(1, secretPhrase)
  .max(1_000_000, secretPhrase)
  .regex(/^[^\u0000-\u001f\u007f]*$/, secretPhrase)
const emailPhrase = 'an e-mail address'

const clock = z
  .union(
    [
      instant,
      fields({
        now: instant.describe('What it shows (ISO 8601).'),
        frozen: flag.describe('Whether it stands still there.'),
      }),
    ],
    {
      error:
        'a clock: an ISO 8601 instant with its zone, where it is frozen, as 2026-01-15T12:00:00Z, or {now, frozen}',
    },
  )
  .describe('Frozen at an instant (ISO 8601), or {now, frozen}; without it the clock follows real time.')

const client = fields({ email: z.email(emailPhrase).describe("The client's e-mail address.").optional() })

const product = fields({
  productName: text.describe('Name of the product.'),
  price: usd.describe('USD.'),
  groupId: id.describe('Product group ID.').optional(),
  groupName: text.describe('Name of the group.').optional(),
  created_at: date.describe('YYYY-MM-DD.').optional(),
  product_hidden: flag.describe('Whether the product is left out of the lists.').optional(),
  group_hidden: flag
    .describe('Whether the group, with all its products, is left out of the lists.')
    .optional(),
  product_type: oneOf(productTypes).describe('fpr: static proxies; ppr: rotating proxies.'),
  ip_count: addresses.describe('Number of addresses; fpr only.').optional(),
  update_time: dateTime.describe('YYYY-MM-DD HH:MM:SS; fpr only.').optional(),
  geo: listOf(z.string('a country code').regex(/^[A-Z]{2}$/, 'a country code (two capital letters)'))
    .describe('Country codes (ISO 3166-1, two capital letters); fpr only.')
    .optional(),
})

const session = fields({
  server: text.describe('Name of the server.'),
  session: text.describe('Session ID.'),
  ip: ip.describe('The address that it holds; without it, made up from the seed.').optional(),
  rotations: count.describe('How often it was rotated.').optional(),
  since: instant.describe('From when its TTL counts; without it, from the time of loading.').optional(),
})

const usage = fields({
  limit: amount.describe('Limit of requests or of used traffic in MB.'),
  stats: z
    .record(date, amount, 'a map of dates')
    .describe('Date (YYYY-MM-DD) → count of requests or used traffic in MB.')
    .optional(),
})

const ttlPhrase = 'a TTL in minutes (1, 2, 3, 5, 10 or 15)'
const sticky = fields({
  ttl: z
    .int(ttlPhrase)
    .refine((ttl) => [1, 2, 3, 5, 10, 15].includes(ttl), ttlPhrase)
    .describe('Minutes that a session lives: 1, 2, 3, 5, 10 or 15.')
    .optional(),
  sessions: listOf(session).describe('The sessions; a list is replaced whole.').optional(),
})

const service = fields({
  client: id.describe('Client ID. It may name a client that does not exist: that gives client-not-found.'),
  product: id.describe('Product ID; what the service does not name is taken from the product.'),
  orderid: orderId.describe('Order ID.').optional(),
  product_name: text.describe('Name of the product.').optional(),
  regdate: date.describe('Day of registration, YYYY-MM-DD.').optional(),
  nextduedate: date.describe('Next due date, YYYY-MM-DD.').optional(),
  status: oneOf(serviceStatuses).describe('Status; Active unless named.').optional(),
  billingcycle: oneOf(billingCycles).describe('Billing cycle; Monthly unless named.').optional(),
  username: secret.describe('Proxy username.').optional(),
  password: secret.describe('Proxy password.').optional(),
  bindedip: z
    .union([ip, z.literal('')], { error: `${ipPhrase}, or empty where none is bound` })
    .describe('Bound IPv4 address, empty where none is bound; fpr only.')
    .optional(),
  product_type: oneOf(productTypes).describe('Type, where it is not the product’s.').optional(),
  ip_count: addresses.describe('Number of addresses; fpr only.').optional(),
  price: usd.describe('USD.').optional(),
  ips: listOf(ip)
    .describe('The addresses of its IP list; without it, ip_count addresses made up from the seed.')
    .optional(),
  list_version: count.describe('How often the made-up list was replaced by an update.').optional(),
  list_updated_at: instant
    .describe('When the IP list was last updated: the update throttle counts from it.')
    .optional(),
  errors: listOf(ip).describe('Proxy servers in error state (network status).').optional(),
  inactive: listOf(ip).describe('Inactive proxy servers (network status).').optional(),
  usage: usage.describe('Usage; ppr only.').optional(),
  sticky: sticky.describe('Sticky sessions; ppr only.').optional(),
})

const invoice = fields({
  description: z
    .string('a text')
    .max(10_000, 'a text (at most 10000 characters)')
    .describe('Text.')
    .optional(),
  status: oneOf(invoiceStatuses).describe('Status.'),
  created_at: date.describe('YYYY-MM-DD.').optional(),
  amount: usd.describe('USD; the price of the service unless named.').optional(),
  date_refunded: date.describe('YYYY-MM-DD.').optional(),
  date_paid: date.describe('YYYY-MM-DD.').optional(),
  paymentmethod: text.describe('Payment method.').optional(),
  serviceid: id.describe('Service ID.'),
})

const match = fields({
  path: z
    .record(z.string(), z.union([z.string(), z.number()], 'a text or a number'), 'a map of path parameters')
    .describe('Path parameters.')
    .optional(),
  body: z.json().describe('What the body must hold, at least.').optional(),
})

/** Which names there are is the contract's to say. */
export const caseSchema = text.describe('The name of a case of the operation.')

const forms: SchemaForms = { z, fields, oneOf, whole, between, caseName: caseSchema }

type EffectShape = {
  [Name in keyof FaultEffects]-?: z.ZodOptional<
    z.ZodType<NonNullable<FaultEffects[Name]>, NonNullable<FaultEffects[Name]>>
  >
}

const effectShape = Object.fromEntries(
  Object.entries(effects).map(([name, { schema }]) => [name, schema(forms).optional()]),
) as EffectShape
const effectNames = Object.keys(effects)
const someEffect = `${effectNames.slice(0, -1).join(', ')} or ${effectNames.at(-1)}`

/** A fault, in a scenario or by the control plane. Which operations and cases there are is the contract's to say. */
export const faultSchema = fields({
  id: id.describe('Fault ID.').optional(),
  operation: text.describe('operationId, or * for every operation.'),
  match: match.describe('Strikes only requests like this.').optional(),
  phase: oneOf(faultPhases)
    .describe(
      'before: the operation does not happen. after: it happens, then its answer is lost or replaced.',
    )
    .optional(),
  ...effectShape,
  after: count.describe('So many matching requests pass first.').optional(),
  times: whole('a whole number, 1 or more', 1).describe('So many times, then it is spent.').optional(),
  probability: between('a number from 0 to 1', 0, 1).describe('0 to 1; drawn from the seed.').optional(),
  seen: count.describe('Matching requests so far.').optional(),
  used: count.describe('Times it struck so far.').optional(),
}).refine((fault) => effectsOf(fault).length > 0, {
  error: `a fault that does something (it needs ${someEffect})`,
})

const interval = between('a number of seconds, 0 or more', 0, 1e9)

const readings = Object.fromEntries(
  Object.entries(assumptionValues).map(([name, values]) => [
    name,
    oneOf(values)
      .describe(`${values[0]} unless named; else ${values.slice(1).join(', ')}.`)
      .optional(),
  ]),
) as unknown as {
  [Id in keyof Assumptions]: z.ZodOptional<ReturnType<typeof oneOf<(typeof assumptionValues)[Id]>>>
}

// The interval is a number of any size: it may stand among the assumptions, and is kept in `limits`.
const assumptions = fields({
  ...readings,
  updateListInterval: interval.describe('Seconds; the same as limits.updateListInterval.').optional(),
})

const seed = z.int('a whole number')

const accountShape = {
  password: secret.describe('Password of the login.'),
  tokens: listOf(secret).describe('API tokens; each is accepted in place of the password.').optional(),
  credit: usd.describe('USD; 0 unless named.').optional(),
  seed: seed.describe('Seed of this account; the scenario’s unless named.').optional(),
  clock: clock.optional(),
  clients: byId(client).describe('Clients by ID.').optional(),
  products: byId(product).describe('Products by ID.').optional(),
  services: byId(service).describe('Services by ID.').optional(),
  invoices: byId(invoice).describe('Invoices by ID.').optional(),
  limits: fields({
    updateListInterval: interval.describe('Seconds between two IP-list updates of a service.').optional(),
  })
    .describe('Limits.')
    .optional(),
  assumptions: assumptions.describe('Readings of what the documentation leaves open.').optional(),
  faults: listOf(faultSchema)
    .describe('Faults; the first that matches strikes. A list is replaced whole.')
    .optional(),
  next: fields({
    service: id.describe('Of the next service.').optional(),
    order: orderId.describe('Of the next order.').optional(),
    invoice: id.describe('Of the next invoice.').optional(),
    fault: id.describe('Of the next fault.').optional(),
  })
    .describe('The next ID of each kind, at least.')
    .optional(),
  generate: fields({
    clients: whole('a number, 0 to 100000', 0, 100_000).describe('How many clients more.').optional(),
    products: whole('a number, 0 to 100000', 0, 100_000).describe('How many products more.').optional(),
    services: whole('a number, 0 to 200000', 0, 200_000).describe('How many services more.').optional(),
    invoices: whole('a number, 0 to 200000', 0, 200_000).describe('How many invoices more.').optional(),
  })
    .describe('More records, made up from the seed.')
    .optional(),
}

/** Parts of an account, as a patch leaves them. */
export const accountPartSchema = fields({ ...accountShape, password: accountShape.password.optional() })

const loginPhrase = 'a login (1 to 100 characters, no colon, no control characters)'
export const loginSchema = z
  .string(loginPhrase)
  .regex(/^[^:\u0000-\u001f\u007f]{1,100}$/, loginPhrase)
  .refine((login) => login !== '__proto__', loginPhrase)

/** A scenario with everything merged in. */
export const scenarioSchema = fields({
  description: text.describe('What this scenario shows, in one line.'),
  seed: seed.describe('Seed of everything that is made up: the same seed gives the same world.').optional(),
  clock: clock.optional(),
  accounts: z
    .record(
      loginSchema,
      fields(accountShape).describe('An account: a world of its own.'),
      'a map of accounts',
    )
    .describe('Accounts by login; none, where the last one was deleted.'),
})

const names = (phrase: string) => z.string(phrase).min(1, phrase)

/** What a scenario file says about others. */
export const referencesSchema = z.looseObject({
  extends: names('the name of a scenario')
    .describe('Name of another scenario; this one is a JSON Merge Patch (RFC 7386) on it.')
    .optional(),
  fixtures: z
    .array(names('the name of a fixture'), 'a list of names of fixtures')
    .describe('Files of fixtures/ that are merged first, in order.')
    .optional(),
})
