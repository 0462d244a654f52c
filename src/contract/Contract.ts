import { decodeUnreserved } from '../lib/http.ts'
import type { Json } from '../world/mergePatch.ts'
import { readCondition, type Condition } from './Condition.ts'
import { ContractError } from './ContractError.ts'

/** An OpenAPI 3.0 schema without references. */
export type Schema = { [key: string]: unknown }

/** A named error of an operation, in the contract's own wording. */
export interface ContractCase {
  name: string
  status: number
  /** Content type of the response */
  contentType: string
  /** The value of the example: a string, or the JSON body */
  value: Json
  /** The variable parts of the text, with their values in the example (`x-fill`) */
  fill: Readonly<Record<string, string>>
  /** Raised by authentication, before the operation (`x-authentication`) */
  isAuthentication: boolean
  /** Whether the same request may succeed later, although nothing of the account has changed (`x-transient`) */
  isTransient: boolean
  /** The interpretations under which the case can't occur with this status (`x-unreachable-when` of example or response) */
  unreachableWhen: Condition | undefined
}

export interface ContractResponse {
  /** Content type → schema; empty if the response has no body */
  content: Readonly<Record<string, Schema>>
  /** Whether the body may be empty with any content type, because one of the schemas accepts only `""` (`maxLength: 0`) */
  mayBeEmpty: boolean
  /** The interpretations under which the response can't occur (`x-unreachable-when`) */
  unreachableWhen: Condition | undefined
}

export interface ContractOperation {
  operationId: string
  /** In upper case */
  method: string
  /** Path template, as in the document */
  path: string
  /** Names of the path parameters, in order */
  pathParameters: readonly string[]
  /** The dereferenced Operation Object, including the parameters of its path */
  schema: Schema
  responses: Readonly<Record<number, ContractResponse>>
  cases: readonly ContractCase[]
  /** The case for an invalid path or body, if any (`x-invalid`) */
  invalid: { path?: string; body?: string }
  /** Whether the operation changes state, even if it is a GET (`x-changes-state`) */
  changesState: boolean
  /** Whether each successful call costs money (`x-costs-money`) */
  costsMoney: boolean
  /** Paths of the credentials in a request body (`x-secret`), in the form of `markedPaths` */
  secrets: readonly string[]
  /** Content types of the body; empty if the operation takes none */
  bodyTypes: readonly string[]
  /** Names of the fields of a body */
  bodyFields: readonly string[]
  bodyRequired: boolean
  /** Maximum length of the body in bytes (`x-max-bytes`). @default 1 MB */
  maxBytes: number
  /** Whether a body without a Content-Type is treated as the first of `bodyTypes` (`x-assumes-type` of the document) */
  assumesType: boolean
  hasParameters: boolean
  hasQuery: boolean
}

/** A gap in the documentation (`x-assumptions`). */
export interface Assumption {
  id: string
  gap: string
  operations: readonly string[]
  /** The text of the documentation */
  document: string
  /** A question to the provider, in one sentence */
  question: string
  default: string | number
  alternatives: readonly (string | number)[]
  /** The kind of values that the assumption accepts besides the alternatives */
  accepts?: 'seconds' | 'time zone'
  meaning: Readonly<Record<string, string>>
  /** The calls that show which value is true */
  settle?: readonly SettlingCall[]
  /** Interpretations of other assumptions under which all values give the same responses */
  hiddenBy?: Condition
}

export interface SettlingCall {
  /** May contain placeholders for ids: `GET /api/product/{listed}` */
  call: string
  effect: 'reads' | 'changes state' | 'costs money'
  times?: number | 'each'
  /** A warning about the call */
  caution?: string
}

export type Match =
  | { operation: ContractOperation; path: Record<string, string> }
  /** The path exists, but not with this method. */
  | { allow: string[] }
  | undefined

export interface Contract {
  /** The text of the document, YAML or JSON */
  source: string
  /** The dereferenced document, including the shapes of all interpretations */
  document: Schema
  title: string
  operations: readonly ContractOperation[]
  assumptions: readonly Assumption[]
  operation: (operationId: string) => ContractOperation | undefined
  /** Finds the operation of a request. HEAD is treated as GET. `path` is percent-encoded. */
  match: (method: string, path: string) => Match
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Reads the operations and assumptions of an OpenAPI document. @throws ContractError */
export function readContract(raw: unknown, source = JSON.stringify(raw)): Contract {
  const document = dereference(withAlternatives(raw)) as Schema
  const assumptions = asObject(document['x-assumptions'])
  const operations = Object.entries(asObject(document['paths'])).flatMap(([path, item]) =>
    methods
      .filter((method) => asObject(item)[method])
      .map((method) => readOperation(method, path, asObject(item), document)),
  )
  const { title } = asObject(document['info'])
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]))
  return {
    source,
    document,
    title: typeof title === 'string' ? title : '',
    operations,
    assumptions: Object.entries(assumptions).map(
      ([id, assumption]) => ({ id, ...asObject(assumption) }) as unknown as Assumption,
    ),
    operation: (operationId) => byId.get(operationId),
    match: createMatcher(operations),
  }
}

