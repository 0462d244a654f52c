import { z } from 'zod'
import { effects, effectsOf, type FaultEffects } from '../faults/effects/effects.ts'
import type { SchemaTypes } from '../faults/effects/FaultEffect.ts'
import { suggestion } from '../lib/nearest.ts'
import {
  assumptionIds,
  assumptionValues,
  billingCycles,
  faultPhases,
  invoiceStatuses,
  openAssumptions,
  productTypes,
  serviceStatuses,
  type Assumptions,
} from '../service/values.ts'
import { kinds, type Kind, type Limits, type RecordsInput } from '../world/World.ts'
import { generatedIdLimit, isMoney, maxList, maxCounted, maxMoney } from '../world/numbers.ts'
import { maxRecords } from './bounds.ts'
import { fieldsOf, type Form } from '../service/records.ts'
import { addDuration, isRealDate, isTimeZone, lastDate, parseInstant } from '../world/time.ts'

/*
 * The schema of scenarios. Messages are noun phrases that say what is allowed: `schemaIssues` turns them into `"Actve"
 * is not one of: …`. Editors show the descriptions.
 */

type Scalar = string | number

/** The interval may be listed with the assumptions, but is stored in `limits`. */
type ScenarioAssumptions = Partial<Assumptions & Pick<Limits, 'updateListInterval'>>

/** A strict object. For unknown fields, the message is the list of those that are allowed. */
function fields<Shape extends z.ZodRawShape>(shape: Shape, besides: readonly string[] = []) {
  const allowed = [...Object.keys(shape), ...besides].join(' ')
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? allowed : 'a map of fields'),
  })
}

/** Maximum nesting of an arbitrary JSON value: an export nests it deeper, and must load again. */
const deepestJson = 40
const anyJson = z
  .unknown()
  .refine(
    (value) => isJson(value, deepestJson),
    `a JSON value (at most ${deepestJson} levels of maps and lists)`,
  )

function isJson(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'number' || Number.isFinite(value)
  return levels > 0 && Object.values(value).every((item) => isJson(item, levels - 1))
}

const maybe = <T extends z.ZodType>(type: T, description: string) => type.describe(description).optional()

/** The same kind of field under several names. */
const each = <Name extends string, T extends z.ZodType>(names: readonly Name[], type: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, type(name)])) as Record<Name, T>

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `one of: ${values.join(', ')}`)

const idPhrase = 'an id (a positive integer of at most ten digits)'
const idPattern = /^[1-9][0-9]{0,9}$/
const byId = <T extends z.ZodType>(record: T) =>
  z.record(z.string().regex(idPattern, idPhrase), record, 'a map by id')

const listOf = <T extends z.ZodType>(item: T) =>
  z.array(item, 'a list').max(maxList, `a list of at most ${maxList} items`)
const whole = (phrase: string, min: number, max: number) => z.int(phrase).min(min, phrase).max(max, phrase)
const between = (phrase: string, min: number, max: number) =>
  z.number(phrase).min(min, phrase).max(max, phrase)

const id = whole(idPhrase, 1, 9_999_999_999)
const upTo = (max: number) => whole(`a whole number, 0 to ${max}`, 0, max)
const count = upTo(maxCounted)
const times = whole(`a whole number, 1 to ${maxCounted}`, 1, maxCounted)
const amount = between('a number, 0 to 1e12', 0, 1e12)
const usdPhrase = `an amount in USD (a number, 0 or more, with at most two decimals), at most ${maxMoney}`
const usd = between(usdPhrase, 0, maxMoney).refine(isMoney, usdPhrase)
const flag = z.boolean('true or false')

/** A text of a pattern, which editors know, and more that they don't. */
const matching = (phrase: string, pattern: RegExp, isAlso: (text: string) => boolean) =>
  z.string(phrase).regex(pattern, phrase).refine(isAlso, phrase)
const sized = (phrase: string, max: number) => z.string(phrase).min(1, phrase).max(max, phrase)

const datePhrase = 'a date (YYYY-MM-DD)'
const date = z.iso.date(datePhrase)
const dateTime = matching(
  'a date and time (YYYY-MM-DD HH:MM:SS)',
  /^\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  (text) => isRealDate(text.slice(0, 10)),
)
const instantPhrase = `an instant (ISO 8601 with a time zone, such as 2026-01-15T12:00:00Z), from 1970 to ${lastDate}`
const instant = z
  .string(instantPhrase)
  .refine((text) => parseInstant(text) !== undefined, instantPhrase)
  .meta({ format: 'date-time' })
