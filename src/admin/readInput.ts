import type { ContractOperation, Schema } from '../contract/Contract.ts'
import type { RequestContext } from '../http/RequestContext.ts'
import type { Issue } from '../Issue.ts'
import { isObject } from '../world/mergePatch.ts'
import { wrongInput } from './AdminError.ts'
import type { OperationInput } from './AdminOperation.ts'
import { unknownName } from './unknownName.ts'

/** What an operation is asked, after what is wrong in the request was refused. @throws AdminError 400 */
export function readInput(
  { request, path, query: search, body, violations }: RequestContext,
  operation: ContractOperation,
): OperationInput<never> {
  const query = new URLSearchParams(search ?? '')
  refuse('The query is wrong.', wrongQuery(query, operation))
  if (body?.wrong !== undefined) throw wrongInput('The body is wrong.', [{ path: '', message: body.wrong }])
  const value = body?.text === undefined ? {} : body.value
  const checksItself = bag(operation.schema['requestBody'])['x-own-check'] === true
  if (!checksItself) refuse('The request is wrong.', unknownFields(value, operation))
  refuse(
    'The request is wrong.',
    violations
      .filter((violation) => violation.in !== 'body' || !checksItself)
      .map((violation) => ({
        path: violation.in === 'body' ? '' : violation.in,
        message: violation.message,
      })),
  )
  return {
    path,
    query: Object.fromEntries(query),
    body: value,
    text: body?.text ?? '',
    accept: request.headers['accept'] ?? '',
    origin: `http://${String(request.headers['host'] ?? '127.0.0.1:4010')}`,
    get signal() {
      return request.signal()
    },
  } as OperationInput<never>
}

function refuse(what: string, details: readonly Issue[]): void {
  if (details.length) throw wrongInput(what, details)
}

function wrongQuery(query: URLSearchParams, { schema }: ContractOperation): Issue[] {
  const known = list(schema['parameters'])
    .filter((parameter) => bag(parameter)['in'] === 'query')
    .map((parameter) => String(bag(parameter)['name']))
  // An account may be named everywhere: whoever always names it need not know where it matters.
  const unknown = [...new Set(query.keys())].filter((name) => name !== 'account' && !known.includes(name))
  const twice = known.filter((name) => query.getAll(name).length > 1)
  return [
    ...unknown.map((name) => ({ path: name, message: unknownName('parameter', name, known) })),
    ...twice.map((name) => ({ path: name, message: 'stands there twice' })),
  ]
}

/** More unknown names than this are told by number. */
const mostUnknown = 20

function unknownFields(body: unknown, { schema }: ContractOperation): Issue[] {
  const content = bag(bag(bag(bag(schema['requestBody'])['content'])['application/json'])['schema'])
  if (!isObject(body) || content['additionalProperties'] !== false) return []
  const known = Object.keys(bag(content['properties']))
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  const issues = unknown
    .slice(0, mostUnknown)
    .map((name) => ({ path: name, message: unknownName('field', name, known) }))
  return unknown.length > mostUnknown
    ? [...issues, { path: '', message: `and ${unknown.length - mostUnknown} more unknown fields` }]
    : issues
}

function bag(value: unknown): Schema {
  return isObject(value) ? value : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
