import { caseReply, findCase } from '../contract/caseReply.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import { describeFault } from '../faults/describeFault.ts'
import { dateTimeOf } from '../world/time.ts'
import type { Fault } from '../world/World.ts'
import type { ApiResponse } from './ApiResponse.ts'
import type { RequestContext } from './RequestContext.ts'

/** What a fault puts in the place of the answer. */
export function forced(
  operation: ContractOperation,
  fault: Fault,
  context: RequestContext,
  instead: ApiResponse | undefined,
): ApiResponse {
  const reason = describeFault(fault)
  const drop = fault.drop
  const base = instead ?? { status: 200, type: 'application/json', body: '{}' }
  if (fault.respond === undefined) return { ...base, forced: true, reason, ...(drop && { drop }) }
  if (typeof fault.respond === 'string') {
    const found = findCase(operation, fault.respond)
    // `*` was checked to name a case of all operations
    if (!found) throw new Error(`${operation.operationId} has no case ${fault.respond}`)
    const interval = context.account?.world.limits.updateListInterval ?? 0
    const fill = { timestamp: dateTimeOf(context.now + interval * 1000) } // what the contract's sample holds lies in the past
    return { ...caseReply(found, fill), case: fault.respond, reason, forced: true, ...(drop && { drop }) }
  }
  const { status, body, headers } = fault.respond
  const isText = typeof body === 'string'
  return {
    status,
    type: body === undefined ? undefined : isText ? 'text/plain' : 'application/json',
    body: body === undefined ? '' : isText ? body : JSON.stringify(body),
    reason,
    forced: true,
    ...(headers && { headers: lowerCase(headers) }),
    ...(drop && { drop }),
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
