import type { ContractOperation, Schema } from '../../contract/Contract.ts'
import type { AjvError, Validator } from '../../contract/validator/createValidator.ts'
import { isObject, isRealDate, parseTime } from '../simulator.ts'
import type { RecordedResponse } from './Exchange.ts'
import { Broken, findCase, isDateTime, isMarked, jsonType, splitLines } from './schemas.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'

/** A body for comparison: JSON, or the lines of a text. */
export interface Body {
  kind: 'none' | 'text' | 'json'
  /** Parts that violate the contract are `Broken`. */
  value: unknown
  schemas: readonly Schema[]
}

export interface CheckedResponse {
  /** The contract violations of the response. An undocumented shape has none. */
  violations: string[]
  /** Undefined if only the status is comparable */
  body: Body | undefined
  /** Whether the body has an undocumented shape that differs from ours */
  isUndocumented: boolean
  /** Whether parts of the body violate the contract */
  hasInvalidParts: boolean
}

const checkCache = new WeakMap<RecordedResponse, CheckedResponse>()

/** Finds the contract violations of a recorded response. The result is cached, because replays repeat the check. */
export function checkResponse(
  operation: ContractOperation,
  response: RecordedResponse,
  validator: Validator,
): CheckedResponse {
  let result = checkCache.get(response)
  if (!result) {
    const { recordedStatus: status, hasByteOrderMark, lacksContentType } = response
    const found = check(operation, response, validator)
    const asSent = lacksContentType ? validator.validateResponse(operation, response) : []
    const violations = [
      ...asSent.filter((one) => one.startsWith('content type')),
      ...(status === undefined ? [] : validator.validateResponse(operation, { ...response, status })),
      ...(hasByteOrderMark ? ['the body begins with a byte order mark'] : []),
      ...found.violations,
    ]
    checkCache.set(response, (result = { ...found, violations }))
  }
  return result
}

function check(
  operation: ContractOperation,
  response: RecordedResponse,
  validator: Validator,
): CheckedResponse {
  const { status, value } = response
  const declared = operation.responses[status]
  const { content = {} } = declared ?? {}
  const contentType = response.contentType ?? guessContentType(content, value)
  const violations = validator.validateResponse(operation, { ...response, contentType })
  const typeViolations = violations.filter((one) => one.startsWith('content type'))
  const statusOnly = { violations, body: undefined, isUndocumented: false, hasInvalidParts: false }
  if (!declared) return statusOnly
  if (status >= 400) {
    const isKnown = findCase(operation, response) !== undefined
    return isKnown
      ? statusOnly
      : {
          ...statusOnly,
          violations: [...typeViolations, `the text is not one of the contract's texts for ${status}`],
        }
  }
  const body = readBody(operation, response)
  const unreadable = { ...statusOnly, hasInvalidParts: true }
  if (body.kind === 'none') return violations.length > 0 ? unreadable : { ...statusOnly, body }
  const json = content['application/json']
  if (
    typeViolations.length > 0 &&
    json &&
    flattenSchemas([json]).some((one) => one['x-undocumented'] === true)
  )
    return { ...statusOnly, violations: [], isUndocumented: true }
  if (body.schemas.length === 0 || (body.kind === 'text' && typeViolations.length > 0)) return unreadable
  const media = typeViolations.length > 0 ? 'application/json' : (contentType ?? '')
  const errors =
    body.kind === 'text'
      ? []
      : [
          ...selectRelevant(validator.findAllErrors(operation, status, media, body.value)),
          ...findImpossibleTimes(body.value, body.schemas),
        ]
  return markErrors(body, errors, typeViolations)
}