const ipPhrase = 'an IPv4 address (dotted decimal, four parts, no leading zeros)'
const ip = z.ipv4(ipPhrase)
const text = sized('a text (1 to 10000 characters)', 10_000)
// An update may set a password as long as a body can be.
const secretPhrase = 'a text without control characters (1 to 1000000 characters)'
const secret = sized(secretPhrase, 1_000_000)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, secretPhrase)
  .refine((one) => !/\p{Surrogate}/u.test(one), secretPhrase) // half a character, which nobody can send
const ratePhrase = 'a rate: more than 0, at most 100000'
const rate = z.number(ratePhrase).gt(0, ratePhrase).max(100_000, ratePhrase)
const clock = z
  .union(
    [
      instant,
      fields({
        now: maybe(instant, 'The time it shows (ISO 8601). Defaults to real time.'),
        frozen: maybe(flag, 'Whether it stays at that time. Defaults to false.'),
        rate: maybe(rate, 'Seconds of this clock in one real second. Defaults to 1.'),
      }),
    ],
    {
      error:
        'a clock: an ISO 8601 instant to freeze it at, such as 2026-01-15T12:00:00Z, or {now, frozen, rate?}',
    },
  )
  .describe('An instant to freeze the clock at (ISO 8601), or {now, frozen, rate}. Defaults to real time.')

const session = fields({
  server: text.describe('Name of the server.'),
  session: text.describe('Session ID.'),
  ip: maybe(ip, 'Its current address. Defaults to one generated from the seed.'),
  rotations: maybe(count, 'How often it was rotated.'),
  since: maybe(instant, 'When its TTL started. Defaults to the time of loading.'),
})

const usage = fields({
  limit: z
    .union([amount, z.literal('none')], { error: 'a number, 0 to 1e12, or null if there is no limit' })
    .nullable()
    .describe('Maximum number of requests, or traffic in MB; null: there is no limit. Defaults to 10000.')
    .optional(),
  rate: maybe(amount, 'What is used of it, if that is not the sum of stats.'),
  stats: maybe(
    z.record(date, amount, 'a map of dates'),
    'Date (YYYY-MM-DD) → number of requests, or traffic in MB.',
  ),
})

const sticky = fields({
  ttl: maybe(
    z.literal<number[]>([1, 2, 3, 5, 10, 15], 'a TTL in minutes (1, 2, 3, 5, 10 or 15)'),
    'Lifetime of a session in minutes: 1, 2, 3, 5, 10 or 15.',
  ),
  sessions: maybe(listOf(session), 'The sessions. A merge replaces the whole list.'),
})

const longPhrase = 'a text (at most 20000 characters)' // an order's description contains the product's name

/** What each form of field may hold. */
const forms: Record<Form, z.ZodType> = {
  addresses: listOf(ip),
  addressCount: whole('a number of addresses, 1 to 65536', 1, 65_536),
  billingCycle: oneOf(billingCycles),
  boundAddress: z.union([ip, z.literal('')], { error: `${ipPhrase}, or empty if none is bound` }),
  count,
  countries: listOf(z.string('a country code').regex(/^[A-Z]{2}$/, 'a country code (two capital letters)')),
  date,
  dateTime,
  flag,
  id,
  instant,
  invoiceStatus: oneOf(invoiceStatuses),
  longText: z.string('a text').max(20_000, longPhrase),
  orderId: whole('an id (a positive integer of at most eleven digits)', 1, 99_999_999_999), // by default slightly above service ids
  productType: oneOf(productTypes),
  regdate: date.refine((day) => day <= lastDate, `${datePhrase}, at most ${lastDate}`),
  secret,
  serviceStatus: oneOf(serviceStatuses),
  sticky,
  text,
  usage,
  usd,
}

/** The records of each kind by id, as `world/fields.ts` describes them. */
const records = each(kinds, (kind) => {
  const shape: Record<string, z.ZodType> = Object.fromEntries(
    fieldsOf(kind).map(([name, { form, about, isRequired }]) => {
      const type = about === undefined ? forms[form] : forms[form].describe(about)
      return [name, isRequired ? type : type.optional()]
    }),
  )
  if (kind === 'services') shape['service_id'] = maybe(id, 'Service ID: its key again, as the API shows it.')
  return maybe(byId(fields(shape)), `${kind.charAt(0).toUpperCase()}${kind.slice(1)} by ID.`)
}) as unknown as {
  [K in Kind]: z.ZodOptional<z.ZodType<Record<string, RecordsInput[K]>, Record<string, RecordsInput[K]>>>
}

const match = fields({
  path: maybe(
    z.record(z.string(), z.union([z.string(), z.number()], 'a text or a number'), 'a map of path parameters'),
    'Path parameters.',
  ),
  body: maybe(anyJson, 'Values that the body must contain; others are ignored.'),
})

/** The contract defines which names exist. */
export const caseSchema = text.describe('The name of a case of the operation.')

