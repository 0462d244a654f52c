import { STATUS_CODES } from 'node:http'
import { caseReply, findCase } from '../contract/caseReply.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { faultReason, forcedResponse } from '../faults/applyFault.ts'
import { forcedCase } from '../journal/shownCase.ts'
import { hasNoContent, headerText } from '../lib/http.ts'
import { counted } from '../lib/text.ts'
import { caseValues, formatNumbers } from '../service/index.ts'
import type { Refusal } from '../world/Refusal.ts'
import { frozenHint, type Instant } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import type { ApiRequest, ParsedRequest } from './parseRequest.ts'
import { suggestPath } from './suggestPath.ts'
import type { ApiResponse, WireResponse } from './Wire.ts'

/*
 * The responses of the API: to executed operations, refusals and faults.
 */

/** The parts that all responses share. */
interface Contracts {
  contract: Contract
  validator: Validator
}

/** The result of an operation. */
export interface ExecutionResult {
  /** @default 200 */
  status?: number
  /** @default the first content type of the contract */
  contentType?: string | undefined
  body: unknown
}

/** The response to an executed operation, or a report if it violates the contract. */
export function resultResponse(
  api: Contracts,
  operation: ContractOperation,
  { status = 200, contentType, body }: ExecutionResult,
  world: World,
): ApiResponse {
  const { content = {} } = operation.responses[status] ?? {}
  const type = contentType ?? Object.keys(content)[0]
  const value = formatNumbers(body, content, world)
  return checkResponse(api, operation, createResponse(status, type, value))
}

export function createResponse(status: number, contentType: string | undefined, value: unknown): ApiResponse {
  if (value === undefined) return { status, contentType: undefined, body: '' }
  if (typeof value === 'string' && !contentType?.includes('json')) return { status, contentType, body: value }
  return { status, contentType, body: JSON.stringify(value), value }
}

/** The response, or a report if the response violates the contract. */
function checkResponse(
  { validator }: Contracts,
  operation: ContractOperation,
  response: ApiResponse,
): ApiResponse {
  const violations = validator.validateResponse(operation, response)
  return violations.length === 0 ? response : violationResponse(violations)
}

/** A response that violates the contract is a bug in the simulator, so a report is sent instead. */
export function violationResponse(violations: readonly string[]): ApiResponse {
  const reason = violations.join('; ')
  const error = `The simulator's response breaks the contract: ${reason}`
  const body = JSON.stringify({ error, violations })
  return {
    status: 500,
    contentType: 'application/json',
    body,
    case: 'contract-violation',
    reason,
    violations,
  }
}

/** A fault's response is sent even if it violates the contract; the journal shows the violations. */
export function faultResponse(
  api: Contracts,
  { request, injected }: ApiRequest,
  fault: Fault,
  world: World,
  now: Instant,
  original?: ApiResponse,
): ApiResponse {
  const operation = request.operation as ContractOperation
  const caseResponse = (name: string) => {
    const contractCase = findCase(operation, name, world)
    if (!contractCase) throw new Error(`${operation.operationId} has no case ${name}`)
    return { ...caseReply(contractCase, caseValues(world, now, injected?.until)), case: name }
  }
  const response = forcedResponse(fault, { caseResponse }, original)
  return response.received === undefined ? withViolations(api, operation, response) : response
}

/** A response that may violate the contract, with its violations. */
export function withViolations(
  { validator }: Contracts,
  operation: ContractOperation | undefined,
  response: ApiResponse,
): ApiResponse {
  const violations = operation ? validator.validateResponse(operation, response) : []
  return violations.length === 0 ? response : { ...response, violations }
}

/** Adds a fault's description to the reason of a response that it affected. */
export function withReason(response: ApiResponse, fault: Fault): ApiResponse {
  const reason = faultReason(fault)
  return { ...response, reason: response.reason === undefined ? reason : `${response.reason}; ${reason}` }
}

