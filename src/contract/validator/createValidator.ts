import { mediaOf } from '../mediaOf.ts'
import type { Contract, ContractOperation, ContractResponse } from '../Contract.ts'
import type { RequestValidator, ResponseValidator } from './middlewares.ts'

/** A violation of the contract, and where it is. */
export interface Violation {
  in: 'path' | 'query' | 'header' | 'body'
  /** The field; empty for the whole */
  path: readonly string[]
  message: string
}

export function describeViolation({ path, message }: Violation): string {
  return path.length ? `${path.join('/')} ${message}` : message
}

export interface RequestParts {
  path: Record<string, string>
  query: URLSearchParams | undefined
  headers: Record<string, string | string[] | undefined>
  /** One of the operation's content types; undefined if it takes no body */
  bodyType: string | undefined
  body: unknown
}

export interface ResponseParts {
  status: number
  /** The Content-Type header */
  type: string | undefined
  /** The bytes as text */
  body: string
  /** What was serialised to `body`, if it is JSON */
  value?: unknown
}

export interface Validator {
  /** How a request breaks the contract. */
  request: (operation: ContractOperation, input: RequestParts) => Violation[]
  /** How a response breaks the contract, as it goes over the wire. */
  response: (operation: ContractOperation, sent: ResponseParts) => string[]
  /** Compiles an operation's schemas, so that its first request doesn't have to wait. */
  prepare: (operation: ContractOperation) => void
}

type Check = (value: { response: unknown }) => boolean

/** Status → content type → the schema as the validator compiled it. */
type Compiled = Record<string, Record<string, Check | undefined> | undefined>

type CompiledSchema = (parts: object) => unknown

interface SchemasByName {
  getSchema: (name: string) => CompiledSchema | undefined
}

/** The schemas of a request: its parameters, and its body. */
interface Fitting {
  parts: CompiledSchema
  body: CompiledSchema
}

const places = { params: 'path', query: 'query', headers: 'header', cookies: 'header', body: 'body' } as const

/**
 * express-openapi-validator's request and response validators, called with the operation already looked up. It only
 * checks JSON responses, so text types are passed under a JSON name; status, content type and empty bodies are checked
 * here.
 */
export async function createValidator(
  contract: Contract,
  { shortcuts = true }: { shortcuts?: boolean } = {},
): Promise<Validator> {
  const { RequestValidator, ResponseValidator, SchemaPreprocessor } = await import('./middlewares.ts')
  const { apiDoc, apiDocRes } = new SchemaPreprocessor(documentOf(contract) as never, options, {
    removeAdditional: false,
    coerceTypes: false,
  }).preProcess() as unknown as { apiDoc: Document; apiDocRes: Document }
  const requests = new RequestValidator(structuredClone(nothing) as never, {
    ...options,
    allowUnknownQueryParameters: true,
  })
  const responses = new ResponseValidator(structuredClone(nothing) as never, options)
  const request = requestCheck(contract, apiDoc, requests, shortcuts)
  const { response, compile } = responseCheck(apiDocRes, responses, shortcuts)
  return {
    request,
    response,
    prepare(operation) {
      const [bodyType] = operation.bodyTypes
      request(operation, { path: {}, query: undefined, headers: {}, bodyType, body: undefined })
      compile(operation)
    },
  }
}

interface Document {
  /** Operations by path and method */
  paths: Record<string, Record<string, object>>
}

const options = {
  strict: false,
  strictNumbers: true,
  strictTuples: true,
  allowUnionTypes: false,
  validateSchema: false,
  useDefaults: true,
  removeAdditional: false as const,
  validateFormats: true,
  formats: {},
  serDesMap: {},
  ajvFormats: { mode: 'full' as const },
  allErrors: false,
  coerceTypes: false as const,
}

/** The document has no references, so the validators only need the operation at hand. */
const nothing = { openapi: '3.0.3', info: { title: '', version: '' }, paths: {}, components: {} }

/** The contract's document as the library can take it. */
function documentOf(contract: Contract): Document {
  const paths: Document['paths'] = {}
  for (const { path, method, schema } of contract.operations)
    paths[path] = { ...paths[path], [method.toLowerCase()]: schema }
  const document = JSON.parse(JSON.stringify({ ...contract.document, paths })) as Document
  for (const path of Object.values(document.paths)) {
    for (const part of Object.values(path)) renameTextTypes(part)
  }
  return document
}

