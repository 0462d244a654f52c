import { STATUS_CODES } from 'node:http'
import { caseReply, findCase } from '../contract/caseReply.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Sampler } from '../contract/sample.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { getChangesBehind, forcedResponse, faultReason, replacesResponse } from '../faults/applyFault.ts'
import type { Injection } from './Injection.ts'
import { selectFault } from '../faults/selectFault.ts'
import { counted } from '../lib/text.ts'
import { operations, withStaleRecords, formatNumbers, caseValues } from '../service/index.ts'
import { noPast, type Past } from '../store/Store.ts'
import { getFaults, isExhausted } from '../world/faults.ts'
import { Refusal } from '../world/Refusal.ts'
import { type Instant, toIsoString, getAccountTime } from '../world/time.ts'
import type { Fault, World, WorldChange } from '../world/World.ts'
import type { OperationId } from '../contract/cases.gen.ts'
import type { Operation } from '../service/operations/Operation.ts'
import { authenticate, type Credentials } from './credentials.ts'
import { type LoadedOverrides, overriddenResponse, overrideFailed } from './overrides.ts'
import type { ReadCache } from './ReadCache.ts'
import type { ParsedRequest } from './readRequest.ts'
import { suggestPath } from './suggestPath.ts'
import type { ApiResponse } from './Wire.ts'

/*
 * The responses of the API, as pure functions of request, world and time.
 */

/** The inputs of an evaluation, besides the request. */
export interface Api {
  contract: Contract
  validator: Validator
  /** Generates the responses of operations without a handler */
  sampler: Sampler | undefined
  reads?: ReadCache
  overrides?: LoadedOverrides | undefined
}

/** A request to the API, and its credentials. */
export interface ApiRequest {
  request: ParsedRequest
  /** The credentials, or the reason why there are none */
  credentials: Credentials | Refusal
  injected?: Injection | undefined
}

/** The API's response to a request, and the change to the world. */
export interface Evaluation {
  response: ApiResponse
  /** The world of the authenticated account; undefined if authentication failed */
  world: World | undefined
  /** The account's time */
  now: Instant
  /** The change that the operation made */
  change?: WorldChange | undefined
  /** The change of the fault counters */
  counters?: WorldChange | undefined
  /** The fault that triggers, with its new counters */
  fault?: Fault | undefined
}

/** A request that was admitted, and the fault that it triggers. */
export interface Admission extends Pick<Evaluation, 'now' | 'counters' | 'fault'> {
  /** The world of the authenticated account */
  world: World
  operation: ContractOperation
}

/** The result of an operation. */
interface ExecutionResult {
  /** @default 200 */
  status?: number
  /** @default the first content type of the contract */
  contentType?: string | undefined
  body: unknown
  change?: WorldChange | undefined
}

interface Handler {
  run: (request: ParsedRequest, world: World, now: Instant) => ExecutionResult
  dependsOnTime: Operation<OperationId>['dependsOnTime']
}

/** Operations by operationId. One without a handler responds with a generated sample. */
export const handlers = operations as unknown as Partial<Record<string, Handler>>

/**
 * Admits a request: authenticate → limit → route → select a fault.
 * @param real the real time, from which the account's time follows
 * @param past the worlds for `lookBack`
 * @returns the response if the request is refused
 */
export function admit(
  api: Api,
  call: ApiRequest,
  world: World | undefined,
  real: Instant,
  past: Past = noPast,
): Admission | Evaluation {
  const { request, credentials, injected } = call
  const { operation } = request
  const now = world ? getAccountTime(world.clock, real) : real
  const refusal = authenticate(operation, credentials, world)
  if (!world || refusal)
    return { response: refusalResponse(api, request, refusal as Refusal, world), world: undefined, now }
  const { counters: limits, response: tooMany } = countRequest(world, now)
  if (tooMany) return { response: withViolations(api, operation, tooMany), world, now }
  if (!operation) return { response: unroutedResponse(api, request), world, now, counters: limits }
  if (injected?.fault || world.faults.size === 0)
    return { world, operation, now, fault: injected?.fault, counters: limits }
  const matchable = { operation: operation.operationId, path: request.parameters, body: request.json }
  const { fault, faults } = selectFault(world, matchable, (one) => {
    const changes = getChangesBehind(one)
    return changes === undefined || past.get(changes) !== undefined
  })
  const counters = faults ? { ...limits, faults } : limits
  return { world, operation, now, fault, counters }
}

/** How many changes the account's `stale` faults may go back for a request to this operation. */
export function lookBack(operation: ContractOperation | undefined, world: World): number[] {
  if (!operation || operation.changesState || world.faults.size === 0) return []
  return getFaults(world)
    .filter((fault) => !isExhausted(fault) && ['*', operation.operationId].includes(fault.operation))
    .flatMap((fault) => getChangesBehind(fault) ?? [])
}

/** Responds to an admitted request: fault → operation → override → validate. */
export function perform(
  api: Api,
  call: ApiRequest,
  { world, operation, now, fault, counters }: Admission,
  real: Instant,
  past: Past = noPast,
): Evaluation {
  const { request } = call
  const forcing = fault && replacesResponse(fault) ? fault : undefined
  if (forcing?.phase === 'before')
    return { response: faultResponse(api, call, forcing, world, now), world, now, fault, counters }
  const earlier = fault && past.get(getChangesBehind(fault) ?? 0)
  const source = earlier ? withStaleRecords(world, earlier) : world
  const executed = execute(api, request, operation, source, now)
  const { change } = executed
  const explained = earlier ? withReason(executed.response, fault) : executed.response
  const response = api.overrides
    ? applyOverride(api, api.overrides, request, operation, { original: explained, world: source, now, real })
    : explained
  const sent = forcing ? faultResponse(api, call, forcing, world, now, response) : response
  return { response: sent, world, now, change, fault, counters }
}

