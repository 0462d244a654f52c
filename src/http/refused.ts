import { STATUS_CODES } from 'node:http'
import { caseReply, findCase } from '../contract/caseReply.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import { Refusal } from '../world/Refusal.ts'
import type { ApiResponse } from './ApiResponse.ts'

/** Refuses an invalid path or body with the operation's own case (`x-invalid`), or else its 422, or else a 400. */
export function invalid(operation: ContractOperation, part: 'path' | 'body', reason: string): never {
  const name = operation.invalid[part] ?? operation.cases.find(({ status }) => status === 422)?.name
  throw new Refusal(name ?? badRequest, reason)
}

/** The response to a refusal, in the contract's words for its case. */
export function refused(
  contract: Contract,
  operation: ContractOperation | undefined,
  { case: name, reason, fill }: Refusal,
): ApiResponse {
  const own = operation && findCase(operation, name)
  if (own) return { ...caseReply(own, fill), case: name, reason }
  // Authentication also applies to unknown paths, and to operations that don't declare its cases.
  const borrowed = contract.operations.map((one) => findCase(one, name)).find((one) => one !== undefined)
  if (borrowed?.isAuthentication)
    return { ...caseReply(borrowed, fill), case: name, reason, isUnlisted: true }
  const status = undeclared[name]
  if (status !== undefined) return plainError(status, name, reason)
  throw new Error(
    `${operation?.operationId ?? 'the request'} was refused with the case ${name}, which the contract does not give it`,
  )
}

/** The case of malformed input if the contract declares none. */
const badRequest = 'bad-request'

/** Statuses of the cases that a contract doesn't have to declare */
const undeclared: Readonly<Record<string, number>> = {
  [badRequest]: 400,
  unauthenticated: 401,
  'invalid-authorization-header': 400,
  'invalid-credentials-format': 400,
}

/** The 404 for paths that aren't in the contract. */
export function notFound(reason: string): ApiResponse {
  return plainError(404, 'not-found', reason)
}

/** The 405 for paths that the contract has with other methods. */
export function notAllowed(method: string, allow: readonly string[]): ApiResponse {
  return {
    ...plainError(
      405,
      'method-not-allowed',
      `${method} is not one of the methods of this path (${allow.join(', ')})`,
    ),
    headers: { allow: allow.join(', ') },
  }
}

function plainError(status: number, name: string, reason: string): ApiResponse {
  return {
    status,
    type: 'application/json',
    body: JSON.stringify({ error: `${STATUS_CODES[status]}: ${reason}` }),
    case: name,
    reason,
    isUnlisted: true,
  }
}
