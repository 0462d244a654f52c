import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import type { ContractOperation } from '../../../src/contract/Contract.ts'

/*
 * Draws values from schemas: those of the contract for requests, those of scenarios for patches. They include the largest
 * and strangest values, and ones that must be refused. New fields of a schema are drawn automatically. No rule here says
 * which values are accepted: the model exports and loads whatever the simulator accepts.
 */

export interface Schema {
  /** The kind of record whose ID it is */
  'x-names'?: string
  anyOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  type?: string
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  propertyNames?: Schema
  additionalProperties?: Schema
}
type Drawn = fc.Arbitrary<unknown>

export const of = fc.constantFrom
const often = (weight: number, arbitrary: Drawn) => ({ weight, arbitrary })

const high = [4_294_967_294, 4_294_967_296, 8_999_999_999, 9_000_000_005, 9_999_999_999]
const numbers = [0.005, 0.1, 0.1 + 0.2, 1, 1.15, 7, 20, 1e12, 1e13, Number.MAX_SAFE_INTEGER, ...high]
const days = ['2026-01-31', '2024-02-29', '1999-12-31', '0000-01-01', '9899-12-31', '9999-12-31']
const texts: Record<string, string[]> = {
  ipv4: ['192.0.2.1', '192.0.2.2', '192.0.2.3', '198.51.100.1', '198.18.0.1'],
  'date-time': ['2026-01-15T11:50:00Z', '1970-01-01T00:00:00Z', '9899-12-31T23:59:59.999Z'],
  date: days,
  pattern: [...days, '2026-01-01 00:00:00', '5003', 'US', 'DE', 'ZZ', 'a-name'],
  yaml: 'yes|~|011|1e3|<<|*a|# x|- a|a: b| a |a\nb|\u0085|a\u2028b|\ufeff|\u0001'.split('|'),
  long: ['\ud800', 'x'.repeat(10_000), `${'long words '.repeat(30)}\n  indented`],
}
const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  of(...(texts['yaml'] ?? [])),
  of(...(texts['long'] ?? [])),
)

/** Choices that no schema contains: existing values, slow operations, and no running clock, because it can't be compared */
const known: Record<string, unknown[]> = {
  client: [11, 12, 99],
  product: [101, 201, 999],
  serviceid: [5001, 5003, 9_999_999_999],
  ip_count: [1, 3, 40],
  delay: [0, 1],
  clock: ['2026-01-15T11:50:00Z', { now: '2026-01-31T12:00:00Z', frozen: true }],
}
const inRequests: Record<string, unknown[]> = {
  server: ['us1', 'de2'],
  session: ['abc', 'def'],
  setip: ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '203.0.113.5', '', '1.2.3', '01.2.3.4'],
  update_list: ['true', 'true', 'false', true],
  password: ['cHc=', 'w7zDpA==', 'cHc', '', 'AAA=', 7],
}
/** Existing IDs by kind of record, and what a new record needs */
const records: Record<string, [ids: number[], needed: object]> = {
  clients: [[11, 12, 13], {}],
  products: [[101, 102, 103, 201, 202], { productName: 'New', price: 5, product_type: 'fpr' }],
  services: [Array.from({ length: 9 }, (_, i) => 5001 + i), { client: 11, product: 101 }],
  invoices: [[9001, 9002, 9003], { serviceid: 5001, status: 'Paid' }],
}
const wrongIds = [9, 0, -1, 1.5, '11', null, '05001', '0x1389', 'abc', '%00', '__proto__', '9'.repeat(20)]

