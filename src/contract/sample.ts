import type { Faker } from '@faker-js/faker'
import { hash } from '../world/chance.ts'
import type { ContractOperation, Schema } from './Contract.ts'
import randexp from 'randexp'

/** A generated response that keeps the contract, for an operation without an implementation. */
export interface Sample {
  status: number
  type: string | undefined
  body: unknown
}

/** Generated times are in the year before it; with the running clock, each call would give different ones. */
const today = new Date('2026-01-01T00:00:00Z')

/** @param dependsOn the same seed and URL give the same sample */
export type Sampler = (operation: ContractOperation, dependsOn: { seed: number; url: string }) => Sample

/** Loads the sampler with its library, which most simulators never need. */
export async function loadSampler(): Promise<Sampler> {
  const { faker } = await import('@faker-js/faker/locale/en')
  return (operation, dependsOn) => sample(operation, dependsOn, faker)
}

function sample(
  operation: ContractOperation,
  { seed, url }: { seed: number; url: string },
  faker: Faker,
): Sample {
  const status = Object.keys(operation.responses)
    .map(Number)
    .find((one) => one >= 200 && one < 300)
  if (status === undefined) throw new Error(`${operation.operationId} declares no successful response`)
  const content: Readonly<Record<string, Schema>> = operation.responses[status]?.content ?? {}
  const type = Object.keys(content).find((one) => one.includes('json')) ?? Object.keys(content)[0]
  if (type === undefined) return { status, type, body: undefined }
  faker.setDefaultRefDate(today)
  faker.seed([seed, hash([operation.operationId, url])])
  return { status, type, body: value(content[type] ?? {}, faker, '', 0) }
}

function value(schema: Schema, faker: Faker, name: string, depth: number): unknown {
  if (schema['example'] !== undefined) return schema['example']
  if (schema['default'] !== undefined) return schema['default']
  const choices = schema['enum'] as unknown[] | undefined
  if (choices?.length) return faker.helpers.arrayElement(choices)
  const alternatives = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined
  if (alternatives?.[0]) return value({ ...without(schema), ...alternatives[0] }, faker, name, depth)
  const parts = schema['allOf'] as Schema[] | undefined
  if (parts) return value(merge(without(schema), parts), faker, name, depth)
  switch (schema['type'] ?? (schema['properties'] ? 'object' : schema['items'] ? 'array' : 'any')) {
    case 'object':
      return object(schema, faker, depth)
    case 'array': {
      const least = Number(schema['minItems'] ?? Math.min(1, Number(schema['maxItems'] ?? 1)))
      const most = Number(schema['maxItems'] ?? Math.max(3, least))
      const length = depth > 6 ? least : faker.number.int({ min: least, max: Math.min(most, least + 3) })
      const items = (schema['items'] as Schema) ?? {}
      const make = (): unknown => value(items, faker, name, depth + 1)
      return schema['uniqueItems'] === true ? different(length, make) : Array.from({ length }, make)
    }
    case 'integer':
    case 'number':
      return number(schema, faker)
    case 'boolean':
      return faker.datatype.boolean()
    case 'string':
      return text(schema, faker, name)
    default:
      return schema['nullable'] === true ? null : {}
  }
}

/** Distinct values; fewer than `length` if no more can be found. */
function different(length: number, make: () => unknown): unknown[] {
  const found = new Map<string, unknown>()
  for (let tries = 0; found.size < length && tries < length * 20; tries++) {
    const made = make()
    found.set(JSON.stringify(made), made)
  }
  return [...found.values()]
}

function object(schema: Schema, faker: Faker, depth: number): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const required = new Set((schema['required'] ?? []) as string[])
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key, property]) => property['writeOnly'] !== true && (required.has(key) || depth < 6))
      .map(([key, property]) => [key, value(property, faker, key, depth + 1)]),
  )
}

function number(schema: Schema, faker: Faker): number {
  const integer = schema['type'] === 'integer'
  const step = Number(schema['multipleOf'] ?? (integer ? 1 : 0.01))
  const low =
    Number(schema['minimum'] ?? Math.min(1, Number(schema['maximum'] ?? 1001) - 1000)) +
    (schema['exclusiveMinimum'] === true ? step : 0)
  const high =
    Number(schema['maximum'] ?? Math.max(low, 1000)) - (schema['exclusiveMaximum'] === true ? step : 0)
  const steps = faker.number.int({
    min: Math.ceil(low / step),
    max: Math.max(Math.ceil(low / step), Math.floor(high / step)),
  })
  return Number((steps * step).toFixed(6))
}

/** Texts by format or name; hosts and addresses come from the ranges reserved for examples. */
function text(schema: Schema, faker: Faker, name: string): string {
  const pattern = schema['pattern'] as string | undefined
  if (pattern) return textMatching(pattern, faker)
  switch (schema['format']) {
    case 'date':
      return faker.date.past().toISOString().slice(0, 10)
    case 'date-time':
      return faker.date.past().toISOString()
    case 'email':
      return faker.internet.exampleEmail().toLowerCase()
    case 'ipv4':
      return faker.internet.ipv4({ network: 'test-net-1' })
    case 'ipv6':
      return `2001:db8::${faker.string.hexadecimal({ length: 4, casing: 'lower', prefix: '' })}`
    case 'uuid':
      return faker.string.uuid()
    case 'uri':
    case 'url':
      return `https://example.com/${faker.lorem.slug()}`
    case 'hostname':
      return `${faker.internet.domainWord()}.example.com`
    case 'byte':
      return Buffer.from(faker.lorem.word()).toString('base64')
  }
  const made = /name/i.test(name)
    ? faker.commerce.productName()
    : /desc|message|text/i.test(name)
      ? faker.lorem.sentence()
      : faker.lorem.words(2)
  const least = Number(schema['minLength'] ?? 0)
  return made.padEnd(least, 'x').slice(0, Number(schema['maxLength'] ?? Infinity))
}

function without({ oneOf: _oneOf, anyOf: _anyOf, allOf: _allOf, ...rest }: Schema): Schema {
  return rest
}

function merge(base: Schema, parts: readonly Schema[]): Schema {
  const all = [base, ...parts]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => (required as string[] | undefined) ?? []),
  }
}

// The module is the class itself; its types declare a `default` that doesn't exist.
const RandExp = randexp as unknown as typeof randexp.default

/** Most repetitions of `*`, `+` and `{n,}` beyond their minimum. */
const maxExtra = 5

/**
 * A text that matches a pattern; faker's own `fromRegExp` supports neither groups nor `\d`.
 * @throws Error if none is found
 */
export function textMatching(pattern: string, faker: Faker): string {
  const generator = new RandExp(pattern)
  generator.max = maxExtra
  generator.randInt = (min, max) => faker.number.int({ min, max })
  const generated = generator.gen()
  if (new RegExp(pattern, 'u').test(generated)) return generated
  throw new Error(`can't generate a text for the pattern ${pattern}; add an example to the schema`)
}
