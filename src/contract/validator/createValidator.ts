import { clone } from '../../lib/clone.ts'
import { asObject, type Contract, type ContractOperation, parseMediaType, type Schema } from '../Contract.ts'
import { loadLibrary } from './onDemand.ts'
import { parametersSchema, readValues, type RequestParts } from './parameters.ts'

/** A violation of the contract, and its location. */
export interface Violation {
  in: 'path' | 'query' | 'body'
  /** The field; empty for the whole message */
  path: readonly string[]
  message: string
}

export function describeViolation({ path, message }: Violation): string {
  return path.length ? `${path.join('/')} ${message}` : message
}

export interface RequestInput extends RequestParts {
  /** One of the operation's content types; undefined if it takes no body */
  bodyType: string | undefined
  body: unknown
}

export interface ResponseParts {
  status: number
  /** The Content-Type header */
  contentType: string | undefined
  /** The bytes as text */
  body: string
  /** The value that was serialized to `body`, if it is JSON */
  value?: unknown
}

/** An Ajv error, with paths relative to the body */
export interface AjvError {
  keyword: string
  /** JSON Pointer to the value */
  instancePath: string
  schemaPath: string
  params: Record<string, unknown>
  message?: string
  /** The schema that contains the keyword */
  parentSchema?: Schema
}

/** A compiled schema */
interface Check {
  (value: object): unknown
  errors?: object[] | null
}

interface Checks {
  parameterCheck: Check
  /** By content type */
  bodies: Record<string, Check>
  /** By status and content type */
  responses: Record<string, Record<string, Check>>
}

/** Express-openapi-validator's own options for Ajv */
const options = {
  strict: false,
  strictNumbers: true, // 1e400 in JSON is Infinity, which JSON doesn't have
  validateSchema: false,
  useDefaults: true,
  coerceTypes: false as const,
  formats: {},
  serDesMap: {},
  ajvFormats: { mode: 'full' as const },
  logger: false as const, // formats that it doesn't know are fine
}

/** The parts of a validator that express-openapi-validator creates from a contract. */
interface Parts {
  /** The contract as applied to requests and to responses */
  documents: { apiDoc: Schema; apiDocRes: Schema }
  compilers: Record<'request' | 'response' | 'allErrors', { compile: (schema: object) => Check }>
  violationsIn: (errors: object[]) => Violation[]
}

