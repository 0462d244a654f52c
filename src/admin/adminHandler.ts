import type { Contract } from '../contract/Contract.ts'
import { getValidator } from '../contract/validator/createValidator.ts'
import { findRoute, type Route } from '../http/findRoute.ts'
import { parseRequest } from '../http/parseRequest.ts'
import type { Handler, Stream, WireRequest, WireResponse } from '../http/Wire.ts'
import { suggestion } from '../lib/nearest.ts'
import { UnknownScenario } from '../scenario/NameIndex.ts'
import { describeIssue, ScenarioError } from '../scenario/ScenarioError.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../store/StorageError.ts'
import { adminContract } from './adminContract.ts'
import * as adminOperations from './adminOperations.ts'
import { AdminError, countFurther } from './AdminError.ts'
import type { AdminOperation, AdminOperationId } from './AdminOperation.ts'
import { readInput } from './readInput.ts'
import { TextResponse } from './TextResponse.ts'

/** Handlers by operationId; a missing handler is a compile error. Copied, because the properties of a bundled module are getters. */
const operations = Object.assign({}, adminOperations) satisfies {
  [Op in AdminOperationId]: AdminOperation<Op>
} as unknown as Record<string, AdminOperation<never>>

/** Creates the handler of the control plane. A guard has already checked the token. */
export async function adminHandler(simulation: Simulation): Promise<Handler> {
  const contract = await adminContract()
  return async (wire) => {
    const route = findRoute(contract, wire)
    try {
      return await execute(simulation, contract, wire, route)
    } catch (error) {
      return errorResponse(simulation, route, error)
    }
  }
}

async function execute(
  simulation: Simulation,
  contract: Contract,
  wire: WireRequest,
  route: Route,
): Promise<WireResponse> {
  const { operation, pathname, allow } = route
  if (allow) {
    const reason = `${wire.method} is not allowed on this path. Use ${allow.join(' or ')}.`
    throw new AdminError(405, `Method Not Allowed: ${reason}`)
  }
  if (!operation) throw new AdminError(404, notFoundText(pathname, contract))
  const handle = operations[operation.operationId] as AdminOperation<never>
  const validator = await getValidator(contract)
  const request = parseRequest(validator, wire, route, await wire.body(operation.maxBytes))
  const result: unknown = await handle(readInput(request, wire, operation), simulation)
  const status = Number(Object.keys(operation.responses)[0]) // statuses are in ascending order, so the successful one comes first
  if (result === undefined) return { status, headers: { ...uncached }, body: '' }
  if (result instanceof TextResponse) return textResponse(status, result.text, result.type)
  if (typeof result !== 'function') return textResponse(status, JSON.stringify(result))
  const headers = { ...uncached, 'content-type': 'text/event-stream; charset=utf-8' }
  return { status, headers, body: '', stream: result as Stream }
}

function notFoundText(pathname: string, contract: Contract): string {
  const paths = new Set(contract.operations.map(({ path }) => path))
  return `Not Found: there is no ${pathname}.${suggestion(pathname, [...paths])}`
}

function errorResponse({ log }: Simulation, { pathname: path, allow }: Route, error: unknown): WireResponse {
  const { status, message, fields } = toAdminError(error)
  if (error instanceof StorageError) log.error({ path }, message)
  else if (status === 500) log.error({ path, err: error }, 'a request to the control plane failed')
  const response = textResponse(status, JSON.stringify({ error: message, ...fields }))
  if (allow) response.headers['allow'] = allow.join(', ')
  return response
}

function toAdminError(error: unknown): AdminError {
  if (error instanceof AdminError) return error
  if (error instanceof UnknownScenario) return new AdminError(404, error.message)
  if (error instanceof StorageError) return new AdminError(503, error.message)
  if (!(error instanceof ScenarioError)) return new AdminError(500, 'Internal Server Error')
  const { issues: details, message } = error
  const first = details[0] ? describeIssue(details[0]) : message
  return new AdminError(400, `The scenario is invalid. ${first}${countFurther(details)}`, { details })
}

const uncached = { 'cache-control': 'no-store' }

function textResponse(status: number, body: string, type = 'application/json'): WireResponse {
  const length = String(Buffer.byteLength(body))
  return {
    status,
    headers: { ...uncached, 'content-type': `${type}; charset=utf-8`, 'content-length': length },
    body,
  }
}
