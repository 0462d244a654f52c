import { URLSearchParams } from 'node:url'
import {
  asArray,
  asObject,
  type ContractOperation,
  parseMediaType,
  type Schema,
} from '../contract/Contract.ts'
import type { ParsedRequest } from '../http/parseRequest.ts'
import type { WireRequest } from '../http/Wire.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { findLostKey } from '../lib/json.ts'
import { valueIssues } from '../scenario/bounds.ts'
import { isObject } from '../world/mergePatch.ts'
import { unknownName } from '../lib/nearest.ts'
import { requireNoIssues, invalidInput } from './AdminError.ts'
import type { AdminInput } from './AdminOperation.ts'

/** Reads the input of an operation. @throws AdminError 400 if the request is invalid */
export function readInput(
  request: ParsedRequest,
  wire: WireRequest,
  operation: ContractOperation,
): AdminInput<never> {
  const { parameters: path, text = '', json: body = {}, violations } = request
  const query = new URLSearchParams(request.query ?? '')
  requireNoIssues('The query is invalid.', queryIssues(query, operation))
  const bodyProblem = findBodyProblem(request, operation)
  if (bodyProblem !== undefined)
    throw invalidInput('The body is invalid.', [{ path: [], message: capitalize(bodyProblem) }])
  requireNoIssues('The body is invalid.', valueIssues(body))
  requireNoIssues('The request is invalid.', [...keyIssues(body, text), ...fieldIssues(body, operation)])
  requireNoIssues('The request is invalid.', violations)
  return {
    path,
    query: Object.fromEntries(query),
    body,
    text,
    contentType: parseMediaType(wire.headers['content-type']),
    accept: wire.headers['accept'] ?? '',
    origin: wire.origin(),
    signal: () => wire.signal(),
  } as AdminInput<never>
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function queryIssues(query: URLSearchParams, { method, schema }: ContractOperation): PathIssue[] {
  const known = asArray(schema['parameters'])
    .map(asObject)
    .filter((parameter) => parameter['in'] === 'query')
    .map(({ name }) => String(name))
  // Reads may always name an account. A change that ignored the parameter would affect all accounts, or another one.
  const ignored = method === 'GET' ? ['account'] : []
  return [...new Set(query.keys())].flatMap((name) => {
    const path = [name]
    if (![...known, ...ignored].includes(name))
      return { path, message: unknownName('parameter', name, known) }
    return query.getAll(name).length > 1 ? { path, message: 'The parameter appears more than once' } : []
  })
}

/** Describes the problem if a body isn't JSON, or should be empty. */
function findBodyProblem(
  { text = '', isUnreadable, bodyViolation, violations }: ParsedRequest,
  { bodyTypes }: ContractOperation,
): string | undefined {
  if (bodyTypes.length > 0) return violations.some((one) => one.in === 'body') ? undefined : bodyViolation
  if (!isUnreadable && ['', '{}'].includes(text.trim())) return undefined
  return 'this operation takes no body. Leave it out; its parameters go into the path and the query'
}

/** Reports keys that parsing or copying would lose. Scenarios are still text here, and are checked when they are parsed. */
function keyIssues(body: unknown, text: string): PathIssue[] {
  const message = isObject(body) ? findLostKey(text, body) : undefined
  return message === undefined ? [] : [{ path: [], message }]
}

/** Maximum number of unknown names in a message. */
const maxUnknown = 20

function bodySchema({ schema }: ContractOperation): Schema {
  const content = asObject(asObject(asObject(schema['requestBody'])['content'])['application/json'])
  return asObject(content['schema'])
}

function fieldIssues(body: unknown, operation: ContractOperation): PathIssue[] {
  const { additionalProperties, properties } = bodySchema(operation)
  if (!isObject(body) || additionalProperties !== false) return []
  const known = Object.keys(asObject(properties))
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  return unknown
    .slice(0, maxUnknown)
    .map((name) => ({ path: [name], message: unknownName('field', name, known) }))
}
