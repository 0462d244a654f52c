import type { ContractOperation, Schema } from '../../contract/Contract.ts'
import type { AjvError, Validator } from '../../contract/validator/createValidator.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'
import { isObject } from '../simulator.ts'
import type { RecordedResponse } from './RecordedExchange.ts'
import { findCase, isMarked, jsonType, splitLines } from './schemas.ts'

/** A body in the form in which it is compared: JSON, a list of lines, or undefined if it is empty. */
export interface Body {
  value: unknown
  schemas: readonly Schema[]
}

/** A recorded response, checked against the contract. */
export interface CheckedResponse {
  /** The contract violations */
  violations: string[]
  /**
   * The body without the fields that the contract doesn't have. Undefined if the response breaks the contract in anything else:
   * it is set aside, and nothing is concluded from it.
   */
  body: Body | undefined
  /** Paths of lists and objects whose shape the documentation leaves out, and that have another one than ours */
  unknownShapes: string[]
}

/** Checks a recorded response against the contract. */
export function checkResponse(
  operation: ContractOperation,
  response: RecordedResponse,
  validator: Validator,
): CheckedResponse {
  const { status, value, lacksContentType } = response
  const { content } = operation.responses[status] ?? {}
  const contentType = lacksContentType ? undefined : typeOf(content, response)
  const violations = validator.validateResponse(operation, { ...response, contentType })
  const asides = (messages: string[]): CheckedResponse => ({
    violations: messages,
    body: undefined,
    unknownShapes: [],
  })
  if (content && status >= 400 && !findCase(operation, response))
    return asides([`the text is not one of the contract's texts for ${status}`])
  const body = readBody(operation, response)
  if (violations.length === 0) return { violations, body, unknownShapes: [] }
  if (value === undefined || content?.[contentType ?? ''] === undefined || !contentType?.endsWith('json'))
    return asides(violations)
  return checkBody(body, selectRelevant(validator.findAllErrors(operation, status, contentType, value)))
}

function checkBody(body: Body, errors: readonly AjvError[]): CheckedResponse {
  const messages = new Set<string>()
  const unknownShapes = new Set<string>()
  let { value } = body
  let isBroken = false
  for (const error of errors) {
    const path = errorPath(error)
    const isAdditional = error.keyword === 'additionalProperties'
    const undocumented = findUndocumented(body.schemas, path)
    if (isAdditional) value = withoutField(value, path)
    else if (!undocumented) isBroken = true
    // Scalars are compared as they are.
    else if (isObject(valueAt(body.value, undocumented))) unknownShapes.add(showPath(undocumented))
    if (!undocumented) messages.add(describeError(error, path, body))
    // An object that has none of the contract's fields, such as `{"data": …}` around a record, isn't the contract's.
    const isForeign = Object.keys(Object(valueAt(value, path.slice(0, -1)))).length === 0
    if (isAdditional && !undocumented && isForeign) isBroken = true
  }
  return {
    violations: [...messages],
    body: isBroken ? undefined : { ...body, value },
    unknownShapes: [...unknownShapes],
  }
}

/** Returns the body of a response with its schemas in the contract. */
export function readBody({ responses }: ContractOperation, response: RecordedResponse): Body {
  const { status, body, value } = response
  const { content = {} } = responses[status] ?? {}
  if (body === '') return { value: undefined, schemas: [] }
  const type = typeOf(content, response)
  const schemas = [content[type ?? ''] ?? []].flat()
  if (value !== undefined && !type?.startsWith('text/')) return { value, schemas }
  // A JSON list may be sent as plain text.
  return {
    value: Array.isArray(value) ? value : splitLines(body),
    schemas: [{ type: 'array', items: schemas[0] }],
  }
}

/** The content type of a response. If the recorder omits it, the declared type that the body has the form of. */
function typeOf(
  content: Readonly<Record<string, Schema>> = {},
  { contentType, value }: RecordedResponse,
): string | undefined {
  const types = Object.keys(content)
  return contentType ?? types.find((type) => type.endsWith('json') === (value !== undefined)) ?? types[0]
}

/**
 * Selects the relevant errors of a check. For alternatives, these are the errors of the alternative with the value's type;
 * if there is none, one error with all allowed types.
 */