function operationOf(document: Document, { path, method }: ContractOperation): object | undefined {
  return document.paths[path]?.[method.toLowerCase()]
}

function requestCheck(
  contract: Contract,
  apiDoc: Document,
  requests: RequestValidator,
  shortcuts: boolean,
): Validator['request'] {
  /** The library's compiled schemas, which it keeps under names of its own. */
  const compiledRequests = requests as unknown as Record<'ajv' | 'ajvBody', SchemasByName>
  const plainRequests = new Map(
    contract.operations.filter(isPlainRequest).map((operation) => [operation, new Map<string, Fitting>()]),
  )

  /** The schemas that decide whether a request is valid; undefined if only the library can. */
  function fittingOf(operation: ContractOperation, bodyType = 'not_provided'): Fitting | undefined {
    const known = plainRequests.get(operation)
    const found = known?.get(bodyType)
    if (found || !known || !shortcuts) return found
    const name = `${operation.method}-${operation.path}-${bodyType}`
    const parts = compiledRequests.ajv.getSchema(name)
    const body = compiledRequests.ajvBody.getSchema(name)
    if (!parts || !body) return undefined
    known.set(bodyType, { parts, body })
    return { parts, body }
  }

  /** Whether a request is valid by the compiled schemas alone; if not, the library tells why. */
  function fits(operation: ContractOperation, { path, bodyType, body }: RequestParts): boolean {
    const fitting = fittingOf(operation, bodyType)
    if (!fitting) return false
    // values of the path are coerced in place
    const parts = { query: {}, headers: {}, params: { ...path }, cookies: undefined, body }
    return fitting.parts(parts) === true && fitting.body(parts) === true
  }

  return (operation, input) => {
    if (!operation.hasParameters && operation.bodyTypes.length === 0) return []
    if (fits(operation, input)) return []
    const { path, query, headers, bodyType, body } = input
    const request = {
      method: operation.method,
      path: operation.path,
      originalUrl: `${operation.path}${query ? `?${percentEncoded(query)}` : ''}`,
      // The library compiles and keeps a validator per content type, so it only sees those of the document.
      headers: operation.hasHeaders ? { ...headers, 'content-type': bodyType } : { 'content-type': bodyType },
      query: query ? Object.fromEntries(query) : {},
      params: { ...path },
      body,
      openapi: {
        expressRoute: operation.path,
        openApiRoute: operation.path,
        pathParams: { ...path }, // values are coerced in place
        schema: operationOf(apiDoc, operation),
      },
    }
    try {
      void requests.validate(request as never, {} as never, () => {}) // throws synchronously, despite its type
      return []
    } catch (error) {
      return violationsOf(error)
    }
  }
}

function responseCheck(
  apiDocRes: Document,
  responses: ResponseValidator,
  shortcuts: boolean,
): Pick<Validator, 'response'> & { compile: (operation: ContractOperation) => void } {
  /** Compiled at the first call; the response validator caches them. */
  function validatorsOf(operation: ContractOperation) {
    const { method, operationId } = operation
    const request = { method, headers: {}, openapi: { expressRoute: operationId } }
    const { responses: declared } = operationOf(apiDocRes, operation) as { responses: never }
    return responses._getOrBuildValidator(request as never, declared)
  }

  /**
   * The last valid response of each kind, for two shortcuts: the same text is valid again, and a different one is
   * checked with the same compiled schema, without parsing its content type.
   */
  const fitted = new Map<
    ContractResponse,
    { type: string; json: boolean; body: string | undefined; check: Check }
  >()

  return {
    compile: validatorsOf,

    response(operation, { status, type, body, value }) {
      const response = operation.responses[status]
      if (!response)
        return [
          `status ${status} is not among those of ${operation.operationId} (${Object.keys(operation.responses).join(', ')})`,
        ]
      const last = shortcuts ? fitted.get(response) : undefined
      if (last && last.type === type) {
        if (last.body === body) return []
        if ((value !== undefined || !last.json) && last.check({ response: value ?? body })) {
          last.body = unlessLong(body)
          return []
        }
      }
      const types = Object.keys(response.content)
      if (body === '' && (response.mayBeEmpty || types.length === 0)) return []
      if (types.length === 0) return [`a ${status} has no body, but ${body.length} characters were sent`]
      const media = mediaOf(type) ?? ''
      if (!types.includes(media))
        return [`content type ${type ?? '(none)'} is not among those of a ${status} (${types.join(', ')})`]
      let content: unknown = body
      if (isJson(media)) {
        try {
          content = value === undefined ? JSON.parse(body) : value
        } catch {
          return ['the body is not valid JSON']
        }
      }
      const validators = validatorsOf(operation) as unknown as Compiled
      const check = validators[status]?.[validatable(media)]
      if (shortcuts && check?.({ response: content })) {
        if (type === media) fitted.set(response, { type, json: isJson(media), body: unlessLong(body), check })
        return []
      }
      // The library's own check says what is wrong, but would double the cost of valid responses.
      try {
        responses._validate({
          validators: validators as never,
          body: content as never,
          statusCode: status,
          path: operation.path,
          accepts: [validatable(media)],
        })
        return []
      } catch (error) {
        return violationsOf(error).map(describeViolation)
      }
    },
  }
}

