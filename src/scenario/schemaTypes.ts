import { z } from 'zod'
import { numberPhrase } from './schemaIssues.ts'
import { suggestion } from '../lib/nearest.ts'
import { generatedIdLimit, isMoney, maxCount, maxListLength, maxMoney } from '../world/numbers.ts'
import { addDuration, isDuration, isRealDate, isTimeZone, lastDate, parseInstant } from '../world/time.ts'

/*
 * Builders for the schemas of scenarios. Messages are noun phrases for the allowed values; `schemaIssues` extends
 * them to `"Actve" is not one of: …`. Editors show the descriptions.
 */

/** Builds the schema of an object. Unknown fields are rejected. The message for an unknown field is the list of allowed ones. */
function fields<Shape extends z.ZodRawShape>(shape: Shape, extraNames: readonly string[] = []) {
  const allowed = [...Object.keys(shape), ...extraNames].join(' ')
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? allowed : 'a map of fields'),
  })
}

/** Maximum nesting of an arbitrary JSON value, so that an export, which nests it more deeply, still loads. */
const maxJsonDepth = 40
const depthPhrase = `a JSON value (at most ${maxJsonDepth} levels of maps and lists)`
const anyJson = z
  .unknown()
  .refine((value) => !isDeeper(value, maxJsonDepth), { error: depthPhrase, abort: true })
  .check((context) => {
    const path = findInfinity(context.value)
    if (path) context.issues.push({ code: 'custom', path, input: Infinity, message: numberPhrase })
  })

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}

/** The path of a number that is too large, such as 1e400, which is read as Infinity. */
function findInfinity(value: unknown): string[] | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    const path = findInfinity(item)
    if (path) return [key, ...path]
  }
  return undefined
}

const maybe = <T extends z.ZodType>(type: T, description: string) => type.describe(description).optional()

/** Builds several fields of one type. */
const each = <Name extends string, T extends z.ZodType>(names: readonly Name[], type: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, type(name)])) as Record<Name, T>

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `one of: ${values.join(', ')}`)

const idPhrase = 'an id (a positive integer of at most ten digits)'
const idPattern = /^[1-9][0-9]{0,9}$/
const byId = <T extends z.ZodType>(record: T) =>
  z.record(z.string().regex(idPattern, idPhrase), record, 'a map by id')

const listOf = <T extends z.ZodType>(item: T) =>
  z.array(item, 'a list').max(maxListLength, `a list of at most ${maxListLength} items`)
const entriesOf = <T extends z.ZodType>(entry: T) =>
  z.union([listOf(entry), byId(entry)], 'a list, or a map by id')
const integer = (phrase: string, min: number, max: number) => z.int(phrase).min(min, phrase).max(max, phrase)
const between = (phrase: string, min: number, max: number) =>
  z.number(phrase).min(min, phrase).max(max, phrase)

const id = integer(idPhrase, 1, 9_999_999_999)
const upTo = (max: number) => integer(`a whole number, 0 to ${max}`, 0, max)
const count = upTo(maxCount)
const times = integer(`a whole number, 1 to ${maxCount}`, 1, maxCount)
const amount = between('a number, 0 to 1e12', 0, 1e12)
const usdPhrase = `an amount in USD (a number, 0 or more, with at most two decimals), at most ${maxMoney}`
const usd = between(usdPhrase, 0, maxMoney).refine(isMoney, usdPhrase)
const boolean = z.boolean('true or false')

/** Builds the schema of a string with a pattern, which editors can check, and an extra check, which they can't. */
const matching = (phrase: string, pattern: RegExp, extraCheck: (text: string) => boolean) =>
  z.string(phrase).regex(pattern, phrase).refine(extraCheck, phrase)
/** Builds a string with a maximum number of characters, counted as in the contract. Zod counts an emoji as two. */
const limitedString = (phrase: string, max: number, min = 1) =>
  z
    .string(phrase)
    .refine((one) => one.length >= min && isAtMost(one, max), phrase)
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
const upToLength = (phrase: string, max: number) => limitedString(phrase, max, 0)

function isAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && Array.from(text).length <= max)
}

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
const text = limitedString('a string (1 to 10000 characters)', 10_000)
// An update may set a password of up to the maximum length of a body.
const maxSecret = 1_000_000
const secretPhrase = 'a string without control characters (1 to 1000000 characters)'
const secretPattern = /^[^\u0000-\u001f\u007f-\u009f]*$/
const secret = z
  .string(secretPhrase)
  .regex(secretPattern, secretPhrase)
  // A lone surrogate can't be sent.
  .refine((one) => one !== '' && isAtMost(one, maxSecret) && !/\p{Surrogate}/u.test(one), secretPhrase)
  .meta({ minLength: 1, maxLength: maxSecret })
const interval = between('a number of seconds, 0 to 1000000000', 0, 1e9)

const durationPhrase = 'an ISO 8601 duration such as PT10S, PT1H, P1D or P1M'
const duration = z
  .string(durationPhrase)
  .refine(isDuration, { error: durationPhrase, abort: true })
  .refine((value) => addDuration(0, value) !== undefined, `a duration that ends by ${lastDate}`)

const signedPhrase = 'an amount in USD with at most two decimals'
const signedUsd = between(signedPhrase, -maxMoney, maxMoney).refine(
  (value) => isMoney(Math.abs(value)),
  signedPhrase,
)

const zonePhrase = 'an IANA time zone, such as UTC or America/New_York'
const timeZone = z.string(zonePhrase).refine(isTimeZone, {
  error: ({ input }) => {
    const hint = suggestion(String(input), Intl.supportedValuesOf('timeZone'))
    return hint ? `${zonePhrase}.${hint}` : zonePhrase
  },
})

const nextId = integer(
  `an id to assign next (a positive integer, at most ${generatedIdLimit})`,
  1,
  generatedIdLimit,
)

export const types = {
  z,
  amount,
  anyJson,
  between,
  byId,
  count,
  date,
  datePhrase,
  dateTime,
  duration,
  durationPhrase,
  each,
  entriesOf,
  fields,
  boolean,
  id,
  instant,
  interval,
  ip,
  ipPhrase,
  lastDate,
  listOf,
  matching,
  maybe,
  nextId,
  oneOf,
  secret,
  signedUsd,
  text,
  timeZone,
  times,
  upTo,
  upToLength,
  usd,
  integer,
}

export type SchemaBuilders = typeof types