/** Validates messages whose operation is known. */
export class Validator {
  readonly #parts: Parts
  readonly #checks = new Map<ContractOperation, Checks>()
  readonly #thoroughChecks = new Map<Schema, Check>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns the violations in a request. */
  validateRequest(operation: ContractOperation, input: RequestInput): Violation[] {
    if (!operation.hasParameters && input.bodyType === undefined) return []
    const { parameterCheck, bodies } = this.prepare(operation)
    const violations = operation.hasParameters ? this.#toViolations(parameterCheck, readValues(input)) : []
    const check = input.bodyType === undefined ? undefined : bodies[input.bodyType]
    return check ? [...violations, ...this.#toViolations(check, { body: input.body })] : violations
  }

  /** Returns the violations in a response, as sent. */
  validateResponse(
    operation: ContractOperation,
    { status, contentType, body, value }: ResponseParts,
  ): string[] {
    const response = operation.responses[status]
    if (!response)
      return [
        `status ${status} is not defined for ${operation.operationId} (${Object.keys(operation.responses).join(', ')})`,
      ]
    const types = Object.keys(response.content)
    if (body === '' && (response.mayBeEmpty || types.length === 0)) return []
    if (types.length === 0) return [`a ${status} has no body, but ${body.length} characters were sent`]
    const media = parseMediaType(contentType) ?? ''
    if (!types.includes(media))
      return [`content type ${contentType ?? '(none)'} is not defined for a ${status} (${types.join(', ')})`]
    let content: unknown = body
    if (/^application\/(?:.+\+)?json$/.test(media)) {
      try {
        content = value === undefined ? JSON.parse(body) : value
      } catch {
        return ['the body is not valid JSON']
      }
    }
    const check = this.prepare(operation).responses[status]?.[media]
    return check ? this.#toViolations(check, { response: content }).map(describeViolation) : []
  }

  /** Returns all violations in the body of a response, not only the first. */
  findAllErrors(operation: ContractOperation, status: number, type: string, value: unknown): AjvError[] {
    const responses = asObject(findOperation(this.#parts.documents.apiDocRes, operation)['responses'])
    const schema = asObject(asObject(asObject(asObject(responses[status])['content'])[type])['schema'])
    let check = this.#thoroughChecks.get(schema)
    if (!check)
      this.#thoroughChecks.set(
        schema,
        (check = this.#parts.compilers.allErrors.compile({ properties: { response: schema } })),
      )
    if (check({ response: value }) === true) return []
    const errors = (check.errors ?? []) as AjvError[]
    return errors.map((error) => ({ ...error, instancePath: error.instancePath.replace(/^\/response/, '') }))
  }

  /** Compiles an operation's schemas once. Calling it in advance makes the first request fast. */
  prepare(operation: ContractOperation): Checks {
    let checks = this.#checks.get(operation)
    if (!checks) this.#checks.set(operation, (checks = this.#compile(operation)))
    return checks
  }

  #compile(operation: ContractOperation): Checks {
    const { documents, compilers } = this.#parts
    const request = findOperation(documents.apiDoc, operation)
    const responses = Object.entries(asObject(findOperation(documents.apiDocRes, operation)['responses']))
    const body = asObject(request['requestBody'])
    const required = body['required'] === true ? ['body'] : []
    const checkBody = (schema: Schema) =>
      compilers.request.compile({ properties: { body: schema }, required })
    const checkResponse = (schema: Schema) => compilers.response.compile({ properties: { response: schema } })
    return {
      parameterCheck: compilers.request.compile(parametersSchema(request)),
      bodies: body['x-own-check'] === true ? {} : mapSchemas(body, checkBody),
      responses: Object.fromEntries(
        responses.map(([status, response]) => [status, mapSchemas(asObject(response), checkResponse)]),
      ),
    }
  }

  #toViolations(check: Check, value: object): Violation[] {
    return check(value) === true ? [] : this.#parts.violationsIn(check.errors ?? [])
  }
}

/**
 * Creates a validator with express-openapi-validator's own schemas and messages, but without its middleware, which would
 * match the path again, respond to errors itself and only check `res.json`.
 */
export async function createValidator(contract: Contract): Promise<Validator> {
  const library = await loadLibrary()
  const document = { openapi: '3.0.3', info: { title: '', version: '' }, paths: {} } as never
  const preprocessor = new library.SchemaPreprocessor(buildDocument(contract) as never, options, {
    removeAdditional: false,
    coerceTypes: false,
  })
  const messages = collectMessages(contract.document)
  return new Validator({
    documents: preprocessor.preProcess() as unknown as Parts['documents'],
    compilers: {
      request: library.createRequestAjv(document, options),
      response: library.createResponseAjv(document, options),
      allErrors: library.createResponseAjv(document, { ...options, allErrors: true, verbose: true }),
    },
    violationsIn: (errors) =>
      library
        .ajvErrorsToValidatorError(400, library.augmentAjvErrors(errors as never))
        .errors.map((error) => toViolation(error, messages)),
  })
}

/** Builds the document to validate against, in which operations include the parameters of their paths. */
function buildDocument({ document, operations }: Contract): Schema {
  const paths: Record<string, Schema> = {}
  for (const { path, method, schema } of operations)
    paths[path] = { ...paths[path], [method.toLowerCase()]: schema }
  return toAjvSchema(clone({ ...document, paths })) as Schema
}

/**
 * Converts schemas to what Ajv takes.
 *
 * Alternatives of scalars become one schema with a list of types, in which each keyword applies to its own type: this is faster to check
 * than `oneOf`, and gives one message instead of three. `nullable` without a type, beside `allOf` for example, becomes an alternative.
 */
function toAjvSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toAjvSchema)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = value as Schema
  if (typeof nullable === 'boolean' && rest['type'] === undefined)
    return nullable ? { anyOf: [toAjvSchema(rest), { enum: [null] }] } : toAjvSchema(rest)
  const { oneOf, ...outer } = value as { oneOf?: Schema[] }
  if (!Array.isArray(oneOf) || !areSeparateScalars(oneOf, outer))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toAjvSchema(item)]))
  return { ...outer, ...Object.assign({}, ...oneOf), type: oneOf.map(({ type }) => type) }
}