function readOperation(method: string, path: string, item: Schema, document: Schema): ContractOperation {
  const assumptions = Object.keys(asObject(document['x-assumptions']))
  const parameters = mergeParameters(item, asObject(item[method]))
  const schema: Schema = { ...asObject(item[method]), parameters }
  const operationId = schema['operationId'] as string
  const body = asObject(schema['requestBody'])
  const bodySchemas = schemasByType(body)
  const responses: Record<number, ContractResponse> = {}
  const cases: ContractCase[] = []
  for (const [status, response] of Object.entries(asObject(schema['responses']))) {
    responses[Number(status)] = readResponse(asObject(response), assumptions)
    if (Number(status) >= 400) cases.push(...readCases(Number(status), asObject(response), assumptions))
  }
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    pathParameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string),
    schema,
    responses,
    cases,
    invalid: asObject(schema['x-invalid']),
    changesState: schema['x-changes-state'] === true,
    costsMoney: schema['x-costs-money'] === true,
    secrets: markedPaths(Object.values(bodySchemas), 'x-secret'),
    bodyTypes: Object.keys(bodySchemas),
    bodyFields: Object.values(bodySchemas).flatMap((one) => Object.keys(asObject(one['properties']))),
    bodyRequired: body['required'] === true,
    maxBytes: Math.max(...Object.values(asObject(body['content'])).map(getMaxBytes), 0) || 1024 * 1024,
    assumesType: document['x-assumes-type'] === true,
    hasParameters: parameters.length > 0,
    hasQuery: parameters.some((parameter) => parameter['in'] === 'query'),
  }
}

function getMaxBytes(media: unknown): number {
  return Number(asObject(media)['x-max-bytes'] ?? 0)
}

function readResponse(response: Schema, assumptions: readonly string[]): ContractResponse {
  const content = schemasByType(response)
  return {
    content,
    mayBeEmpty: Object.values(content).some((schema) => schema['maxLength'] === 0),
    unreachableWhen: readCondition(response['x-unreachable-when'], assumptions),
  }
}

/** The cases of an error response, one per example. */
function readCases(status: number, response: Schema, assumptions: readonly string[]): ContractCase[] {
  return Object.entries(asObject(response['content'])).flatMap(([contentType, media]) =>
    Object.entries(asObject(asObject(media)['examples'])).map(([name, example]) => ({
      name,
      status,
      contentType,
      value: asObject(example)['value'] as Json,
      fill: asObject(asObject(example)['x-fill']) as Record<string, string>,
      isAuthentication: asObject(example)['x-authentication'] === true,
      isTransient: asObject(example)['x-transient'] === true,
      unreachableWhen: readCondition(
        asObject(example)['x-unreachable-when'] ?? response['x-unreachable-when'],
        assumptions,
      ),
    })),
  )
}

/** The schemas of a request body or a response by content type. */
function schemasByType(body: Schema): Record<string, Schema> {
  const content = Object.entries(asObject(body['content']))
  return Object.fromEntries(content.map(([type, media]) => [type, asObject(asObject(media)['schema'])]))
}

/** The parameters of an operation, including those of its path that it doesn't override. */
function mergeParameters(item: Schema, operation: Schema): Schema[] {
  const own = asArray(operation['parameters']).map(asObject)
  const shared = asArray(item['parameters']).map(asObject)
  const isOverridden = (one: Schema) =>
    own.some((other) => other['name'] === one['name'] && other['in'] === one['in'])
  return [...shared.filter((one) => !isOverridden(one)), ...own]
}

/**
 * Paths of the marked parts of schemas: `password`, `*.id` for a field of each array item, an empty path for
 * the whole body.
 */
export function markedPaths(schemas: readonly Schema[], mark: string): string[] {
  const paths = new Set<string>()
  const visit = (schema: Schema, path: readonly string[]): void => {
    if (schema[mark] === true) paths.add(path.join('.'))
    for (const [name, property] of Object.entries(asObject(schema['properties'])))
      visit(asObject(property), [...path, name])
    if (schema['items'] !== undefined) visit(asObject(schema['items']), [...path, '*'])
    for (const part of ['oneOf', 'anyOf', 'allOf'].flatMap((key) => asArray(schema[key])))
      visit(asObject(part), path)
  }
  for (const schema of schemas) visit(schema, [])
  return [...paths]
}

