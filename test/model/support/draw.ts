import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import type { ContractOperation } from '../../../src/contract/Contract.ts'

/*
 * Draws values from schemas: from the contract's for requests, from the scenario schema for patches. They include extreme,
 * strange and invalid values. New fields of a schema are drawn automatically. No rule here says which values are valid:
 * the model exports and loads whatever the simulator accepts.
 */

export interface Schema {
  /** The kind of record, if the value is an ID */
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
type Arbitrary = fc.Arbitrary<unknown>

export const pick = fc.constantFrom
const weighted = (weight: number, arbitrary: Arbitrary) => ({ weight, arbitrary })

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
  pick(...(texts['yaml'] ?? [])),
  pick(...(texts['long'] ?? [])),
)

/** Values for fields whose schema would yield none that exist, or would yield slow delays and a running clock */
const patchValues: Record<string, unknown[]> = {
  client: [11, 12, 99],
  product: [101, 201, 999],
  serviceid: [5001, 5003, 9_999_999_999],
  ip_count: [1, 3, 40],
  delay: [0, 1],
  clock: ['2026-01-15T11:50:00Z', { now: '2026-01-31T12:00:00Z', frozen: true }],
}
const requestValues: Record<string, unknown[]> = {
  server: ['us1', 'de2'],
  session: ['abc', 'def'],
  setip: ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '203.0.113.5', '', '1.2.3', '01.2.3.4'],
  update_list: ['true', 'true', 'false', true],
  password: ['cHc=', 'w7zDpA==', 'cHc', '', 'AAA=', 7],
}
/** Existing IDs and the required fields of a new record, by kind */
const records: Record<string, [ids: number[], needed: object]> = {
  clients: [[11, 12, 13], {}],
  products: [[101, 102, 103, 201, 202], { productName: 'New', price: 5, product_type: 'fpr' }],
  services: [Array.from({ length: 9 }, (_, i) => 5001 + i), { client: 11, product: 101 }],
  invoices: [[9001, 9002, 9003], { serviceid: 5001, status: 'Paid' }],
}
const wrongIds = [9, 0, -1, 1.5, '11', null, '05001', '0x1389', 'abc', '%00', '__proto__', '9'.repeat(20)]

/** Draws path parameters and a body for an operation. Some values are just beyond the contract's limits. */
export function drawInputs({ schema, pathParameters, bodyTypes }: ContractOperation) {
  const { parameters, requestBody } = schema as unknown as {
    parameters: (Schema & { name: string; schema: Schema })[]
    requestBody?: { content: Record<string, { schema: Schema }> }
  }
  const named = pathParameters.map((name) => {
    const found = parameters.find((one) => one.name === name)
    return [name, drawValue({ ...found?.schema, ...found }, name, requestValues).map(String)] as const
  })
  const [type = ''] = bodyTypes
  const body = requestBody && drawValue(requestBody.content[type]?.schema ?? {}, '', requestValues)
  const sent = body
    ? fc.oneof(weighted(8, body), weighted(1, pick<unknown[]>([], {}, undefined)))
    : fc.constant(undefined)
  return fc.tuple(fc.record(Object.fromEntries(named)), sent)
}

/** Draws values of a schema. Some are just beyond its limits. */
function drawValue(schema: Schema, name: string, choices = patchValues): Arbitrary {
  const { 'x-names': kind, anyOf, items, properties, additionalProperties, propertyNames = {} } = schema
  if (kind) return fc.oneof(weighted(8, pick(...(records[kind]?.[0] ?? []))), weighted(1, pick(...wrongIds)))
  if (choices[name]) return pick(...choices[name])
  if (anyOf)
    return fc.oneof(
      ...anyOf.map((one) => weighted(one.type === 'null' ? 1 : 6, drawValue(one, name, choices))),
    )
  if (items) return fc.array(drawValue(items, '', choices), { maxLength: 3 })
  if (properties) return drawFields(properties, schema.required, choices)
  if (!additionalProperties) return drawScalar(schema)
  const [ids, needed] = records[name] ?? []
  const value = drawValue(additionalProperties, '', choices)
  const added = value.map((one) => (typeof one === 'object' && one ? { ...needed, ...one } : one))
  const keys = ids ? pick(...[...ids, ...high].map(String)) : drawScalar(propertyNames)
  return fc.dictionary(keys as fc.Arbitrary<string>, needed ? fc.oneof(value, added) : value, {
    minKeys: 1,
    maxKeys: 2,
  })
}

function drawScalar({ type, format, pattern = '', minimum = 0, maximum = 0, ...rest }: Schema): Arbitrary {
  if (rest.enum) return fc.oneof(weighted(9, pick(...rest.enum)), weighted(1, pick('other')))
  if ('const' in rest) return pick(rest.const)
  if (type === 'null') return pick(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'number' || type === 'integer') {
    const inRange = numbers.filter((one) => one >= minimum && one <= maximum)
    return fc.oneof(
      weighted(9, pick(minimum, maximum, ...inRange)),
      weighted(1, pick(minimum - 1, maximum + 1)),
    )
  }
  if (type !== 'string') return fc.jsonValue({ maxDepth: 3 })
  if (format) return pick(...(texts[format] ?? []))
  const matching = new RegExp(pattern)
  return matching.test('any text')
    ? anyText
    : pick(...(texts['pattern'] ?? []).filter((one) => matching.test(one)))
}

/** Draws one or two optional fields, so that a patch is often accepted. */
function drawFields(
  properties: Record<string, Schema>,
  required: readonly string[] = [],
  choices = patchValues,
) {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  return fc
    .shuffledSubarray(optional, {
      minLength: required.length > 0 ? 0 : 1,
      maxLength: Math.min(2, optional.length),
    })
    .chain((names) =>
      fc.record(
        Object.fromEntries(
          [...required, ...names].map((name) => [name, drawValue(properties[name] as Schema, name, choices)]),
        ),
      ),
    )
}

const { properties } = JSON.parse(
  readFileSync(new URL('../../../scenario.schema.json', import.meta.url), 'utf8'),
) as { properties: { accounts: { anyOf: [{ additionalProperties: { anyOf: [Schema] } }] } } }
const account = properties.accounts.anyOf[0].additionalProperties.anyOf[0].properties ?? {}
/** Selects the fields of an account that are, or aren't, kinds of records. The timeline has separate steps. */
const selectFields = (areRecords: boolean) =>
  Object.fromEntries(
    Object.entries(account).filter(
      ([name]) => name in records === areRecords && !['timeline', 'history', 'generate'].includes(name),
    ),
  )

export const wildPatches = fc.oneof(
  weighted(2, drawFields(selectFields(true))),
  weighted(1, drawFields(selectFields(false))),
) as fc.Arbitrary<Record<string, unknown>>
