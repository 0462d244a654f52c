import { asArray, asObject, type ContractOperation } from '../contract/Contract.ts'
import type { RequestContext } from '../http/handleRequest.ts'
import type { Issue } from '../lib/Issue.ts'
import { isObject } from '../world/mergePatch.ts'
import { noSuch } from '../world/nearest.ts'
import { wrongInput } from './AdminError.ts'
import type { OperationInput } from './AdminOperation.ts'

/** The input of an operation. @throws AdminError 400 if the request is invalid */
export function readInput(
  { request, path, query: search, body, violations }: RequestContext,
  operation: ContractOperation,
): OperationInput<never> {
  const query = new URLSearchParams(search ?? '')
  refuse('The query is invalid.', wrongQuery(query, operation))
  if (body?.wrong !== undefined) throw wrongInput('The body is invalid.', [{ path: '', message: body.wrong }])
  const text = body?.text ?? ''
  const value = text === '' ? {} : body?.value
  const checksItself = asObject(operation.schema['requestBody'])['x-own-check'] === true
  if (!checksItself) refuse('The request is invalid.', unknownFields(value, operation))
  refuse(
    'The request is invalid.',
    violations.map(({ path: field, message }) => ({ path: field.join('.'), message })),
  )
  return {
    path,
    query: Object.fromEntries(query),
    body: value,
    text,
    accept: request.headers['accept'] ?? '',
    origin: `${request.isEncrypted ? 'https' : 'http'}://${String(request.headers['host'] ?? '127.0.0.1:4010')}`,
    get signal() {
      return request.signal()
    },
  } as OperationInput<never>
}

function refuse(what: string, details: readonly Issue[]): void {
  if (details.length) throw wrongInput(what, details)
}

function wrongQuery(query: URLSearchParams, { method, schema }: ContractOperation): Issue[] {
  const known = asArray(schema['parameters'])
    .filter((parameter) => asObject(parameter)['in'] === 'query')
    .map((parameter) => String(asObject(parameter)['name']))
  // Reads may always name an account; a change that took none of it would concern all accounts, or another one.
  const ignored = method === 'GET' ? ['account'] : []
  const unknown = [...new Set(query.keys())].filter((name) => ![...known, ...ignored].includes(name))
  const twice = known.filter((name) => query.getAll(name).length > 1)
  return [
    ...unknown.map((name) => ({ path: name, message: noSuch('parameter', name, known) })),
    ...twice.map((name) => ({ path: name, message: 'is given more than once' })),
  ]
}

/** Further unknown names aren't listed. */
const maxUnknown = 20

function unknownFields(body: unknown, { schema }: ContractOperation): Issue[] {
  const content = asObject(asObject(asObject(schema['requestBody'])['content'])['application/json'])
  const { additionalProperties, properties } = asObject(content['schema'])
  if (!isObject(body) || additionalProperties !== false) return []
  const known = Object.keys(asObject(properties))
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  return unknown.slice(0, maxUnknown).map((name) => ({ path: name, message: noSuch('field', name, known) }))
}
