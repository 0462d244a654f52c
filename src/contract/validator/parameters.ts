import { URLSearchParams } from 'node:url'
import { composedSchemas } from '../../lib/schemas.ts'
import { asArray, asObject, type Schema } from '../Contract.ts'

const places = ['path', 'query', 'header', 'cookie'] as const

/** A parameter of an operation, and how its value is written. */
export interface Parameter {
  place: (typeof places)[number]
  name: string
  schema: Schema
  required: boolean
  /** Whether an empty value counts as valid */
  mayBeEmpty: boolean
  /** Whether its content is JSON */
  isJson: boolean
  style: string
  explode: boolean
  type: 'array' | 'object' | 'scalar'
  /** The types that its schema allows */
  types: readonly unknown[]
}

export interface RequestParts {
  path: Record<string, string>
  query: URLSearchParams | undefined
  headers: Record<string, string | string[] | undefined>
}

/** OpenAPI 3.0.3: header parameters with these names are ignored. */
const ignoredHeaders = ['accept', 'content-type', 'authorization']

/** Reads the Parameter Objects of an operation. */
export function readParameters(operation: Schema): Parameter[] {
  return asArray(operation['parameters'])
    .map((one) => readParameter(asObject(one)))
    .filter(({ place, name }) => place !== 'header' || !ignoredHeaders.includes(name))
}

function readParameter(parameter: Schema): Parameter {
  const { in: place, name, required, content, style, explode, allowEmptyValue } = parameter
  const [media] = Object.values(asObject(content)).map(asObject)
  const schema = asObject((media ?? parameter)['schema'])
  const usualStyle = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  const ownStyle = typeof style === 'string' ? style : usualStyle
  const types = findTypes(schema)
  return {
    place: place as Parameter['place'],
    name: place === 'header' ? String(name).toLowerCase() : String(name),
    schema,
    required: required === true,
    mayBeEmpty: allowEmptyValue === true,
    isJson: Object.keys(asObject(content)).some((type) => type.includes('json')),
    style: ownStyle,
    explode: (explode ?? ownStyle === 'form') === true,
    type: types.includes('array') ? 'array' : types.includes('object') ? 'object' : 'scalar',
    types,
  }
}

/** The schema of all parameters, by place. */
export function parametersSchema(parameters: readonly Parameter[]): Schema {
  const toSchema = (group: readonly Parameter[]): Schema => ({
    type: 'object',
    properties: Object.fromEntries(
      group.map(({ name, schema, mayBeEmpty }) => [
        name,
        mayBeEmpty ? { anyOf: [schema, { enum: [''] }] } : schema,
      ]),
    ),
    required: group.filter(({ required }) => required).map(({ name }) => name),
  })
  const byPlace = places.map((place) => [place, toSchema(parameters.filter((one) => one.place === place))])
  return { properties: Object.fromEntries(byPlace) as unknown }
}

/** The values of parameters, by place and name. Texts that are written like a value of the schema's type become that value. */
export function readValues(
  parameters: readonly Parameter[],
  parts: RequestParts,
): Record<string, Record<string, unknown>> {
  const values: Record<string, Record<string, unknown>> = { path: {}, query: {}, header: {}, cookie: {} }
  const cookies = parameters.some(({ place }) => place === 'cookie')
    ? readCookies(parts.headers['cookie'])
    : undefined
  for (const parameter of parameters) {
    const { place, name } = parameter
    const value =
      place === 'query'
        ? readForm(parameter, parts.query)
        : place === 'cookie'
          ? readForm(parameter, cookies)
          : readText(parameter, place === 'path' ? parts.path[name] : parts.headers[name])
    if (value !== undefined) (values[place] as Record<string, unknown>)[name] = value
  }
  return values
}

function readCookies(header: string | string[] | undefined): URLSearchParams {
  const pairs = String(header ?? '').split(/; */)
  return new URLSearchParams(
    pairs.map((pair): [string, string] => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]),
  )
}

/** Styles of queries and cookies. A repeated parameter becomes a list, which violates its schema unless that is a list, too. */
function readForm(parameter: Parameter, fields: URLSearchParams | undefined): unknown {
  const { name, style, explode, type, isJson, schema } = parameter
  const texts = fields?.getAll(name) ?? []
  if (type === 'object' && !isJson && (style === 'deepObject' || explode)) {
    const entries = [...(fields ?? [])].flatMap(([key, text]) => {
      const isOwn = style === 'deepObject' ? key.startsWith(`${name}[`) : hasProperty(schema, key)
      return isOwn ? [[style === 'deepObject' ? key.slice(name.length) : key, text] as const] : []
    })
    return entries.length > 0 ? coerce(collectFields(entries), schema) : texts[0]
  }
  if (type === 'array' && explode && !isJson && texts.length > 0) return coerce(texts, schema)
  return texts.length > 1 ? [texts] : readText(parameter, texts[0])
}

