import type { Faker } from '@faker-js/faker'
import randexp from 'randexp'
import { hash } from '../world/random.ts'
import type { ContractOperation, Schema } from './Contract.ts'
import { loadFaker } from '../lib/onDemand.ts'

/** A generated response that satisfies the contract, for an operation without an implementation. */
export interface Sample {
  status: number
  contentType: string | undefined
  body: unknown
}

/** Generated times are in the year before this date. If they depended on the current time, each call would differ. */
const referenceDate = new Date('2026-01-01T00:00:00Z')

/** @param source the same seed and URL give the same sample */
export type Sampler = (operation: ContractOperation, source: { seed: number; url: string }) => Sample

/** Loads the sampler and faker, which most simulators never need. */
export async function loadSampler(): Promise<Sampler> {
  const { faker } = await loadFaker()
  return (operation, source) => generateSample(operation, source, faker)
}

function generateSample(
  { operationId, responses }: ContractOperation,
  { seed, url }: { seed: number; url: string },
  faker: Faker,
): Sample {
  const status = Object.keys(responses)
    .map(Number)
    .find((one) => one >= 200 && one < 300)
  if (status === undefined) throw new Error(`${operationId} declares no successful response. Add a 2xx.`)
  const content: Readonly<Record<string, Schema>> = responses[status]?.content ?? {}
  const contentType = Object.keys(content).find((one) => one.includes('json')) ?? Object.keys(content)[0]
  if (contentType === undefined) return { status, contentType, body: undefined }
  faker.setDefaultRefDate(referenceDate)
  faker.seed([seed, hash([operationId, url])])
  return { status, contentType, body: generateValue(content[contentType] ?? {}, faker, 0) }
}

/** Maximum depth at which optional values are generated. */
const maxDepth = 6

function generateValue(schema: Schema, faker: Faker, depth: number): unknown {
  if (schema['example'] !== undefined) return schema['example']
  if (schema['default'] !== undefined) return schema['default']
  const choices = schema['enum'] as unknown[] | undefined
  if (choices?.length) return faker.helpers.arrayElement(choices)
  const { oneOf, anyOf, allOf, ...rest } = schema as Partial<Record<string, Schema[]>>
  const alternative = (oneOf ?? anyOf)?.[0]
  if (alternative) return generateValue({ ...rest, allOf, ...alternative }, faker, depth)
  if (allOf) return generateValue(merge([rest, ...allOf]), faker, depth)
  switch (schema['type'] ?? (schema['properties'] ? 'object' : schema['items'] ? 'array' : 'any')) {
    case 'object':
      return generateObject(schema, faker, depth)
    case 'array':
      return generateArray(schema, faker, depth)
    case 'integer':
    case 'number':
      return generateNumber(schema, faker)
    case 'boolean':
      return faker.datatype.boolean()
    case 'string':
      return generateText(schema, faker)
    default:
      return schema['nullable'] === true ? null : {}
  }
}

function merge(parts: readonly Schema[]): Schema {
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => (required as string[] | undefined) ?? []),
  }
}

function generateObject(schema: Schema, faker: Faker, depth: number): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const required = new Set((schema['required'] ?? []) as string[])
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key, property]) => property['writeOnly'] !== true && (required.has(key) || depth < maxDepth))
      .map(([key, property]) => [key, generateValue(property, faker, depth + 1)]),
  )
}

function generateArray(schema: Schema, faker: Faker, depth: number): unknown[] {
  const max = Number(schema['maxItems'] ?? Infinity)
  const min = Number(schema['minItems'] ?? Math.min(1, max))
  const length = depth > maxDepth ? min : faker.number.int({ min, max: Math.min(max, min + 3) })
  const newItem = (): unknown => generateValue((schema['items'] as Schema) ?? {}, faker, depth + 1)
  if (schema['uniqueItems'] !== true) return Array.from({ length }, newItem)
  const items = Array.from({ length: length * 20 }, newItem).map((one) => [JSON.stringify(one), one] as const)
  return [...new Map(items).values()].slice(0, length)
}

function generateNumber(schema: Schema, faker: Faker): number {
  const step = Number(schema['multipleOf'] ?? (schema['type'] === 'integer' ? 1 : 0.01))
  const low =
    Number(schema['minimum'] ?? Math.min(1, Number(schema['maximum'] ?? 1001) - 1000)) +
    (schema['exclusiveMinimum'] === true ? step : 0)
  const high =
    Number(schema['maximum'] ?? Math.max(low, 1000)) - (schema['exclusiveMaximum'] === true ? step : 0)
  const min = Math.ceil(low / step)
  const steps = faker.number.int({ min, max: Math.max(min, Math.floor(high / step)) })
  return Number((steps * step).toFixed(6))
}

/** Generators by format. Hosts and addresses come from the ranges reserved for examples. */
const formats: Partial<Record<string, (faker: Faker) => string>> = {
  date: (faker) => faker.date.past().toISOString().slice(0, 10),
  'date-time': (faker) => faker.date.past().toISOString(),
  email: (faker) => faker.internet.exampleEmail().toLowerCase(),
  ipv4: (faker) => faker.internet.ipv4({ network: 'test-net-1' }),
  ipv6: (faker) => `2001:db8::${faker.string.hexadecimal({ length: 4, casing: 'lower', prefix: '' })}`,
  uuid: (faker) => faker.string.uuid(),
  uri: (faker) => `https://example.com/${faker.lorem.slug()}`,
  url: (faker) => `https://example.com/${faker.lorem.slug()}`,
  hostname: (faker) => `${faker.internet.domainWord()}.example.com`,
  byte: (faker) => Buffer.from(faker.lorem.word()).toString('base64'),
}

function generateText(schema: Schema, faker: Faker): string {
  if (schema['pattern']) return generateMatching(schema['pattern'] as string, faker)
  const formatted = formats[String(schema['format'])]?.(faker)
  if (formatted !== undefined) return formatted
  const min = Number(schema['minLength'] ?? 0)
  const max = Number(schema['maxLength'] ?? Infinity)
  return faker.lorem.words(2).padEnd(min, 'x').slice(0, max)
}

// The module is the class itself; its types declare a `default` that doesn't exist.
const RandExp = randexp as unknown as typeof randexp.default

/** Maximum number of repetitions of `*`, `+` and `{n,}` beyond their minimum. */
const maxExtra = 5

/**
 * Generates a text that matches a pattern. Faker's own `fromRegExp` supports neither groups nor `\d`.
 * @throws Error if the generated text doesn't match
 */
export function generateMatching(pattern: string, faker: Faker): string {
  const generator = new RandExp(pattern)
  generator.max = maxExtra
  generator.randInt = (min, max) => faker.number.int({ min, max })
  const generated = generator.gen()
  if (new RegExp(pattern, 'u').test(generated)) return generated
  throw new Error(`Can't generate a text for the pattern ${pattern}. Add an example to the schema.`)
}