/** Marks the parts of a body that violate the contract. */
function markErrors(
  body: Body,
  errors: readonly AjvError[],
  typeViolations: readonly string[],
): CheckedResponse {
  const messages = new Set(typeViolations)
  let { value: marked } = body
  let isUndocumented = false
  for (const error of errors) {
    const path = errorPath(error)
    const isUnknownShape = hasUndocumentedShape(body.schemas, path) && !isForeignItem(error, path, body.value)
    if (isUnknownShape) isUndocumented = true
    else messages.add(describeError(error, path, body))
    const isForeign = !isUnknownShape && isForeignObject(error, errors, body)
    marked = markBroken(marked, isForeign ? path.slice(0, -1) : path, isUnknownShape)
  }
  return {
    violations: [...messages],
    body: { ...body, value: marked },
    isUndocumented,
    hasInvalidParts: messages.size > typeViolations.length,
  }
}

/** The declared type that a body has the form of: the service may not send the type, and some recorders don't keep it. */
function guessContentType(content: Readonly<Record<string, Schema>>, value: unknown): string | undefined {
  const types = Object.keys(content)
  return types.find((type) => type.endsWith('json') === (value !== undefined)) ?? types[0]
}

/** Returns the body of a response with its schemas in the contract. */
export function readBody({ responses }: ContractOperation, response: RecordedResponse): Body {
  const { status, body, value } = response
  const { content = {} } = responses[status] ?? {}
  const contentType = response.contentType ?? guessContentType(content, value)
  if (body === '') return { kind: 'none', value: undefined, schemas: [] }
  const json = content['application/json']
  const text = content[contentType ?? '']
  if (value !== undefined && (text === undefined || text === json)) {
    const schema = json ?? Object.values(content)[0]
    if (!contentType?.startsWith('text/')) return { kind: 'json', value, schemas: schema ? [schema] : [] }
  }
  const isText = text !== undefined && text !== json
  const lines = Array.isArray(value) ? value : splitLines(body) // a JSON list may be sent as plain text
  return { kind: 'text', value: lines, schemas: isText ? [{ type: 'array', items: text }] : [] }
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
    const isWithin = (one: AjvError): boolean =>
      one.schemaPath.startsWith(`${schemaPath}/`) &&
      (one.instancePath === instancePath || one.instancePath.startsWith(`${instancePath}/`))
    const within = remaining.filter(isWithin)
    if (within.length === 0) continue
    const getBranch = (one: AjvError): string =>
      one.schemaPath.slice(schemaPath.length + 1).split('/', 1)[0] ?? ''
    const branches = [...new Set(within.map(getBranch))].map((name) =>
      within.filter((one) => getBranch(one) === name),
    )
    const isType = (one: AjvError): boolean => one.keyword === 'type' && one.instancePath === instancePath
    const [matching] = branches
      .filter((branch) => !branch.some(isType))
      .toSorted((a, b) => a.length - b.length)
    const types = within.filter(isType).flatMap(({ params }) => params['type'])
    const replacement = matching ?? [{ ...choice, keyword: 'type', params: { type: types } }]
    remaining = [...remaining.filter((one) => one !== choice && !isWithin(one)), ...replacement]
  }
  const rank = ({ keyword }: AjvError): number => Number(keyword === 'additionalProperties')
  return remaining.toSorted((a, b) => rank(a) - rank(b))
}