/** Matches paths exactly, including case and trailing slash. A fixed segment takes precedence over a parameter. */
function createMatcher(operations: readonly ContractOperation[]): Contract['match'] {
  const paths = [...new Set(operations.map(({ path }) => path))].toSorted((a, b) => rank(a) - rank(b))
  const routes = paths.map((path) => {
    const atPath = operations.filter((one) => one.path === path)
    const byMethod = new Map(atPath.flatMap((one) => listMethods(one).map((method) => [method, one])))
    return { pattern: pathPattern(path), names: atPath[0]?.pathParameters ?? [], byMethod }
  })
  return (method, sent) => {
    const path = decodeUnreserved(sent)
    for (const { pattern, names, byMethod } of routes) {
      const groups = pattern.exec(path)
      if (!groups) continue
      const operation = byMethod.get(method)
      if (!operation) return { allow: [...byMethod.keys()] }
      const parameters: Record<string, string> = {}
      for (let i = 0; i < names.length; i++)
        parameters[names[i] as string] = decodeSegment(groups[i + 1] as string)
      return { operation, path: parameters }
    }
    return undefined
  }
}

function pathPattern(path: string): RegExp {
  const segments = path
    .split('/')
    .map((segment) => (isParameter(segment) ? '([^/]+)' : segment.replaceAll(/\W/g, String.raw`\$&`)))
  return new RegExp(`^${segments.join('/')}$`)
}

/** Sort key of a path: fixed segments come before parameters. */
function rank(path: string): number {
  return path.split('/').reduce((sum, segment) => sum * 2 + (isParameter(segment) ? 1 : 0), 0)
}

function isParameter(segment: string): boolean {
  return /^\{.+\}$/.test(segment)
}

/** HEAD is GET without the body (RFC 9110). It isn't supported for a GET that changes state, because clients expect HEAD to be safe. */
function listMethods({ method, changesState }: ContractOperation): string[] {
  return method === 'GET' && !changesState ? ['GET', 'HEAD'] : [method]
}

export function asObject(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {}
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The media type of a Content-Type header: `application/json; charset=utf-8` → `application/json` */
export function parseMediaType(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === 'application/json') return header // fast path
  return (String(header).split(';', 1)[0] as string).trim().toLowerCase()
}

/** Decodes a path segment. Leaves an invalid escape as it is; validation then rejects it as an invalid parameter. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Replaces every local `$ref` with its target. */
export function dereference(document: unknown): unknown {
  const done = new Map<string, unknown>()

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string') return withExtensions(target($ref), value)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]))
  }

  function target(ref: string): unknown {
    if (done.has(ref)) return done.get(ref)
    const found = ref
      .slice(2)
      .split('/')
      .reduce<unknown>((part, key) => asObject(part)[key], document)
    if (found === undefined) throw new ContractError(`there is no ${ref}.`)
    const resolved = resolve(found)
    done.set(ref, resolved)
    return resolved
  }

  return resolve(document)
}

/** The target of a reference, merged with the extensions beside it. */
function withExtensions(target: unknown, reference: object): unknown {
  const extensions = Object.entries(reference).filter(([key]) => key.startsWith('x-'))
  return extensions.length > 0 ? { ...asObject(target), ...Object.fromEntries(extensions) } : target
}

/** Keywords that describe all alternatives together. All others move into the first branch of the `oneOf`. */
const outerKeywords = ['description', 'x-assumed', 'x-undocumented']

/**
 * Adds the shapes of non-default interpretations (`x-also`, in a schema or beside a reference) to a contract. The
 * published contract omits them, because typed clients would have to handle values that the service doesn't return.
 */
export function withAlternatives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAlternatives)
  if (typeof value !== 'object' || value === null) return value
  const { 'x-also': also, ...rest } = value as { 'x-also'?: unknown[] } & Record<string, unknown>
  const widened = Object.entries(rest).map(([key, item]) => [key, withAlternatives(item)] as const)
  if (!Array.isArray(also)) return Object.fromEntries(widened)
  const alternatives = also.map(withAlternatives)
  if ('schema' in rest)
    return {
      ...Object.fromEntries(widened),
      schema: { oneOf: [withAlternatives(rest['schema']), ...alternatives] },
    }
  const base = Object.fromEntries(widened.filter(([key]) => !outerKeywords.includes(key)))
  return {
    ...Object.fromEntries(widened.filter(([key]) => outerKeywords.includes(key))),
    oneOf: [base, ...alternatives],
  }
}
