import { STATUS_CODES } from 'node:http'
import { caseReply, findCase } from '../contract/caseReply.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Sampler } from '../contract/sample.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import {
  getChangesBehind,
  getDelay,
  forcedResponse,
  faultReason,
  replacesResponse,
} from '../faults/applyFault.ts'
import { selectFault } from '../faults/selectFault.ts'
import { counted } from '../lib/text.ts'
import { service } from '../service/service.ts'
import { Refusal } from '../world/Refusal.ts'
import { type Instant, toIsoString, getAccountTime } from '../world/time.ts'
import type { Fault, World, WorldChange } from '../world/World.ts'
import { authenticate, type Credentials } from './credentials.ts'
import { type LoadedOverrides, overriddenResponse, overrideFailed } from './overrides.ts'
import type { ReadCache } from './ReadCache.ts'
import type { ParsedRequest } from './readRequest.ts'
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

/** An evaluation that has to wait for a delay or a lookup. It is then repeated with the result. */
export type Suspension =
  /** The fault whose delay must end; its counters are committed first */
  | { waitFor: Fault; world: World; counters: WorldChange | undefined }
  /** How many changes by requests to go back for the world that a `stale` fault shows */
  | { changesBack: number; world: World }

/** Earlier versions of a world. */
export interface EarlierWorlds {
  current: World
  /** Worlds by the number of changes by requests since; undefined if the history doesn't go back that far */
  worlds: ReadonlyMap<number, World | undefined>
}

/** The results of earlier evaluations of the same request. */
export interface Progress {
  /** The fault whose delay has ended, and the world in which it was selected */
  fault?: Fault
  worldBefore?: World
  earlier?: EarlierWorlds
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

/** Handlers by operationId. An operation without a handler responds with a generated sample. */
export const handlers = service.operations as unknown as Partial<
  Record<string, (request: ParsedRequest, world: World, now: Instant) => ExecutionResult>
>

/**
 * Evaluates a request: authenticate → limit → route → fault → operation → override → validate.
 * @param real the real time, from which the account's time follows
 */
export function evaluate(
  api: Api,
  { request, credentials }: ApiRequest,
  world: World | undefined,
  real: Instant,
  progress: Progress = {},
): Evaluation | Suspension {
  const { operation } = request
  const now = world ? getAccountTime(world.clock, real) : real
  const refusal = authenticate(operation, credentials, world)
  if (!world || refusal)
    return { response: refusalResponse(api, request, refusal as Refusal, world), world: undefined, now }
  // A delayed request was counted before its delay.
  const { counters: limits, response: tooMany } = progress.fault ? {} : countRequest(world, now)
  if (tooMany) return { response: withViolations(api, operation, tooMany), world, now }
  if (!operation) return { response: unroutedResponse(request), world, now, counters: limits }

  const selection = selectFaultFor(request, operation, world, progress)
  if ('changesBack' in selection) return selection
  const { fault } = selection
  const counters = limits ? { ...selection.counters, ...limits } : selection.counters
  if (fault?.phase === 'before' && !progress.fault && getDelay(fault) !== undefined)
    return { waitFor: fault, world, counters }
  const forcing = fault && replacesResponse(fault) ? fault : undefined
  if (forcing?.phase === 'before')
    return { response: faultResponse(api, request, forcing, world, now), world, now, fault, counters }

  const earlier = fault && earlierWorld(fault, progress)
  const source = earlier ? service.withStaleRecords(world, earlier) : world
  const executed = execute(api, request, operation, source, now)
  const { change } = executed
  const explained = earlier ? withReason(executed.response, fault) : executed.response
  const response = api.overrides
    ? applyOverride(api, api.overrides, request, operation, { original: explained, world: source, now, real })
    : explained
  const sent = forcing ? faultResponse(api, request, forcing, world, now, response) : response
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
      ? `, but the clock stands still (it is frozen); proxysim clock --advance PT${wait}S moves it`
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

/** Selects the fault that triggers, unless an earlier evaluation selected it. */
function selectFaultFor(
  { parameters, json }: ParsedRequest,
  { operationId, changesState }: ContractOperation,
  world: World,
  { fault: selected, earlier }: Progress,
): Extract<Suspension, { changesBack: number }> | Pick<Evaluation, 'fault' | 'counters'> {
  if (!selected && world.faults.length === 0) return {}
  const isSameWorld =
    earlier?.current.version === world.version && earlier.current.origin.load === world.origin.load
  const worlds: EarlierWorlds['worlds'] = isSameWorld ? earlier.worlds : new Map()
  if (selected) {
    const changes = getChangesBehind(selected)
    return changes === undefined || worlds.has(changes)
      ? { fault: selected }
      : { changesBack: changes, world }
  }
  let changesBack: number | undefined
  const request = { operation: operationId, path: parameters, body: json }
  const { fault, faultCounts } = selectFault(world, request, (one) => {
    const changes = getChangesBehind(one)
    if (changes === undefined) return true
    if (changesState) return false
    if (worlds.has(changes)) return worlds.get(changes) !== undefined
    changesBack ??= changes
    return false
  })
  if (changesBack !== undefined) return { changesBack, world }
  return { fault, counters: faultCounts && { faultCounts } }
}

/** The earlier world whose records a fault responds with; undefined for the current world, or if the world is no longer available. */
function earlierWorld(fault: Fault, { earlier }: Progress): World | undefined {
  const changes = getChangesBehind(fault)
  return changes === undefined ? undefined : earlier?.worlds.get(changes)
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
  const { url } = request.wire
  const handler = handlers[operation.operationId]
  const reads =
    service.cacheableOperations.has(operation.operationId) && request.violations.length === 0
      ? api.reads
      : undefined
  const cached = reads?.get(world, url)
  if (cached) return { response: cached }
  try {
    const result = handler ? handler(request, world, now) : generateSample(api, request, operation, world)
    const { status = 200, body, change } = result
    const { content = {} } = operation.responses[status] ?? {}
    const { contentType = Object.keys(content)[0] } = result
    const value = service.formatNumbers(body, content, world)
    const response = checkResponse(api, operation, createResponse(status, contentType, value))
    if (response.violations) return { response } // an invalid response changes nothing
    reads?.set(world, url, response)
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
  return (sampler as Sampler)(operation, { seed, url: request.wire.url })
}

function createResponse(status: number, contentType: string | undefined, value: unknown): ApiResponse {
  if (value === undefined) return { status, contentType: undefined, body: '' }
  if (typeof value === 'string' && contentType?.startsWith('text/'))
    return { status, contentType, body: value }
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
  request: ParsedRequest,
  fault: Fault,
  world: World,
  now: Instant,
  original?: ApiResponse,
): ApiResponse {
  const operation = request.operation as ContractOperation
  const caseResponse = (name: string) => {
    const contractCase = findCase(operation, name, world)
    if (!contractCase) throw new Error(`${operation.operationId} has no case ${name}`)
    return { ...caseReply(contractCase, service.caseValues(world, now)), case: name }
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
function unroutedResponse({ allow, wire: { method }, pathname }: ParsedRequest): ApiResponse {
  if (!allow) return plainError(404, 'not-found', `there is no path ${pathname} in the contract`)
  const methods = allow.join(', ')
  const reason = `${method} is not one of the methods of this path (${methods})`
  return { ...plainError(405, 'method-not-allowed', reason), headers: { allow: methods } }
}

function plainError(status: number, name: string, reason: string): ApiResponse {
  const body = JSON.stringify({ error: `${STATUS_CODES[status]}: ${reason}` })
  return { status, contentType: 'application/json', body, case: name, reason }
}
