import { z } from 'zod'
import { generatedIdLimit, isMoney, maxCount, maxListLength, maxMoney } from '../world/numbers.ts'
import { addDuration, isDuration, isRealDate, isTimeZone, lastDate, parseInstant } from '../world/time.ts'

/*
 * Builders for the schemas of scenarios. Messages are zod's, where they say what is allowed. Editors show the descriptions.
 */

/** Builds the schema of an object without unknown fields. Their message is the list of allowed ones, which `schemaIssues` completes. */
function fields<Shape extends z.ZodRawShape>(shape: Shape, extraNames: readonly string[] = []) {
  const allowed = [...Object.keys(shape), ...extraNames].join(', ')
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? allowed : undefined),
  })
}

/** Maximum nesting of an arbitrary JSON value, so that an export, which nests it more deeply, still loads. */
const maxJsonDepth = 40
const anyJson = z
  .unknown()
  .refine(
    (value) => isJson(value, maxJsonDepth),
    `Invalid JSON value: expected at most ${maxJsonDepth} levels, and numbers up to ${Number.MAX_VALUE}`,
  )

/** JSON.parse reads a number that is too large, such as 1e400, as Infinity. */
function isJson(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((item) => isJson(item, levels - 1))
}

const maybe = <T extends z.ZodType>(type: T, description: string) => type.describe(description).optional()

/** Builds several fields of one type. */
const each = <Name extends string, T extends z.ZodType>(names: readonly Name[], type: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, type(name)])) as Record<Name, T>

const idPattern = /^[1-9][0-9]{0,9}$/
const byId = <T extends z.ZodType>(record: T) =>
  z.record(
    z.string().regex(idPattern, 'Invalid id: expected a positive integer of at most ten digits'),
    record,
  )

const listOf = <T extends z.ZodType>(item: T) => z.array(item).max(maxListLength)
const entriesOf = <T extends z.ZodType>(entry: T) =>
  z.union([listOf(entry), byId(entry)], 'Invalid input: expected a list, or a map by id')
const integer = (min: number, max: number) => z.int().min(min).max(max)
const between = (min: number, max: number) => z.number().min(min).max(max)

const id = integer(1, 9_999_999_999)
const upTo = (max: number) => integer(0, max)
const count = upTo(maxCount)
const times = integer(1, maxCount)
const amount = between(0, 1e12)
const cents = {
  error: 'Invalid amount in USD: expected at most two decimals',
  when: ({ issues }: { issues: unknown[] }) => issues.length === 0,
}
const usd = between(0, maxMoney).refine(isMoney, cents)
const signedUsd = between(-maxMoney, maxMoney).refine((value) => isMoney(Math.abs(value)), cents)
const upToLength = (max: number) => z.string().max(max)
const text = upToLength(10_000).min(1)

const date = z.iso.date()
const dateTimeRule = 'Invalid date and time: expected YYYY-MM-DD HH:MM:SS'
const dateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, dateTimeRule)
  .refine((value) => isRealDate(value.slice(0, 10)), dateTimeRule)
const instant = z
  .string()
  .refine(
    (value) => parseInstant(value) !== undefined,
    `Invalid instant: expected ISO 8601 with a time zone, such as 2026-01-15T12:00:00Z, from 1970 to ${lastDate}`,
  )
  .meta({ format: 'date-time' })
const duration = z
  .string()
  .refine(
    (value) => isDuration(value) && addDuration(0, value) !== undefined,
    `Invalid duration: expected ISO 8601, such as PT10S, PT1H, P1D or P1M, that ends by ${lastDate}`,
  )
const interval = between(0, 1e9)
const timeZone = z
  .string()
  .refine(isTimeZone, 'Invalid time zone: expected an IANA name, such as UTC or America/New_York')

const ip = z.ipv4()
// An update may set a password of up to the maximum length of a body.
const secret = upToLength(1_000_000)
  .min(1)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'Invalid string: expected no control characters')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'Invalid string: a lone surrogate cannot be sent')

export const types = {
  z,
  amount,
  anyJson,
  between,
  boolean: z.boolean(),
  byId,
  count,
  date,
  dateTime,
  duration,
  each,
  entriesOf,
  fields,
  id,
  instant,
  integer,
  interval,
  ip,
  lastDate,
  listOf,
  maybe,
  nextId: integer(1, generatedIdLimit),
  oneOf: z.enum,
  secret,
  signedUsd,
  text,
  timeZone,
  times,
  upTo,
  upToLength,
  usd,
}

export type SchemaBuilders = typeof types