/** Draws path parameters and a body for an operation; some are just beyond the contract's limits. */
export function inputs({ schema, pathParameters, bodyTypes }: ContractOperation) {
  const { parameters, requestBody } = schema as unknown as {
    parameters: (Schema & { name: string; schema: Schema })[]
    requestBody?: { content: Record<string, { schema: Schema }> }
  }
  const named = pathParameters.map((name) => {
    const found = parameters.find((one) => one.name === name)
    return [name, valueOf({ ...found?.schema, ...found }, name, inRequests).map(String)] as const
  })
  const [type = ''] = bodyTypes
  const body = requestBody && valueOf(requestBody.content[type]?.schema ?? {}, '', inRequests)
  const sent = body
    ? fc.oneof(often(8, body), often(1, of<unknown[]>([], {}, undefined)))
    : fc.constant(undefined)
  return fc.tuple(fc.record(Object.fromEntries(named)), sent)
}

/** Draws values of a schema; some are just beyond its limits. */
function valueOf(schema: Schema, name: string, given = known): Drawn {
  const { 'x-names': kind, anyOf, items, properties, additionalProperties, propertyNames = {} } = schema
  if (kind) return fc.oneof(often(8, of(...(records[kind]?.[0] ?? []))), often(1, of(...wrongIds)))
  if (given[name]) return of(...given[name])
  if (anyOf)
    return fc.oneof(...anyOf.map((one) => often(one.type === 'null' ? 1 : 6, valueOf(one, name, given))))
  if (items) return fc.array(valueOf(items, '', given), { maxLength: 3 })
  if (properties) return few(properties, schema.required, given)
  if (!additionalProperties) return scalarOf(schema)
  const [ids, needed] = records[name] ?? []
  const value = valueOf(additionalProperties, '', given)
  const added = value.map((one) => (typeof one === 'object' && one ? { ...needed, ...one } : one))
  const keys = ids ? of(...[...ids, ...high].map(String)) : scalarOf(propertyNames)
  return fc.dictionary(keys as fc.Arbitrary<string>, needed ? fc.oneof(value, added) : value, {
    minKeys: 1,
    maxKeys: 2,
  })
}

function scalarOf({ type, format, pattern = '', minimum = 0, maximum = 0, ...rest }: Schema): Drawn {
  if (rest.enum) return fc.oneof(often(9, of(...rest.enum)), often(1, of('other')))
  if ('const' in rest) return of(rest.const)
  if (type === 'null') return of(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'number' || type === 'integer') {
    const within = numbers.filter((one) => one >= minimum && one <= maximum)
    return fc.oneof(often(9, of(minimum, maximum, ...within)), often(1, of(minimum - 1, maximum + 1)))
  }
  if (type !== 'string') return fc.jsonValue({ maxDepth: 3 })
  if (format) return of(...(texts[format] ?? []))
  const matching = new RegExp(pattern)
  return matching.test('any text')
    ? anyText
    : of(...(texts['pattern'] ?? []).filter((one) => matching.test(one)))
}

/** Draws one or two of many fields, so that a patch is often accepted. */
function few(properties: Record<string, Schema>, required: readonly string[] = [], given = known) {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  return fc
    .shuffledSubarray(optional, {
      minLength: required.length > 0 ? 0 : 1,
      maxLength: Math.min(2, optional.length),
    })
    .chain((names) =>
      fc.record(
        Object.fromEntries(
          [...required, ...names].map((name) => [name, valueOf(properties[name] as Schema, name, given)]),
        ),
      ),
    )
}

const { properties } = JSON.parse(
  readFileSync(new URL('../../../scenario.schema.json', import.meta.url), 'utf8'),
) as { properties: { accounts: { anyOf: [{ additionalProperties: { anyOf: [Schema] } }] } } }
const account = properties.accounts.anyOf[0].additionalProperties.anyOf[0].properties ?? {}
/** The fields of an account that are, or aren't, kinds of records. The timeline has its own steps. */
const fieldsOf = (areRecords: boolean) =>
  Object.fromEntries(
    Object.entries(account).filter(
      ([name]) => name in records === areRecords && !['timeline', 'history', 'generate'].includes(name),
    ),
  )

export const wildPatches = fc.oneof(
  often(2, few(fieldsOf(true))),
  often(1, few(fieldsOf(false))),
) as fc.Arbitrary<Record<string, unknown>>