/** Finds times that have the contract's format, but don't exist: its patterns can't express that. */
function* findImpossibleTimes(
  value: unknown,
  schemas: readonly Schema[],
  instancePath = '',
): Generator<AjvError> {
  if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      yield* findImpossibleTimes(
        item,
        schemasAt(schemas, Array.isArray(value) ? 0 : key),
        `${instancePath}/${key}`,
      )
  else if (
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(String(value)) &&
    !(isRealDate(String(value).slice(0, 10)) && parseTime(value, 'UTC')) &&
    flattenSchemas(schemas).some(isDateTime)
  )
    yield {
      keyword: 'format',
      instancePath,
      schemaPath: '',
      params: {},
      message: 'must be a time that exists',
    }
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

/** Whether the documentation leaves out the shape of a part, or of one that includes it. */
function hasUndocumentedShape(schemas: readonly Schema[], [key, ...below]: readonly string[]): boolean {
  if (isMarked(schemas, 'x-undocumented')) return true
  return key !== undefined && hasUndocumentedShape(schemasAt(schemas, /^\d+$/.test(key) ? 0 : key), below)
}

/**
 * Whether an item can't belong to a list of records, whatever their shape. Texts and numbers could, if the list has only these.
 */
function isForeignItem({ keyword, params }: AjvError, path: readonly string[], body: unknown): boolean {
  if (keyword !== 'type' || params['type'] !== 'object' || path.length !== 1 || !Array.isArray(body))
    return false
  const item: unknown = body[Number(path[0])]
  return (typeof item !== 'string' && typeof item !== 'number') || body.some(isObject)
}

/**
 * Whether an error is a missing or unknown field of an object that has no valid field, such as `{"data": …}` around a record:
 * nothing follows from the optional fields that it doesn't have.
 */
function isForeignObject(error: AjvError, errors: readonly AjvError[], { value, schemas }: Body): boolean {
  if (error.keyword !== 'required' && error.keyword !== 'additionalProperties') return false
  const path = errorPath(error).slice(0, -1)
  const found = path.reduce<unknown>((above, key) => Object(above)[key as never], value)
  const parts = path.reduce((above, key) => schemasAt(above, /^\d+$/.test(key) ? 0 : key), [...schemas])
  const names = Object.keys(Object(found)).filter((name) => schemasAt(parts, name).length > 0)
  const ofObject = errors.filter(({ instancePath }) => instancePath.startsWith(error.instancePath))
  const broken = new Set(
    ofObject.map((one) =>
      errorPath(one)
        .slice(0, path.length + 1)
        .join('\n'),
    ),
  )
  const isValid = (name: string): boolean => !broken.has([...path, name].join('\n'))
  const isIncomplete = ofObject.some(
    ({ keyword, instancePath }) => keyword === 'required' && instancePath === error.instancePath,
  )
  return names.length === 0 || (isIncomplete && !names.some(isValid))
}

function describeError(
  { keyword, params, message = '', parentSchema = {} }: AjvError,
  path: readonly string[],
  body: Body,
): string {
  const name = path.reduce(
    (above, key) => (/^\d+$/.test(key) ? `${above}[]` : above === '' ? key : `${above}.${key}`),
    '',
  )
  const value = path.reduce<unknown>((above, key) => Object(above)[key as never], body.value)
  // The first type is the documented one. A string is only an alternative spelling of a number.
  const [type, ...others] = [parentSchema['type'] ?? params['type']].flat() as string[]
  const isNumber = typeof value === 'number' && (type === 'number' || type === 'integer')
  const isTypeError = keyword === 'type' || (others.length > 0 && !isNumber)
  const types = keyword === 'type' && others.length === 0 ? [params['type']].flat().join(' or ') : type
  if (isTypeError && isNumber)
    return `${name || 'the body'} must be a ${type === 'integer' ? 'whole number' : 'number'}, not ${value}`
  if (isTypeError && keyword === 'pattern' && Number.isFinite(Number(value)))
    return `${name || 'the body'} must be ${types}, or a string that matches ${String(params['pattern'])}`
  if (isTypeError) return `${name || 'the body'} must be ${types}, not ${jsonType(value)}`
  const messages: Record<string, string> = {
    minimum: `must be at least ${String(params['limit'])}`,
    maximum: `must be at most ${String(params['limit'])}`,
    required: 'is missing',
    additionalProperties: 'is not in the contract',
    enum: `must be one of: ${[params['allowedValues']].flat().map(showValue).join(', ')}`,
  }
  return `${name || 'the body'} ${messages[keyword] ?? message}`
}

function showValue(value: unknown): string {
  return value === '' ? '""' : String(value)
}

/** Returns a copy of a value in which a part is marked as broken. */
function markBroken(value: unknown, path: readonly string[], isUndocumented: boolean): unknown {
  const [key, ...below] = path
  if (value instanceof Broken) return value
  if (key === undefined) return new Broken(value, isUndocumented)
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === key ? markBroken(item, below, isUndocumented) : item))
  return { ...Object(value), [key]: markBroken(Object(value)[key], below, isUndocumented) }
}
