import { requiredHeaders, type ApiRequest } from '../src/lib/apiRequest.ts'
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

interface BodyDescription {
  description?: string
  content?: Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
  >
}

interface OperationItem {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: { name: string; description?: string; required?: boolean; schema: Schema; example?: unknown }[]
  requestBody?: BodyDescription
  responses: Record<string, BodyDescription>
}

export interface Operation extends OperationItem {
  method: string
  path: string
}

/** An OpenAPI document with its references resolved. */
export interface Contract {
  info: { title: string; version: string; description?: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, OperationItem> & { parameters?: OperationItem['parameters'] }>
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
export function resolveReferences(document: unknown): Contract {
  const resolved = new Map<string, unknown>()
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve)
    if (!isObject(node)) return node
    const { $ref } = node
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, one]) => [key, resolve(one)]))
    if (!resolved.has($ref)) {
      resolved.set($ref, {}) // ends the recursion of a schema that contains itself
      const target = $ref
        .slice(2)
        .split('/')
        .reduce((at: unknown, key) => (at as Patch)[key], document)
      resolved.set($ref, resolve(target))
    }
    return resolved.get($ref)
  }
  return resolve(document) as Contract
}

/** Lists the operations of a contract in their order. */
export function listOperations({ paths }: Contract): Operation[] {
  return Object.entries(paths).flatMap(([path, { parameters: shared = [], ...items }]) =>
    Object.entries(items as Record<string, OperationItem>).map(([method, item]) => ({
      ...item,
      method: method.toUpperCase(),
      path,
      parameters: [...shared, ...(item.parameters ?? [])],
    })),
  )
}

/** The operations that contain each word of a text: as whole words, or else anywhere. */
export function findOperations(operations: readonly Operation[], text: string): readonly Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const find = (isIn: (known: string, word: string) => boolean) =>
    operations.filter(({ method, path, operationId: id, summary }) => {
      const known = `${method} ${path} ${id} ${id.replaceAll(/(?=[A-Z])/g, ' ')} ${summary}`.toLowerCase()
      return words.every((word) => isIn(known, word))
    })
  const whole = find((known, word) => known.split(/[\s/]+/).includes(word))
  return whole.length > 0 ? whole : find((known, word) => known.includes(word))
}

/** Fills the path with the examples of its parameters. */
export function getExamplePath({ path, parameters = [] }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    encodeURIComponent(toText(parameters.find((one) => one.name === name)?.example ?? whole)),
  )
}

export function getExampleBody({ requestBody }: Operation): unknown {
  return requestBody && describeContent(requestBody).examples[0]?.[1]
}

/** The operation's example as a request. @param user `login:password`, for an operation of the API */
export function createExample(operation: Operation, user: string | undefined): ApiRequest {
  const body = getExampleBody(operation)
  const hasBody = body !== undefined
  return {
    method: operation.method,
    path: getExamplePath(operation),
    headers: user !== undefined ? requiredHeaders : hasBody ? { 'content-type': 'application/json' } : {},
    ...(user !== undefined && { user }),
    ...(hasBody && { body: JSON.stringify(body) }),
  }
}

export function listParameters({ parameters = [] }: Operation): FieldRow[] {
  return parameters.map(({ name, schema, description = '', required: isRequired = false, example }) => {
    const exampleText = example === undefined ? '' : ` Example: \`${toText(example)}\``
    return { name, type: describeType(schema), description: description + exampleText, isRequired, depth: 0 }
  })
}

/** Lists the fields and examples of a body. An error's examples are named after its cases. */
export function describeContent({ content = {} }: BodyDescription): {
  fields: FieldRow[]
  examples: [name: string, value: unknown][]
} {
  const [media] = Object.values(content)
  const namedExamples = Object.entries(media?.examples ?? {}).map(([name, { value }]): [string, unknown] => [
    name,
    value,
  ])
  return {
    fields: media?.schema ? listFields(media.schema, '', 0) : [],
    examples: media?.example === undefined ? namedExamples : [['example', media.example], ...namedExamples],
  }
}

/** The message of an error: its body if that is text, otherwise the body's field `error`. */
export function getErrorMessage(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  return isObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined
}

const maxDepth = 2

function listFields(schema: Schema, prefix: string, depth: number): FieldRow[] {
  const { items, additionalProperties, properties = {}, required = [] } = mergeAllOf(schema)
  if (items) return listFields(items, prefix, depth)
  const isKnown = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  const keyFields = isKnown ? { '{key}': additionalProperties as Schema } : {}
  return Object.entries({ ...properties, ...keyFields }).flatMap(([name, property]) => {
    const { description = '' } = mergeAllOf(property)
    const isRequired = required.includes(name)
    const row = { name: prefix + name, type: describeType(property), description, isRequired, depth }
    return depth < maxDepth ? [row, ...listFields(property, `${prefix}${name}.`, depth + 1)] : [row]
  })
}

/** Merges the schemas in `allOf` into the schema. */
function mergeAllOf({ allOf = [], ...schema }: Schema): Schema {
  const parts = [...allOf.map(mergeAllOf), schema]
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

function describeType(schema: Schema): string {
  const { type, format, enum: values, anyOf, oneOf, items, nullable, properties = {} } = mergeAllOf(schema)
  const orNull = nullable ? ' or null' : ''
  const choices = anyOf ?? oneOf
  if (values) return values.map((value) => JSON.stringify(value)).join(', ') + orNull
  if (choices) return [...new Set(choices.map(describeType))].join(' or ') + orNull
  if (items) return (Object.keys(items).length > 0 ? `list of ${describeType(items)}` : 'list') + orNull
  const known = type ?? (Object.keys(properties).length > 0 ? 'object' : 'any value')
  return (format ? `${known} (${format})` : known) + orNull
}