function selectRelevant(errors: readonly AjvError[]): AjvError[] {
  let remaining = [...errors]
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
  for (const choice of choices.toSorted((a, b) => b.schemaPath.length - a.schemaPath.length)) {
    const { instancePath, schemaPath } = choice
    const within = remaining.filter((one) => one.schemaPath.startsWith(`${schemaPath}/`))
    const getBranch = (one: AjvError): string | undefined =>
      one.schemaPath.slice(schemaPath.length + 1).split('/', 1)[0]
    const isType = (one: AjvError): boolean => one.keyword === 'type' && one.instancePath === instancePath
    const branches = [...new Set(within.map(getBranch))].map((name) =>
      within.filter((one) => getBranch(one) === name),
    )
    const [matching] = branches
      .filter((branch) => !branch.some(isType))
      .toSorted((a, b) => a.length - b.length)
    const types = within.filter(isType).flatMap(({ params }) => params['type'])
    const replacement = matching ?? [{ ...choice, keyword: 'type', params: { type: types } }]
    remaining = [...remaining.filter((one) => one !== choice && !within.includes(one)), ...replacement]
  }
  return remaining
}

/** The path of the invalid part. */
function errorPath({ instancePath, params }: AjvError): string[] {
  const segments = instancePath.split('/').slice(1)
  const field = params['missingProperty'] ?? params['additionalProperty']
  return [
    ...segments.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
    ...(typeof field === 'string' ? [field] : []),
  ]
}

const isIndex = (key: string): boolean => /^\d+$/.test(key)

/** The path of a part as people read it: `[].price`, empty for the whole body. */
function showPath(path: readonly string[]): string {
  return path.reduce(
    (above, key) => (isIndex(key) ? `${above}[]` : above === '' ? key : `${above}.${key}`),
    '',
  )
}

/** The path of the part whose shape the documentation leaves out, if a path leads into one. */
function findUndocumented(
  schemas: readonly Schema[],
  path: readonly string[],
  depth = 0,
): readonly string[] | undefined {
  if (isMarked(schemas, 'x-undocumented')) return path.slice(0, depth)
  const key = path[depth]
  return key === undefined
    ? undefined
    : findUndocumented(schemasAt(schemas, isIndex(key) ? 0 : key), path, depth + 1)
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((above, key) => Object(above)[key as never] as unknown, value)
}

function describeError(
  { keyword, params, message = '', parentSchema = {} }: AjvError,
  path: readonly string[],
  body: Body,
): string {
  const name = showPath(path) || 'the body'
  const value = valueAt(body.value, path)
  // The first type is the documented one. A string is only an alternative spelling of a number.
  const [type, ...others] = [parentSchema['type'] ?? params['type']].flat() as string[]
  if (keyword === 'type' || (others.length > 0 && typeof value !== 'number')) {
    const types = others.length > 0 ? type : [params['type']].flat().join(' or ')
    const isNumber = types === 'number' || types === 'integer'
    const shown = isNumber && Number.isFinite(Number(value)) ? JSON.stringify(value) : jsonType(value)
    return `${name} must be ${types}, not ${shown}`
  }
  const messages: Record<string, string> = {
    minimum: `must be at least ${String(params['limit'])}`,
    maximum: `must be at most ${String(params['limit'])}`,
    required: 'is missing',
    additionalProperties: 'is not in the contract',
    enum: `must be one of: ${[params['allowedValues']].flat().map(showValue).join(', ')}`,
  }
  return `${name} ${messages[keyword] ?? message}`
}

function showValue(value: unknown): string {
  return value === '' ? '""' : String(value)
}

/** Returns a copy of a value without a field. */
function withoutField(value: unknown, [key = '', ...below]: readonly string[]): unknown {
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === key ? withoutField(item, below) : item))
  if (!isObject(value)) return value
  const { [key]: field, ...others } = value
  return below.length === 0 ? others : { ...others, [key]: withoutField(field, below) }
}

/** Returns a value in which all numbers are written as JSON numbers. */
export function readNumbers(value: unknown, schemas: readonly Schema[]): unknown {
  if (Array.isArray(value)) {
    const items = schemasAt(schemas, 0)
    return value.map((item) => readNumbers(item, items))
  }
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, readNumbers(item, schemasAt(schemas, name))]),
    )
  const isNumber = flattenSchemas(schemas).some(({ type }) => type === 'number' || type === 'integer')
  return isNumber && typeof value === 'string' && value !== '' ? Number(value) : value
}