/** Whether one schema with a list of types means the same as `oneOf`. */
function areSeparateScalars(oneOf: Schema[], outer: Schema): boolean {
  const types = oneOf.map(({ type }) => type)
  const keywords = [outer, ...oneOf]
    .flatMap((one) => Object.keys(one))
    .filter((key) => scalarKeywords.includes(key))
  return (
    types.every((type) => scalars.includes(type)) &&
    new Set(types).size === types.length &&
    !(types.includes('integer') && types.includes('number')) &&
    new Set(keywords).size === keywords.length &&
    ![outer, ...oneOf].some((one) => Object.keys(one).some((key) => mixedKeywords.includes(key))) &&
    outer['type'] === undefined
  )
}

const scalars: readonly unknown[] = ['string', 'number', 'integer', 'boolean']
/** Keywords that apply to values of one type */
const scalarKeywords =
  'pattern|format|minLength|maxLength|multipleOf|minimum|maximum|exclusiveMinimum|exclusiveMaximum'.split('|')
/** Keywords that apply to values of all types */
const mixedKeywords = ['enum', 'not', 'allOf', 'anyOf', 'oneOf', 'nullable']

function findOperation(document: Schema, { path, method }: ContractOperation): Schema {
  return asObject(asObject(asObject(document['paths'])[path])[method.toLowerCase()])
}

function mapSchemas<T>(body: Schema, convert: (schema: Schema) => T): Record<string, T> {
  const content = Object.entries(asObject(body['content']))
  return Object.fromEntries(
    content.map(([type, media]) => [type, convert(asObject(asObject(media)['schema']))]),
  )
}

/** Ajv's messages in plain English: those of patterns stand beside them in the contract (`x-message`). */
function collectMessages(document: unknown): Map<string, string> {
  const messages = new Map([
    ['must NOT have fewer than 1 properties', 'must have at least one field'],
    // Numbers that some back ends write as strings.
    ['must be integer,string', 'must be integer'],
    ['must be number,string', 'must be number'],
  ])
  JSON.stringify(document, (_, value: unknown) => {
    const { pattern, 'x-message': message } = asObject(value)
    if (typeof message === 'string') messages.set(`must match pattern "${String(pattern)}"`, message)
    return value
  })
  return messages
}

function toViolation(
  { path, message }: { path: string; message: string },
  messages: ReadonlyMap<string, string>,
): Violation {
  const [, place, ...field] = path.split('/')
  const where = place === 'response' ? 'body' : (place as Violation['in'])
  // Ajv's message repeats the name.
  const text = message.startsWith('must have required property ')
    ? 'is required'
    : (messages.get(message) ?? message)
  return {
    in: where,
    path: field,
    message: `${place === 'body' && field.length === 0 ? 'the body ' : ''}${text}`,
  }
}

const validators = new WeakMap<Contract, Promise<Validator>>()

/** Returns a contract's validator, shared by all simulators in the process. The first call loads the library. */
export function getValidator(contract: Contract): Promise<Validator> {
  let validator = validators.get(contract)
  if (!validator) validators.set(contract, (validator = createValidator(contract)))
  return validator
}