const separators: Partial<Record<string, string>> = {
  spaceDelimited: ' ',
  pipeDelimited: '|',
  label: '.',
  matrix: ';',
}

/** A value in one text: lists and objects with separators, or JSON. */
function readText(
  { name, schema, style, explode, type, types, isJson }: Parameter,
  raw: string | string[] | undefined,
): unknown {
  if (typeof raw !== 'string') return raw
  if (isJson) {
    try {
      return JSON.parse(raw) as unknown
    } catch {
      return raw
    }
  }
  const prefix =
    style === 'label' ? '.' : style === 'matrix' ? (explode && type === 'object' ? ';' : `;${name}=`) : ''
  if (!raw.startsWith(prefix)) return undefined
  const text = raw.slice(prefix.length)
  if (type === 'scalar') return coerceText(text, types)
  const isSplitByStyle = explode || !(style === 'label' || style === 'matrix')
  const separator = (isSplitByStyle ? separators[style] : undefined) ?? ','
  const items =
    text === '' ? [] : text.split(separator).map((item) => (style === 'simple' ? item.trim() : item))
  if (type === 'array')
    return coerce(
      style === 'matrix' && explode ? items.map((item) => item.replace(`${name}=`, '')) : items,
      schema,
    )
  const pairs = explode
    ? items.map((item) => [item.split('=', 1)[0] as string, item.slice(item.indexOf('=') + 1)] as const)
    : items.flatMap((item, i) => (i % 2 === 0 ? [[item, items[i + 1] ?? ''] as const] : []))
  return coerce(collectFields(pairs), schema)
}

/** An object of fields. The values of a repeated field, or of `a[]`, are a list; `a[b]` or `[a][b]` is a field of a field. */
export function collectFields(entries: Iterable<readonly [string, string]>): object {
  const root: Fields = new Map()
  for (const [key, text] of entries) {
    const path = key
      .replaceAll(/\]/g, '')
      .split('[')
      .filter((part, i) => part !== '' || i > 0)
    const name = path.at(-1) === '' ? path.at(-2) : path.at(-1)
    let fields = root
    for (const part of path.slice(0, path.at(-1) === '' ? -2 : -1)) {
      const inner = fields.get(part)
      if (inner instanceof Map) fields = inner
      else fields.set(part, (fields = new Map() as Fields))
    }
    const previous = fields.get(name ?? '')
    const isList = path.at(-1) === '' || previous !== undefined
    fields.set(name ?? '', isList ? ([previous ?? [], text].flat() as string[]) : text)
  }
  return toObject(root)
}

type Fields = Map<string, string | string[] | Fields>

function toObject(fields: Fields): object {
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, value instanceof Map ? toObject(value) : value]),
  )
}

/** Converts texts to the types of a schema. A text that isn't written like its type stays a text, and so violates the schema. */
export function coerce(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value))
    return value.map((item) =>
      coerce(
        item,
        findPart(schema, ({ items }) => items),
      ),
    )
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const part = findPart(schema, ({ properties, additionalProperties }) =>
          Object.hasOwn(asObject(properties), name) ? asObject(properties)[name] : additionalProperties,
        )
        // A list that was sent once looks like a scalar.
        const isList = findTypes(part).includes('array') && !Array.isArray(item)
        return [name, coerce(isList ? [item] : item, part)]
      }),
    )
  }
  return typeof value === 'string' ? coerceText(value, findTypes(schema)) : value
}

function coerceText(text: string, types: readonly unknown[]): unknown {
  if (types.includes('number') ? jsonNumber.test(text) : types.includes('integer') && integer.test(text))
    return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const integer = /^-?(?:0|[1-9]\d*)$/
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function findTypes(schema: Schema): unknown[] {
  return composedSchemas(schema).flatMap(({ type, properties, items, enum: choices }) =>
    type !== undefined
      ? [type]
      : properties
        ? ['object']
        : items
          ? ['array']
          : asArray(choices).map((choice) => typeof choice),
  )
}

function findPart(schema: Schema, part: (schema: Schema) => unknown): Schema {
  return asObject(
    composedSchemas(schema)
      .map(part)
      .find((one) => typeof one === 'object'),
  )
}

function hasProperty(schema: Schema, name: string): boolean {
  return composedSchemas(schema).some(({ properties }) => Object.hasOwn(asObject(properties), name))
}
