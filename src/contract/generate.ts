import type { Faker } from '@faker-js/faker'
import { isObject } from '../world/mergePatch.ts'
import type { Schema } from './Contract.ts'
import { decimalPlaces } from './keywords.ts'
import { generateText } from './generateText.ts'

/** Generates values of schemas. */
export interface Generator {
  faker: Faker
  /**
   * Checks a value, so that only valid parts are used. Without it, generating is fast, examples are used unchecked, and parts of a
   * value may contradict each other.
   */
  fits: ((schema: Schema, value: unknown) => boolean) | undefined
  /** Number of parts that may still be generated again */
  retries: number
}

/** Maximum depth at which optional values are generated. */
const maxDepth = 6

/** Maximum number of times that the same part is generated. */
const maxTries = 30

/** Keywords that can contradict others */
const hard = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'uniqueItems', 'pattern', 'format', 'maxProperties']

export function generateValue(schema: Schema, generator: Generator, depth = 0): unknown {
  const { fits } = generator
  for (const given of [schema['example'], schema['default']])
    if (given !== undefined && (!fits || fits(schema, given))) return given
  if (!fits || !hard.some((keyword) => schema[keyword] !== undefined))
    return generateOnce(schema, generator, depth)
  for (let i = 0; ; i++) {
    const value = generateOnce(schema, generator, depth)
    if (fits(schema, value) || i === maxTries || generator.retries-- <= 0) return value
  }
}

function generateOnce(schema: Schema, generator: Generator, depth: number): unknown {
  const { faker, fits } = generator
  const flat = flatten(schema, (alternatives) =>
    fits ? faker.helpers.arrayElement(alternatives) : (alternatives[0] as Schema),
  )
  const choices = flat['enum'] as unknown[] | undefined
  if (choices?.length) return faker.helpers.arrayElement(choices)
  switch (typeOf(flat)) {
    case 'object':
      return generateObject(flat, generator, depth)
    case 'array':
      return generateArray(flat, generator, depth)
    case 'integer':
    case 'number':
      return generateNumber(flat, faker)
    case 'boolean':
      return faker.datatype.boolean()
    case 'string':
      return generateText(flat, faker)
    default:
      return flat['nullable'] === true ? null : {}
  }
}

/** Keywords that imply a type */
const typesByKeyword = {
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['pattern', 'format', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'multipleOf'],
}

function typeOf(schema: Schema): unknown {
  const implied = Object.entries(typesByKeyword).find(([, keywords]) =>
    keywords.some((keyword) => schema[keyword] !== undefined),
  )
  return schema['type'] ?? implied?.[0]
}

/** Combines a schema with all of its `allOf`, and with one alternative of `oneOf` and of `anyOf`. */
function flatten(schema: Schema, pick: (alternatives: Schema[]) => Schema): Schema {
  const { oneOf, anyOf, allOf = [], ...own } = schema as Partial<Record<string, Schema[]>>
  const parts: Schema[] = [...allOf, ...[oneOf, anyOf].flatMap((some) => (some ? [pick(some)] : []))]
  const flat = parts.map((part) => flatten(part, pick)).reduce(intersect, own as Schema)
  const names = (oneOf ?? []).flatMap(({ properties }) => Object.keys(properties ?? {}))
  return names.length > 0 ? { ...flat, [alternativeNames]: names } : flat
}

/** The names of the properties of all alternatives of `oneOf` */
const alternativeNames = 'x-alternative-names'

const strictest: Partial<Record<string, (...values: number[]) => number>> = {
  minimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
}

/** A schema for values that fit both, as far as its keywords can express that. */
function intersect(a: Schema, b: Schema): Schema {
  const both: Schema = { ...a, ...b }
  for (const [key, value] of Object.entries(a)) {
    const other = b[key]
    if (other === undefined) continue
    if (strictest[key]) both[key] = strictest[key](Number(value), Number(other))
    else if (key === 'required') both[key] = [...new Set([...(value as string[]), ...(other as string[])])]
    else if (key === 'type' && value === 'integer' && other === 'number') both[key] = 'integer'
    else if (key === 'items') both[key] = { allOf: [value, other] }
    else if (key === 'enum')
      both[key] = (value as unknown[]).filter((one) => (other as unknown[]).includes(one))
    else if (key === 'additionalProperties' && value === false) both[key] = false
    else if (key === 'properties') {
      const [left, right] = [value as Record<string, Schema>, other as Record<string, Schema>]
      both[key] = { ...left, ...right }
      for (const name of Object.keys(left))
        if (right[name]) (both[key] as Record<string, Schema>)[name] = { allOf: [left[name], right[name]] }
    }
  }
  return both
}