/** Counts a request against `limits.requests`. @returns the change of the counters, or the response if the limit is exceeded */
function countRequest(
  { limits, clock }: World,
  now: Instant,
): { counters?: WorldChange; response?: ApiResponse } {
  if (!limits.requests) return {}
  const { count, per, since, used = 0 } = limits.requests
  const start = Date.parse(since ?? '') // NaN before the first request, which starts a window
  const end = start + per * 1000
  if (!(start <= now && now < end))
    return { counters: { limits: { requests: { since: toIsoString(now), used: 1 } } } }
  if (used < count) return { counters: { limits: { requests: { used: used + 1 } } } }
  const wait = Math.max(1, Math.ceil((end - now) / 1000))
  const hint =
    'frozen' in clock
      ? `, but the clock is frozen: it does not move until proxysim clock --advance PT${wait}S`
      : ''
  return {
    response: {
      status: 429,
      contentType: 'application/json',
      body: JSON.stringify({ error: 'Too Many Requests' }),
      headers: { 'retry-after': String(wait) },
      case: 'too-many-requests',
      reason: `limits.requests allows ${counted(count, 'request')} in ${per} s; the window ends in ${wait} s${hint}`,
      forced: true,
    },
  }
}

/** Adds a fault's description to the reason of a response that it affected. */
function withReason(response: ApiResponse, fault: Fault): ApiResponse {
  const reason = faultReason(fault)
  return { ...response, reason: response.reason === undefined ? reason : `${response.reason}; ${reason}` }
}

/** Executes the operation: returns its response, and the change to the world. */
function execute(
  api: Api,
  request: ParsedRequest,
  operation: ContractOperation,
  world: World,
  now: Instant,
): Pick<Evaluation, 'response' | 'change'> {
  const { url } = request.head
  const handler = handlers[operation.operationId]
  const isCacheable =
    handler?.dependsOnTime === false && operation.bodyTypes.length === 0 && request.violations.length === 0
  const reads = isCacheable ? api.reads : undefined
  const cached = reads?.get(world, url)
  if (cached) return { response: cached }
  try {
    const result = handler ? handler.run(request, world, now) : generateSample(api, request, operation, world)
    const { status = 200, body, change } = result
    const { content = {} } = operation.responses[status] ?? {}
    const { contentType = Object.keys(content)[0] } = result
    // A generated body is what the contract describes.
    const value = handler ? formatNumbers(body, content, world) : body
    const response = checkResponse(api, operation, createResponse(status, contentType, value))
    if (response.violations) return { response } // an invalid response changes nothing
    if (!change) reads?.set(world, url, response)
    return { response, change }
  } catch (error) {
    if (error instanceof Refusal) return { response: refusalResponse(api, request, error, world) }
    throw error
  }
}

/** The generated response of an operation without a handler. */
function generateSample(
  { sampler }: Api,
  request: ParsedRequest,
  operation: ContractOperation,
  { seed }: World,
): ExecutionResult {
  request.requirePath()
  request.requireBody()
  return (sampler as Sampler)(operation, { seed, url: request.head.url })
}

function createResponse(status: number, contentType: string | undefined, value: unknown): ApiResponse {
  if (value === undefined) return { status, contentType: undefined, body: '' }
  if (typeof value === 'string' && !contentType?.includes('json')) return { status, contentType, body: value }
  return { status, contentType, body: JSON.stringify(value), value }
}

/** The response, or a report if the response violates the contract. */
function checkResponse({ validator }: Api, operation: ContractOperation, response: ApiResponse): ApiResponse {
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
function faultResponse(
  api: Api,
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

/** The response of an override, if the operation has one. */
function applyOverride(
  api: Api,
  overrides: LoadedOverrides,
  request: ParsedRequest,
  operation: ContractOperation,
  context: { original: ApiResponse; world: World; now: Instant; real: Instant },
): ApiResponse {
  const { original } = context
  if (original.case === 'contract-violation') return original
  const response = overriddenResponse(overrides, request, operation, context)
  return response === original || response.case === overrideFailed
    ? response
    : withViolations(api, operation, response)
}

/** A response that may violate the contract, with its violations. */
function withViolations(
  { validator }: Api,
  operation: ContractOperation | undefined,
  response: ApiResponse,
): ApiResponse {
  const violations = operation ? validator.validateResponse(operation, response) : []
  return violations.length === 0 ? response : { ...response, violations }
}

/** Statuses of cases that a contract may leave out */
const undeclared: Readonly<Record<string, number>> = {
  'bad-request': 400,
  unauthenticated: 401,
  'invalid-authorization-header': 400,
  'invalid-credentials-format': 400,
}

/** The response to a refusal, in the contract's wording for its case. */
function refusalResponse(
  api: Api,
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
  const status = undeclared[name]
  if (status !== undefined) return plainError(status, name, reason)
  throw new Error(
    `${operation?.operationId ?? 'the request'} was refused with the case ${name}, which the contract does not define for it`,
  )
}

/** The 404 for paths that aren't in the contract, and the 405 for unsupported methods of its paths. */
function unroutedResponse(
  { contract }: Api,
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
