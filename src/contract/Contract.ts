import type { Json } from '../world/mergePatch.ts'
import { readCondition, type Condition } from './Condition.ts'
import { ContractError } from './ContractError.ts'
import { dereference } from './dereference.ts'

/** A JSON Schema as OpenAPI 3.0 has it, without references. */
export type Schema = { [key: string]: unknown }

/** An error of an operation, by its name: the contract's own words. */
export interface ContractCase {
  name: string
  status: number
  /** Content type of the answer */
  type: string
  /** The example's value: a text, or what stands in the JSON body. */
  value: Json
  /** The variable parts of the text, as they stand in the example (`x-fill`). */
  fill: Readonly<Record<string, string>>
  /** It comes from authentication, before the operation is asked (`x-authentication`). */
  isAuthentication: boolean
}

export interface ContractResponse {
  /** Content type → schema; no entry: the answer has no body. */
  content: Readonly<Record<string, Schema>>
  /** Zero bytes are an answer too, whatever the content (`x-may-be-empty`). */
  mayBeEmpty: boolean
  /** The readings under which it can't come about (`x-unreachable-when`) */
  unreachableWhen?: Condition
}

export interface ContractOperation {
  operationId: string
  /** In capitals */
  method: string
  /** Path template, as in the document */
  path: string
  /** Names of the path's parameters, in its order */
  pathNames: readonly string[]
  summary: string
  /** The dereferenced Operation Object, with the path's parameters */
  schema: Schema
  responses: Readonly<Record<number, ContractResponse>>
  cases: readonly ContractCase[]
  /** The case that answers a malformed path or body (`x-invalid`), where there is one. */
  invalid: { path?: string; body?: string }
  /** Whatever its method says (`x-changes-state`) */
  changesState: boolean
  /** Each time that it is carried out (`x-costs-money`) */
  costsMoney: boolean
  /** The readings under which it is served without credentials (`x-auth-optional-when`) */
  authOptionalWhen?: Condition
  /** Where credentials stand in the body of a request, and of an answer (`x-secret`): see `markedPaths` */
  secrets: { request: readonly string[]; response: readonly string[] }
  /** What in an answer of success the service makes up itself (`x-generated`): see `markedPaths` */
  generated: readonly string[]
  /** Content types of the body; empty where none is taken */
  bodyTypes: readonly string[]
  bodyRequired: boolean
  /** A body without Content-Type is taken for the first of `bodyTypes` (`x-assumes-type` of the document). */
  assumesType: boolean
  hasParameters: boolean
  hasQuery: boolean
  hasHeaders: boolean
}

/** A gap of the document (`x-assumptions`). */
export interface Assumption {
  id: string
  gap: string
  operations: readonly string[]
  document: string
  default: string | number
  alternatives: readonly (string | number)[]
  meaning: Readonly<Record<string, string>>
}

export type Match =
  | { operation: ContractOperation; path: Record<string, string> }
  /** The path is known, but not with this method. */
  | { allow: string[] }
  | undefined

export interface Contract {
  /** The document as it was read, YAML or JSON */
  source: string
  /** The dereferenced document */
  document: Schema
  title: string
  version: string
  operations: readonly ContractOperation[]
  assumptions: readonly Assumption[]
  operation: (operationId: string) => ContractOperation | undefined
  /** The operation of a request; `path` as it came, still percent-encoded. */
  match: (method: string, path: string) => Match
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Reads everything out of an OpenAPI document that the simulator goes by. @throws ContractError */
export function readContract(raw: unknown, source = JSON.stringify(raw)): Contract {
  const document = dereference(raw) as Schema
  if (typeof document?.['openapi'] !== 'string' || !document['openapi'].startsWith('3.0.'))
    throw new ContractError('it is no OpenAPI 3.0 document (field `openapi`)')
  const ids = Object.keys(bag(document['x-assumptions']))
  const operations = Object.entries(bag(document['paths'])).flatMap(([path, item]) =>
    methods
      .filter((method) => bag(item)[method])
      .map((method) =>
        readOperation(method, path, bag(item), {
          assumptions: ids,
          assumesType: document['x-assumes-type'] === true,
        }),
      ),
  )
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]))
  if (byId.size < operations.length) throw new ContractError('two operations have the same operationId')
  return {
    source,
    document,
    title: text(bag(document['info'])['title']),
    version: text(bag(document['info'])['version']),
    operations,
    assumptions: Object.entries(bag(document['x-assumptions'])).map(
      ([id, assumption]) => ({ id, ...bag(assumption) }) as unknown as Assumption,
    ),
    operation: (operationId) => byId.get(operationId),
    match: matcher(operations),
  }
}