/** Values of different types, most of which don't fit a schema */
const oddValues = [null, 0, 'x', true, [], {}]

function generateObject(schema: Schema, generator: Generator, depth: number): Record<string, unknown> {
  const { faker, fits } = generator
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const required = new Set((schema['required'] ?? []) as string[])
  const others = schema['additionalProperties']
  const max = Number(schema['maxProperties'] ?? Infinity)
  const entries: [string, unknown][] = []
  const add = (name: string, value: unknown): unknown => entries.push([name, value])
  for (const name of required)
    if (properties[name]?.['writeOnly'] !== true)
      add(
        name,
        generateValue(
          properties[name] ?? (isObject(others) ? others : { type: 'string' }),
          generator,
          depth + 1,
        ),
      )
  for (const [name, property] of Object.entries(properties)) {
    if (required.has(name) || property['writeOnly'] === true || depth >= maxDepth || entries.length >= max)
      continue
    // Without an optional field, a value may fit that otherwise can't.
    if (!fits || faker.datatype.boolean(0.7)) add(name, generateValue(property, generator, depth + 1))
  }
  if (others !== false) {
    // An unsuitable value of a property that only other alternatives describe excludes these.
    if (fits && faker.datatype.boolean())
      for (const name of (schema[alternativeNames] ?? []) as string[])
        if (!properties[name] && entries.length < max) add(name, faker.helpers.arrayElement(oddValues))
    for (let i = 1; entries.length < Number(schema['minProperties'] ?? 0); i++)
      add(`field${i}`, generateValue(isObject(others) ? others : { type: 'string' }, generator, depth + 1))
  }
  const order = Object.keys(properties)
  return Object.fromEntries(entries.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)))
}

function generateArray(schema: Schema, generator: Generator, depth: number): unknown[] {
  const max = Number(schema['maxItems'] ?? Infinity)
  const min = Number(schema['minItems'] ?? Math.min(1, max))
  const length =
    depth > maxDepth ? min : generator.faker.number.int({ min, max: Math.max(min, Math.min(max, min + 3)) })
  const newItem = (): unknown => generateValue((schema['items'] ?? {}) as Schema, generator, depth + 1)
  if (schema['uniqueItems'] !== true) return Array.from({ length }, newItem)
  const items = Array.from({ length: length * 20 }, newItem).map((one) => [JSON.stringify(one), one] as const)
  return [...new Map(items).values()].slice(0, length)
}

function generateNumber(schema: Schema, faker: Faker): number {
  const isInteger = schema['type'] === 'integer' || String(schema['format']).startsWith('int')
  let step = Number(schema['multipleOf'] ?? (isInteger ? 1 : 0.01))
  if (isInteger) step = integerMultiple(step)
  const low = Number(schema['minimum'] ?? Math.min(1, Number(schema['maximum'] ?? 1001) - 1000))
  const high = Number(schema['maximum'] ?? Math.max(low, 1000))
  const range = (): [min: number, max: number] => {
    // The quotients are rounded: 1.15 / 0.05 is a little less than 23.
    const min = Math.ceil(Number((low / step).toPrecision(14)))
    const max = Math.floor(Number((high / step).toPrecision(14)))
    return [
      schema['exclusiveMinimum'] === true && round(min * step, step) <= low ? min + 1 : min,
      schema['exclusiveMaximum'] === true && round(max * step, step) >= high ? max - 1 : max,
    ]
  }
  let [min, max] = range()
  const smallestStep = isInteger || schema['multipleOf'] !== undefined ? step : 1e-9
  while (min > max && step > smallestStep) {
    step /= 10
    ;[min, max] = range()
  }
  return round(faker.number.int({ min, max: Math.max(min, max) }) * step, step)
}

/** The smallest integer that is a multiple of a step: 3 for 1.5. */
function integerMultiple(step: number): number {
  let count = 1
  while (count < 1000 && !Number.isInteger(round(count * step, step))) count++
  return round(count * step, step)
}

/** A multiple of a step, without the error of the multiplication. */
function round(value: number, step: number): number {
  return Number(value.toFixed(Math.min(100, decimalPlaces(step))))
}
