import { isObject, toText } from '../src/lib/json.ts'
import type { Patch } from '../src/lib/types.ts'

interface Schema {
  type?: string
  format?: string
  description?: string
  enum?: unknown[]
  nullable?: boolean
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

interface Holder {
  description?: string
  content?: Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
  >
}

interface Item {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: { name: string; description?: string; required?: boolean; schema: Schema; example?: unknown }[]
  requestBody?: Holder
  responses: Record<string, Holder>
}

export interface Operation extends Item {
  method: string
  path: string
}

/** An OpenAPI document whose references have been followed. */
export interface Contract {
  info: { title: string; version: string; description?: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Item> & { parameters?: Item['parameters'] }>
}

export interface FieldRow {
  name: string
  type: string
  description: string
  isRequired: boolean
  /** 0 for a field of the body itself */
  depth: number
}

/** Replaces each reference with its target. */
export function followReferences(document: unknown): Contract {
  const known = new Map<string, unknown>()
  const follow = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(follow)
    if (!isObject(node)) return node
    const { $ref } = node
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, one]) => [key, follow(one)]))
    if (!known.has($ref)) {
      known.set($ref, {}) // a schema within itself is shown once
      const target = $ref
        .slice(2)
        .split('/')
        .reduce((at: unknown, key) => (at as Patch)[key], document)
      known.set($ref, follow(target))
    }
    return known.get($ref)
  }
  return follow(document) as Contract
}

/** The operations of a contract, in its order. */
export function operationsOf({ paths }: Contract): Operation[] {
  return Object.entries(paths).flatMap(([path, { parameters: shared = [], ...items }]) =>
    Object.entries(items as Record<string, Item>).map(([method, item]) => ({
      ...item,
      method: method.toUpperCase(),
      path,
      parameters: [...shared, ...(item.parameters ?? [])],
    })),
  )
}

/** The path with the examples of its parameters */
export function examplePath({ path, parameters = [] }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    encodeURIComponent(toText(parameters.find((one) => one.name === name)?.example ?? whole)),
  )
}

export function parameterRows({ parameters = [] }: Operation): FieldRow[] {
  return parameters.map(({ name, schema, description = '', required: isRequired = false, example }) => {
    const shown = example === undefined ? '' : ` Example: \`${toText(example)}\``
    return { name, type: typeOf(schema), description: description + shown, isRequired, depth: 0 }
  })
}

/** The fields of a body, and its examples: an error's are named after its case. */
export function contentOf({ content = {} }: Holder): {
  fields: FieldRow[]
  examples: [name: string, value: unknown][]
} {
  const [media] = Object.values(content)
  const named = Object.entries(media?.examples ?? {}).map(([name, { value }]): [string, unknown] => [
    name,
    value,
  ])
  return {
    fields: media?.schema ? fieldsOf(media.schema, '', 0) : [],
    examples: media?.example === undefined ? named : [['example', media.example], ...named],
  }
}

/** The message of an error's body: a text, or the field `error`. */
export function messageOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  return isObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined
}

const maxDepth = 2

function fieldsOf(schema: Schema, prefix: string, depth: number): FieldRow[] {
  const { items, additionalProperties, properties = {}, required = [] } = merged(schema)
  if (items) return fieldsOf(items, prefix, depth)
  const isKnown = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  const more = isKnown ? { '{key}': additionalProperties as Schema } : {}
  return Object.entries({ ...properties, ...more }).flatMap(([name, property]) => {
    const { description = '' } = merged(property)
    const isRequired = required.includes(name)
    const row = { name: prefix + name, type: typeOf(property), description, isRequired, depth }
    return depth < maxDepth ? [row, ...fieldsOf(property, `${prefix}${name}.`, depth + 1)] : [row]
  })
}

/** A schema with all that its `allOf` say. */
function merged({ allOf = [], ...own }: Schema): Schema {
  const parts = [...allOf.map(merged), own]
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

function typeOf(schema: Schema): string {
  const { type, format, enum: values, anyOf, oneOf, items, nullable, properties = {} } = merged(schema)
  const orNull = nullable ? ' or null' : ''
  const choices = anyOf ?? oneOf
  if (values) return values.map((value) => JSON.stringify(value)).join(', ') + orNull
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ') + orNull
  if (items) return (Object.keys(items).length > 0 ? `list of ${typeOf(items)}` : 'list') + orNull
  const known = type ?? (Object.keys(properties).length > 0 ? 'object' : 'any value')
  return (format ? `${known} (${format})` : known) + orNull
}
