import { isObject, textOf } from '../src/lib/json.ts'
import type { Patch } from '../src/lib/types.ts'

interface Schema {
  type?: string
  description?: string
  enum?: unknown[]
  nullable?: boolean
  properties?: Record<string, Schema>
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
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
  parameters?: { name: string; description?: string; schema: Schema; example?: unknown }[]
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
}

/** Puts what references name in their place. */
export function followReferences(document: unknown): Contract {
  const known = new Map<string, unknown>()
  const follow = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(follow)
    if (!isObject(node)) return node
    const { $ref } = node
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, one]) => [key, follow(one)]))
    if (!known.has($ref)) {
      known.set($ref, {}) // of something within itself, nothing more is shown
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

/** All that a contract can do, in its order. */
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
    encodeURIComponent(textOf(parameters.find((one) => one.name === name)?.example ?? whole)),
  )
}

export function parameterRows({ parameters = [] }: Operation): FieldRow[] {
  return parameters.map(({ name, schema, description = '', example }) => {
    const shown = example === undefined ? '' : ` Example: \`${textOf(example)}\``
    return { name, type: typeOf(schema), description: description + shown }
  })
}

/** Fields of a body, and its examples: an error's are named after its case. */
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

/** Fields within fields, as far as one reads */
const deepest = 2

function fieldsOf(schema: Schema, prefix: string, depth: number): FieldRow[] {
  if (schema.items) return fieldsOf(schema.items, prefix, depth)
  return [schema, ...(schema.allOf ?? [])].flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, property]) => {
      const row = { name: prefix + name, type: typeOf(property), description: property.description ?? '' }
      return depth < deepest ? [row, ...fieldsOf(property, `${prefix}${name}.`, depth + 1)] : [row]
    }),
  )
}

function typeOf({ type = 'anything', enum: values, anyOf, items, nullable }: Schema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  return `${items ? `list of ${typeOf(items)}` : type}${nullable ? ' or null' : ''}`
}