function readOperation(
  method: string,
  path: string,
  item: Schema,
  { assumptions, assumesType }: { assumptions: readonly string[]; assumesType: boolean },
): ContractOperation {
  const schema = { ...bag(item[method]) }
  const parameters = [...list(item['parameters']), ...list(schema['parameters'])]
  schema['parameters'] = parameters
  const operationId = schema['operationId']
  if (typeof operationId !== 'string')
    throw new ContractError(`${method.toUpperCase()} ${path} has no operationId`)
  const body = bag(schema['requestBody'])
  const responses: Record<number, ContractResponse> = {}
  const cases: ContractCase[] = []
  for (const [status, response] of Object.entries(bag(schema['responses']))) {
    if (!/^\d{3}$/.test(status))
      throw new ContractError(
        `${operationId} has a response "${status}"; only statuses of three digits are understood`,
      )
    const content: Record<string, Schema> = {}
    for (const [type, media] of Object.entries(bag(bag(response)['content']))) {
      content[type] = bag(bag(media)['schema'])
      for (const [name, example] of Object.entries(bag(bag(media)['examples'])))
        cases.push({
          name,
          status: Number(status),
          type,
          value: bag(example)['value'] as Json,
          fill: bag(bag(example)['x-fill']) as Record<string, string>,
          isAuthentication: bag(example)['x-authentication'] === true,
        })
    }
    responses[Number(status)] = {
      content,
      mayBeEmpty: bag(response)['x-may-be-empty'] === true,
      ...readCondition('unreachableWhen', bag(response)['x-unreachable-when'], assumptions),
    }
  }
  const success = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => Object.values(content))
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    pathNames: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string),
    summary: text(schema['summary']),
    schema,
    responses,
    cases,
    invalid: bag(schema['x-invalid']),
    changesState: schema['x-changes-state'] === true,
    costsMoney: schema['x-costs-money'] === true,
    ...readCondition('authOptionalWhen', schema['x-auth-optional-when'], assumptions),
    secrets: {
      request: markedPaths(
        Object.values(bag(body['content'])).map((media) => bag(bag(media)['schema'])),
        'x-secret',
      ),
      response: markedPaths(success, 'x-secret'),
    },
    generated: markedPaths(success, 'x-generated'),
    bodyTypes: Object.keys(bag(body['content'])),
    bodyRequired: body['required'] === true,
    assumesType,
    hasParameters: parameters.length > 0,
    hasQuery: parameters.some((parameter) => bag(parameter)['in'] === 'query'),
    hasHeaders: parameters.some((parameter) => bag(parameter)['in'] === 'header'),
  }
}

/**
 * Where a mark stands below schemas: `password`, `*.id` for a field of each item of an array, and `` for the whole of
 * a text.
 */
function markedPaths(schemas: readonly Schema[], mark: string): string[] {
  const found = new Set<string>()
  const visit = (schema: Schema, path: readonly string[]): void => {
    if (schema[mark] === true) found.add(path.join('.'))
    for (const [name, property] of Object.entries(bag(schema['properties'])))
      visit(bag(property), [...path, name])
    if (schema['items'] !== undefined) visit(bag(schema['items']), [...path, '*'])
    for (const part of ['oneOf', 'anyOf', 'allOf'].flatMap((key) => list(schema[key]))) visit(bag(part), path)
  }
  for (const schema of schemas) visit(schema, [])
  return [...found]
}

/** Paths are matched to the letter, case and trailing slash included; a fixed segment wins over a parameter. */
function matcher(operations: readonly ContractOperation[]): Contract['match'] {
  const byLength = new Map<
    number,
    { segments: string[]; names: (string | undefined)[]; operations: Map<string, ContractOperation> }[]
  >()
  const routes = new Map<string, Map<string, ContractOperation>>()
  for (const operation of operations) {
    const known = routes.get(operation.path)
    if (known) {
      known.set(operation.method, operation)
      continue
    }
    const segments = operation.path.split('/')
    const names = segments.map((segment) => /^\{(.+)\}$/.exec(segment)?.[1])
    const route = { segments, names, operations: new Map([[operation.method, operation]]) }
    routes.set(operation.path, route.operations)
    const same = byLength.get(segments.length) ?? []
    same.push(route)
    same.sort((a, b) => rank(a.names) - rank(b.names))
    byLength.set(segments.length, same)
  }
  return (method, path) => {
    const asked = path.split('/')
    for (const { segments, names, operations: byMethod } of byLength.get(asked.length) ?? []) {
      if (!segments.every((segment, i) => (names[i] === undefined ? segment === asked[i] : asked[i] !== '')))
        continue
      const operation = byMethod.get(method)
      if (!operation) return { allow: [...byMethod.keys()] }
      const parameters: Record<string, string> = {}
      for (const [i, name] of names.entries())
        if (name !== undefined) parameters[name] = decode(asked[i] as string)
      return { operation, path: parameters }
    }
    return undefined
  }
}

/** Small where the first segments are fixed. */
function rank(names: readonly (string | undefined)[]): number {
  return names.reduce((sum, name) => sum * 2 + (name === undefined ? 0 : 1), 0)
}

/** A broken escape stays as it came: then it is a malformed parameter, and the operation's own case answers. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function bag(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