/** The response if `limits.requests` is exceeded. @param wait seconds until the window ends */
export function tooManyRequests({ limits, clock }: World, wait: number): ApiResponse {
  const { count, per } = limits.requests as NonNullable<World['limits']['requests']>
  return {
    status: 429,
    contentType: 'application/json',
    body: JSON.stringify({ error: 'Too Many Requests' }),
    headers: { 'retry-after': String(wait) },
    case: 'too-many-requests',
    reason: `limits.requests allows ${counted(count, 'request')} in ${per} s; the window ends in ${wait} s${frozenHint(clock, wait)}`,
    forced: true,
  }
}

/** The response to a refusal, in the contract's wording for its case. */
export function refusalResponse(
  api: Contracts,
  { operation }: ParsedRequest,
  refusal: Refusal,
  world: World | undefined,
): ApiResponse {
  const { case: name, reason, fill } = refusal
  const declared = operation && findCase(operation, name, world)
  if (declared) return checkResponse(api, operation, { ...caseReply(declared, fill), case: name, reason })
  // Authentication also applies to unknown paths, and to operations that don't declare its cases.
  const shared = api.contract.operations.map((one) => findCase(one, name)).find((one) => one !== undefined)
  if (shared?.isAuthentication) return { ...caseReply(shared, fill), case: name, reason }
  if (name === 'bad-request') return plainError(400, name, reason) // the contract has no case for invalid input
  throw new Error(
    `${operation?.operationId ?? 'the request'} was refused with the case ${name}, which the contract does not define for it`,
  )
}

/** The 404 for paths that aren't in the contract, and the 405 for unsupported methods of its paths. */
export function unroutedResponse(
  { contract }: Contracts,
  { allow, head: { method }, pathname }: ParsedRequest,
): ApiResponse {
  if (!allow) {
    const suggestion = suggestPath(contract, method, pathname).replace(' ', '. ')
    return plainError(404, 'not-found', `there is no path ${pathname} in the contract${suggestion}`)
  }
  const methods = allow.join(', ')
  const reason = `${method} is not one of the methods of this path (${methods})`
  return { ...plainError(405, 'method-not-allowed', reason), headers: { allow: methods } }
}

function plainError(status: number, name: string, reason: string): ApiResponse {
  const body = JSON.stringify({ error: `${STATUS_CODES[status]}: ${reason}` })
  return { status, contentType: 'application/json', body, case: name, reason }
}

/** A fault may send any content from this origin, and browsers must not run it as a page. */
const sandboxHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

/** The headers of a response. */
export function createHeaders(
  { explain, contract }: { explain: boolean; contract: Contract },
  response: ApiResponse,
  now: Instant,
  isSandboxed: boolean,
): WireResponse['headers'] {
  const headers: WireResponse['headers'] = { date: httpDate(now), 'cache-control': 'no-store' }
  if (response.contentType !== undefined) headers['content-type'] = `${response.contentType}; charset=utf-8`
  if (response.case === 'unauthenticated') headers['www-authenticate'] = challenge(contract.title)
  if (response.status >= 400 && explain) {
    headers['sim-case'] = response.case ?? forcedCase
    headers['sim-reason'] = headerText(response.reason ?? '')
  }
  Object.assign(headers, response.headers, isSandboxed && sandboxHeaders)
  if (response.body !== '' || !hasNoContent(response.status))
    headers['content-length'] = String(Buffer.byteLength(response.body))
  return headers
}

/** RFC 7617: clients such as Java's encode credentials as Latin-1 unless the server specifies UTF-8. */
function challenge(realm: string): string {
  return `Basic realm="${headerText(realm).replaceAll(/["\\]/g, String.raw`\$&`)}", charset="UTF-8"`
}

let lastDate = { second: -1, text: '' }

/** The Date header, cached for a second, because formatting it takes as long as authentication. */
function httpDate(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}