const schemaTypes: SchemaTypes = { z, fields, oneOf, whole, between, caseName: caseSchema }

type EffectShape = {
  [Name in keyof FaultEffects]-?: z.ZodOptional<
    z.ZodType<NonNullable<FaultEffects[Name]>, NonNullable<FaultEffects[Name]>>
  >
}

const effectShape = Object.fromEntries(
  Object.entries(effects).map(([name, { schema }]) => [name, schema(schemaTypes).optional()]),
) as EffectShape
const effectNames = Object.keys(effects)
const someEffect = `${effectNames.slice(0, -1).join(', ')} or ${effectNames.at(-1)}`

/** A fault, in a scenario or from the control plane. The contract defines which operations and cases exist. */
export const faultSchema = fields({
  id: maybe(id, 'Fault ID.'),
  operation: text.describe('operationId, or * for every operation.'),
  match: maybe(match, 'Only affects requests that match.'),
  phase: maybe(
    oneOf(faultPhases),
    'before: the operation is not carried out. after: it is, but its response is lost or replaced.',
  ),
  ...effectShape,
  after: maybe(count, 'How many matching requests to let through first.'),
  times: maybe(times, 'How many times it triggers. Defaults to unlimited.'),
  probability: maybe(between('a number from 0 to 1', 0, 1), '0 to 1; the outcome is determined by the seed.'),
  seen: maybe(count, 'Matching requests so far.'),
  used: maybe(count, 'How often it has triggered.'),
}).refine((fault) => effectsOf(fault).length > 0, {
  error: `A fault needs an effect: ${someEffect}`,
})

const perPhrase = 'a number of seconds, 1 to 1000000000'
const interval = between('a number of seconds, 0 to 1000000000', 0, 1e9)

const durationPhrase = 'an ISO 8601 duration such as PT10S, PT1H, P1D or P1M'
const duration = z
  .string(durationPhrase)
  .refine((value) => addDuration(0, value) !== undefined, durationPhrase)
const repeatPhrase = `${durationPhrase}, longer than nothing`
const signedPhrase = 'an amount in USD with at most two decimals'

const addition = fields({
  credit: maybe(
    between(signedPhrase, -maxMoney, maxMoney).refine((value) => isMoney(Math.abs(value)), signedPhrase),
    'USD that is added, or taken if it is negative.',
  ),
  services: maybe(
    byId(fields({ usage: amount.describe('Requests, or traffic in MB, on the day that it is then.') })),
    'Usage that is added, by service ID; ppr only.',
  ),
})

/** An entry of the timeline, in a scenario or from the control plane. */
export const entrySchema = fields({
  id: maybe(id, 'Its ID.'),
  at: maybe(instant, 'When it is due (ISO 8601).'),
  after: maybe(duration, 'How long after the load it is due (ISO 8601 duration), by the account’s clock.'),
  patch: maybe(
    z.record(z.string(), anyJson, 'a merge patch (a map)'),
    'A JSON Merge Patch on the account, like that of PATCH /accounts/{login}.',
  ),
  add: maybe(addition, 'What is added.'),
  activate: maybe(id, 'A service, which becomes Active if it is Pending.'),
  pay: maybe(id, 'An invoice, which is paid from the credit if it is open.'),
  renew: maybe(id, 'A service, which is paid for another billing cycle, or Suspended.'),
  every: maybe(
    duration.refine((value) => (addDuration(0, value) ?? 0) > 0, repeatPhrase),
    'Duration after which it is due again; needs times.',
  ),
  times: maybe(times, 'How often it is still due.'),
  first: maybe(instant, 'When it was due first; exports have it.'),
  done: maybe(count, 'How often it has been due; exports have it.'),
  description: maybe(text, 'What happens then, in a few words.'),
})

const happened = fields({
  id: id.describe('The entry.'),
  at: instant.describe('When it was due.'),
  description: maybe(text, 'What happened.'),
  reason: maybe(text, 'Why it was skipped, if it was.'),
})

const zonePhrase = 'an IANA time zone, such as UTC or America/New_York'
const timeZone = z.string(zonePhrase).refine(isTimeZone, {
  error: ({ input }) => {
    const hint = suggestion(String(input), Intl.supportedValuesOf('timeZone'))
    return hint ? `${zonePhrase}.${hint}` : zonePhrase
  },
})

/** What assumptions with `accepts` can be set to */
const accepted = { seconds: interval, 'time zone': timeZone }

const interpretations: Record<string, z.ZodType> = Object.fromEntries([
  ...Object.entries(assumptionValues).map(([name, values]: [string, readonly [Scalar, ...Scalar[]]]) => {
    const all = values.join(', ')
    return [name, maybe(z.literal(values, `one of: ${all}`), `${all}. Defaults to ${values[0]}.`)]
  }),
  ...Object.entries(openAssumptions).map(([name, { accepts, default: usual }]) => [
    name,
    maybe(accepted[accepts], `Any ${accepts}. Defaults to ${usual}.`),
  ]),
])