/** Texts up to this length are remembered, to be compared with the next response. */
const longestKept = 65_536

function unlessLong(body: string): string | undefined {
  return body.length > longestKept ? undefined : body
}

/** Messages of the validator in plain words. */
const plain: Partial<Record<string, string>> = {
  'must match pattern "^[1-9][0-9]{0,9}$"':
    'must be a positive integer of at most ten digits, without leading zeros',
  'must match pattern "^[0-9]{1,9}$"': 'must be a whole number, 0 to 999999999, in digits only',
  [String.raw`must match pattern "^[1-5](\d\d|xx)$"`]: 'must be a status such as 422, or a class such as 4xx',
  'must NOT have fewer than 1 properties': 'must have at least one field',
}

function wordsOf(message: string): string {
  // the name is in front already
  return message.startsWith('must have required property ') ? 'is required' : (plain[message] ?? message)
}

function violationsOf(error: unknown): Violation[] {
  const { errors, message } = error as { errors?: { path: string; message: string }[]; message?: string }
  const found = (errors ?? []).map(({ path, message: what }) => {
    const [, place = '', ...field] = path.split('/')
    const where = places[place as keyof typeof places]
    return {
      in: where ?? ('body' as const),
      path: field,
      message: `${where === 'body' && field.length === 0 ? 'the body ' : ''}${wordsOf(what)}`,
    }
  })
  return found.length ? found : [{ in: 'body', path: [], message: message ?? String(error) }]
}

/** Whether the library only applies schemas to a request, and doesn't also parse lists or forms. */
function isPlainRequest({ schema, bodyTypes }: ContractOperation): boolean {
  const parameters = schema['parameters'] as { in: string; schema?: { type?: string } }[]
  return (
    parameters.every(
      (one) =>
        one.in === 'path' && ['string', 'integer', 'number', 'boolean'].includes(String(one.schema?.type)),
    ) &&
    bodyTypes.every(isJson) &&
    !JSON.stringify(schema['requestBody'] ?? null).includes('"discriminator"')
  )
}

function isJson(media: string): boolean {
  return /^application\/(?:.+\+)?json$/.test(media)
}

/** The name under which a content type is validated, as the library only validates types with JSON names. */
function validatable(media: string): string {
  return isJson(media) ? media : `application/vnd.${media.replace('/', '.')}+json`
}

function renameTextTypes(operation: object): void {
  const { responses } = operation as { responses?: Record<string, { content?: Record<string, unknown> }> }
  for (const response of Object.values(responses ?? {})) {
    if (!response.content) continue
    response.content = Object.fromEntries(
      Object.entries(response.content).map(([type, media]) => [validatable(type), media]),
    )
  }
}

/** The library refuses a plus or an asterisk in a value, even where they stand for themselves or for a space. */
function percentEncoded(query: URLSearchParams): string {
  return query.toString().replaceAll('+', '%20').replaceAll('*', '%2A')
}