const assumptions = fields(interpretations) as unknown as z.ZodType<ScenarioAssumptions, ScenarioAssumptions>

const nextId = whole(
  `an id to assign next (a positive integer, at most ${generatedIdLimit})`,
  1,
  generatedIdLimit,
)
const seed = z.int(`a whole number, at most ${Number.MAX_SAFE_INTEGER} and at least the negative of it`)

const accountShape = {
  password: secret.describe('Password of the login.'),
  tokens: maybe(listOf(secret), 'API tokens; each is accepted in place of the password.'),
  credit: maybe(usd, 'USD. Defaults to 0.'),
  seed: maybe(seed, 'Seed of this account. Defaults to the scenario’s.'),
  clock: clock.optional(),
  ...records,
  limits: maybe(
    fields({
      updateListInterval: maybe(interval, 'Seconds between two IP-list updates of a service.'),
      activation: maybe(interval, 'Seconds until a service ordered as Pending is Active. Defaults to never.'),
      payment: maybe(interval, 'Seconds until an invoice ordered as not paid is paid. Defaults to never.'),
      renewal: maybe(flag, 'Whether services are renewed on their due dates. Defaults to false.'),
      requests: maybe(
        fields({
          count: times.describe('The most authenticated requests in a window; each further one is a 429.'),
          per: between(perPhrase, 1, 1e9).describe('Seconds; a window begins with its first request.'),
          since: maybe(instant, 'When the present window began.'),
          used: maybe(count, 'Requests in it so far.'),
        }),
        'How many requests are allowed. Defaults to unlimited.',
      ),
    }),
    'Limits.',
  ),
  assumptions: maybe(assumptions, 'How to read what the documentation leaves open.'),
  confirmed: maybe(
    listOf(oneOf(assumptionIds as [string, ...string[]])),
    'Assumptions of which recordings of the real service, or its provider, have shown that they hold.',
  ),
  faults: maybe(
    listOf(faultSchema),
    'Faults; the first that matches triggers. A merge replaces the whole list.',
  ),
  timeline: maybe(listOf(entrySchema), 'What is due, and when. A merge replaces the whole list.'),
  history: maybe(listOf(happened), 'What has happened by itself, the oldest first.'),
  next: maybe(
    fields(
      each(['service', 'order', 'invoice', 'fault', 'timeline'], (kind) =>
        maybe(kind === 'fault' || kind === 'timeline' ? id : nextId, `ID of a ${kind}.`),
      ),
    ),
    'The lowest IDs to assign next, by kind.',
  ),
  generate: maybe(
    fields(each(kinds, (kind) => maybe(upTo(maxRecords), `Number of additional ${kind}.`))),
    'Additional records, generated from the seed.',
  ),
}

/** The parts of an account that a patch touches, after patching. */
export const accountPartSchema = fields({ ...accountShape, password: accountShape.password.optional() })

const loginPhrase =
  "a login (1 to 100 characters, no colon, no control characters; not __proto__, and not . or .., which a URL can't hold)"
export const loginSchema = matching(
  loginPhrase,
  /^(?!\.\.?$)[^:\u0000-\u001f\u007f-\u009f]{1,100}$/,
  (login) => login !== '__proto__' && !/\p{Surrogate}/u.test(login),
)

/** A scenario with everything merged in. */
export const scenarioSchema = fields(
  {
    description: text.describe('What this scenario shows, in one line.'),
    seed: maybe(seed, 'Seed of all generated data: the same seed gives the same data.'),
    clock: clock.optional(),
    accounts: z
      .record(
        loginSchema,
        fields(accountShape).describe('An account, isolated from the others.'),
        'a map of accounts',
      )
      .describe('Accounts by login. May be empty.'),
  },
  ['extends', 'fixtures'], // parsed by `referencesSchema`
)

/** Where a field belongs that is at the top of a scenario. */
export function homeOfField(field: string): string | undefined {
  return Object.hasOwn(accountShape, field) ? `an account: accounts.LOGIN.${field}` : undefined
}

const names = (phrase: string) => z.string(phrase).min(1, phrase)

/** A scenario file's references to others. */
export const referencesSchema = z.looseObject({
  extends: maybe(
    names('the name of a scenario'),
    'Name of another scenario; this one is a JSON Merge Patch (RFC 7386) on it.',
  ),
  fixtures: maybe(
    z
      .array(names('the name of a fixture'), 'a list of names of fixtures')
      .max(100, 'a list of at most 100 names'),
    'Files of fixtures/ that are merged first, in order.',
  ),
})
