import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import type { OperationId } from '../contract/cases.gen.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import { getValidator, type Validator } from '../contract/validator/createValidator.ts'
import {
  delaysOperation,
  getChangesBehind,
  getDelay,
  getResponseDelay,
  getSend,
  replacesResponse,
  sendsOriginal,
} from '../faults/applyFault.ts'
import { selectFault } from '../faults/selectFault.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { operations, withStaleRecords } from '../service/index.ts'
import type { Operation } from '../service/operations/Operation.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../store/StorageError.ts'
import { noPast, type Past, type Step, type StepResult } from '../store/Store.ts'
import { getFaults, isExhausted } from '../world/faults.ts'
import { Refusal } from '../world/Refusal.ts'
import { getAccountTime, type Instant, realTime, toIsoString } from '../world/time.ts'
import type { Fault, World, WorldChange } from '../world/World.ts'
import { authenticate } from './authenticate.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import { exampleResult } from './examples.ts'
import { findRoute } from './findRoute.ts'
import type { RequestCheck } from './guards.ts'
import { type LoadedOverrides, overriddenResponse, overrideFailed } from './overrides.ts'
import { type ApiRequest, type ParsedRequest, parseRequest } from './parseRequest.ts'
import { ReadCache } from './ReadCache.ts'
import {
  createHeaders,
  type ExecutionResult,
  faultResponse,
  refusalResponse,
  resultResponse,
  tooManyRequests,
  unroutedResponse,
  violationResponse,
  withReason,
  withViolations,
} from './responses.ts'
import { batch, HttpRequest } from './serve.ts'
import type { ApiResponse, WireRequest, WireResponse } from './Wire.ts'

/*
 * The way of a request through the simulated API: guard → parse → transact (admit → perform → record) → send.
 */

/** The parts that all requests share. */
export interface Api {
  contract: Contract
  validator: Validator
  reads?: ReadCache
  overrides?: LoadedOverrides | undefined
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

/** A request to the API in the pipeline. */
export interface Exchange extends ApiRequest {
  wire: WireRequest
  /** The account that it affects, if authentication succeeds */
  login: string | undefined
  /** `performance.now()` at its arrival */
  started: number
  deadline: Deadline
}

/** Time by which a shared store must have responded, by `performance.now()` */
interface Deadline {
  at: number
}

/** A response, and when it is sent (`performance.now()`). */
interface Outcome {
  response: WireResponse
  sendAt: number
}

/** A request that a fault delays before its operation. */
interface DelayedRequest {
  admission: Admission
  fault: Fault
}

interface OperationHandler {
  run: (
    request: ParsedRequest,
    world: World,
    now: Instant,
  ) => ExecutionResult & { change?: WorldChange | undefined }
  dependsOnTime: Operation<OperationId>['dependsOnTime']
}

/** Operations by operationId. One without rules responds with the example of its contract. */
const handlers = operations as unknown as Partial<Record<string, OperationHandler>>

/** Handles the requests to the API. @param guard responds to requests that it refuses */
export function apiHandler(simulation: Simulation, guard: RequestCheck): RequestHandler {
  const { contract, overrides, stopping } = simulation
  const reads = new ReadCache()
  let api: Api | undefined
  const handle = batch(async (req, res) => {
    const request = new HttpRequest(req, res, stopping.signal)
    // The first request waits for the validator's library.
    api ??= { contract, validator: await getValidator(contract), reads, overrides }
    return handleRequest(simulation, api, request)
  })
  return (req, res, next) => {
    if (guard(req, res)) handle(req, res, next)
  }
}

/** Milliseconds that all calls of a shared store may take for a request, after its arrival and not counting its delay. */
const storeTimeout = 1900

async function handleRequest(simulation: Simulation, api: Api, wire: HttpRequest): Promise<void> {
  const started = performance.now()

  // Parse. The body of a request that is refused in any case isn't read.
  const route = findRoute(api.contract, wire)
  const { operation } = route
  const credentials = readCredentials(wire.headers['authorization'] as string | undefined)
  const login = credentials instanceof Refusal ? undefined : credentials.login
  const takesBody = operation && login !== undefined
  const deadline = { at: started + storeTimeout }
  const early =
    takesBody && !wire.hasArrived()
      ? await readAccountEarly(simulation, credentials, login, deadline.at)
      : undefined
  const reading = takesBody && early?.isRefused !== true ? wire.body(operation.maxBytes) : undefined
  const body = reading instanceof Promise ? await pausing(deadline, reading) : reading
  const request = parseRequest(api.validator, wire, route, body)
  const exchange: Exchange = { wire, request, credentials, login, started, deadline }

  let outcome: Outcome
  try {
    if (simulation.inject)
      exchange.injected = await pausing(deadline, simulation.inject(exchange, exchange.login))

    // Transact: admit, perform and record. A delay separates admitting from performing.
    const admitted = await simulation.store.transact<Outcome | DelayedRequest>(
      exchange.login,
      (world, real, past) => {
        const admission = admit(api, exchange, world, real, past)
        if ('response' in admission) return record(simulation, exchange, admission)
        const { fault, counters } = admission
        if (delaysOperation(fault)) return { value: { admission, fault }, change: counters } // counts at its arrival
        return performAndRecord(simulation, api, exchange, admission, { real, past })
      },
      {
        arrivedIn: early?.world,
        lookBack: operation && !operation.changesState ? (world) => lookBack(operation, world) : undefined,
        deadline: deadline.at,
      },
    )
    outcome = 'response' in admitted ? admitted : await performLater(simulation, api, exchange, admitted)
  } catch (error) {
    outcome = await recordFailure(simulation, exchange, error)
  }

  // Send.
  await wait(outcome.sendAt - performance.now(), exchange)
  await wire.send(outcome.response)
}

/*
 * Parse
 */

/**
 * Reads the account of a request before its body has arrived. If the account is replaced in the meantime, the request doesn't
 * change the new one.
 */
async function readAccountEarly(
  { store }: Simulation,
  credentials: Credentials | Refusal,
  login: string | undefined,
  deadline: number,
): Promise<{ world: World | undefined; isRefused: boolean }> {
  try {
    const world = login === undefined ? undefined : await store.world(login, { deadline })
    return { world, isRefused: authenticate(credentials, world) !== undefined }
  } catch {
    return { world: undefined, isRefused: false } // the response will give the reason
  }
}

/*
 * Admit
 */

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
  const refusal = authenticate(credentials, world)
  if (!world || refusal)
    return { response: refusalResponse(api, request, refusal as Refusal, world), world: undefined, now }
  const limits = world.limits.requests && countRequest(world.limits.requests, now)
  if (typeof limits === 'number')
    return { response: withViolations(api, operation, tooManyRequests(world, limits)), world, now }
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

/** Counts a request. @returns the change of the counter; if the limit is exceeded, the seconds until the window ends */
function countRequest(
  { count, per, since, used = 0 }: NonNullable<World['limits']['requests']>,
  now: Instant,
): WorldChange | number {
  const start = Date.parse(since ?? '') // NaN before the first request, which starts a window
  const end = start + per * 1000
  if (!(start <= now && now < end)) return { limits: { requests: { since: toIsoString(now), used: 1 } } }
  if (used < count) return { limits: { requests: { used: used + 1 } } }
  return Math.max(1, Math.ceil((end - now) / 1000))
}

/*
 * Perform
 */

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
  if (forcing?.phase === 'before' && (operation.changesState || !sendsOriginal(forcing)))
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

/** Executes the operation: returns its response, and the change to the world. */
function execute(
  api: Api,
  request: ParsedRequest,
  operation: ContractOperation,
  world: World,
  now: Instant,
): Pick<Evaluation, 'response' | 'change'> {
  const { url } = request.head
  const handler: OperationHandler = handlers[operation.operationId] ?? {
    run: () => exampleResult(operation) as ExecutionResult,
    dependsOnTime: true,
  }
  const isCacheable =
    handler.dependsOnTime === false && operation.bodyTypes.length === 0 && request.violations.length === 0
  const reads = isCacheable ? api.reads : undefined
  const cached = reads?.get(world, url)
  if (cached) return { response: cached }
  try {
    const result = handler.run(request, world, now)
    const response = resultResponse(api, operation, result, world)
    if (response.violations) return { response } // an invalid response changes nothing
    if (!result.change) reads?.set(world, url, response)
    return { response, change: result.change }
  } catch (error) {
    if (error instanceof Refusal) return { response: refusalResponse(api, request, error, world) }
    throw error
  }
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

/** Performs a delayed request after its delay, in the world as it is then. */
async function performLater(
  simulation: Simulation,
  api: Api,
  exchange: Exchange,
  { admission, fault }: DelayedRequest,
): Promise<Outcome> {
  const { world: arrivedIn } = admission
  await pausing(exchange.deadline, wait(getDelay(fault) ?? 0, exchange))
  return simulation.store.transact<Outcome>(
    exchange.login,
    (world = arrivedIn, real, past) => {
      const now = getAccountTime(world.clock, real)
      const admitted = { ...admission, world, now, counters: undefined }
      const delayedBy = admission.counters?.faults ? fault.id : undefined
      return performAndRecord(simulation, api, exchange, admitted, { real, past, delayedBy })
    },
    {
      arrivedIn,
      lookBack: () => [fault].flatMap((one) => getChangesBehind(one) ?? []),
      deadline: exchange.deadline.at,
    },
  )
}

/** Waits for something that doesn't count towards the deadline. */
async function pausing<T>(deadline: Deadline, waiting: Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await waiting
  } finally {
    deadline.at += performance.now() - began
  }
}

/** Waits for this time, or until the client disconnects. Timers may end almost a millisecond early. */
async function wait(milliseconds: number, { wire }: Exchange): Promise<void> {
  if (milliseconds > 0)
    await sleep(milliseconds + 1, undefined, { signal: wire.signal() }).catch(() => undefined)
}

/** @param context `delayedBy`: id of the fault that delayed the request */
function performAndRecord(
  simulation: Simulation,
  api: Api,
  exchange: Exchange,
  admission: Admission,
  { real, past, delayedBy }: { real: Instant; past: Past; delayedBy?: number | undefined },
): StepResult<Outcome> {
  const evaluation = perform(api, exchange, admission, real, past)
  return record(simulation, exchange, evaluation, delayedBy)
}

/*
 * Record
 */

/** The response, change and record of an exchange. */
function record(
  simulation: Simulation,
  exchange: Exchange,
  evaluation: Evaluation,
  delayedBy?: number,
): StepResult<Outcome> {
  const { response, change, counters, fault } = evaluation
  const { status, body, violations, forced, overridden } = response
  if (violations && !forced && !overridden)
    simulation.log.error({ ...logFields(exchange), violations }, 'a response broke the contract')
  if (response.case === overrideFailed) simulation.log.error(logFields(exchange), response.reason)
  const headers = createHeaders(simulation, response, evaluation.now, forced === true && fault !== undefined)
  const journalRecord = createRecord(exchange, evaluation, headers, delayedBy)
  if (exchange.injected) exchange.injected.record = journalRecord
  return {
    value: {
      response: {
        status,
        headers,
        body,
        send: fault && getSend(fault),
        onUndelivered: (endedAt) => simulation.store.markUndelivered(journalRecord, timeOrigin + endedAt),
      },
      sendAt: journalRecord.at - timeOrigin,
    },
    change: counters ? { ...change, ...counters } : change,
    record: journalRecord,
  }
}

function logFields({ request }: Exchange): object {
  return { operation: request.operation?.operationId, path: request.head.url }
}

/** Maximum number of characters of a recorded body. Of longer ones, the length is recorded, and the beginning if it doesn't parse. */
const maxBody = 32 * 1024

/** Milliseconds in which connections that were opened while this thread was busy are accepted. */
const acceptDelay = 30

const noViolations: readonly string[] = []
const { timeOrigin } = performance // Node's own value, which a test's fake timers don't replace

/** The record of an exchange that has ended. Journal, coverage, findings and events are based on it alone. */
function createRecord(
  { wire, request, login, started }: Exchange,
  { response, world, now, change, counters, fault }: Evaluation,
  headers: WireResponse['headers'],
  delayedBy: number | undefined,
): JournalRecord {
  const { operation, isUnreadable, pathViolation, bodyViolation } = request
  const { status, body, forced = false, received, violations = noViolations } = response
  // A fault or an override may replace the response to a change with an error.
  const isUndelivered = received !== undefined || (change !== undefined && (forced || status >= 400))
  const delay = getEvidenceDelay(wire, { status, headers, change, isUndelivered })
  const ended = endAfter(started, fault ? getResponseDelay(fault) : 0, delay)
  const text = world && request.text
  const isLongRequest = text !== undefined && text.length > maxBody
  const isLongResponse = body.length > maxBody
  const isInvalid = world && (pathViolation ?? bodyViolation) !== undefined
  return {
    id: 0, // the store assigns it
    before: world,
    origin: world?.origin,
    version: world?.version ?? null,
    delayedBy,
    time: now,
    account: world ? (login ?? null) : null,
    operation: operation?.operationId ?? null,
    method: wire.method,
    path: wire.url,
    status: received === 'nothing' ? null : status,
    case: response.case ?? null,
    reason: response.reason ?? null,
    forced,
    overridden: response.overridden,
    durationMs: ended - started,
    requestHeaders: wire.headers,
    requestBody: isLongRequest ? (request.json === undefined ? copyStart(text) : undefined) : text,
    bodyDigest: world || request.text === undefined ? undefined : hash('sha256', request.text),
    isBodyUnreadable: world && isUnreadable,
    responseHeaders: headers,
    responseBody: isLongResponse ? undefined : body,
    omitted:
      isLongRequest || isLongResponse
        ? {
            request: isLongRequest ? text.length : undefined,
            response: isLongResponse ? body.length : undefined,
          }
        : undefined,
    change,
    countsFaults: fault !== undefined || counters !== undefined,
    violations: isInvalid
      ? [pathViolation, bodyViolation, ...violations].filter((one) => one !== undefined)
      : violations,
    at: timeOrigin + ended,
    connectedAt: wire.arrival.connectedAt,
    arrivedAt: wire.arrival.arrivedAt,
    position: wire.arrival.position,
    isUndelivered,
    entry: undefined,
  }
}

/** When a response is due: after a fault's delay from now, and so long after the arrival of its request that its delay is evidence. */
function endAfter(started: number, faultDelay: number, evidenceDelay: number): number {
  const now = performance.now()
  const evident = evidenceDelay && Math.max(started + evidenceDelay, now + acceptDelay)
  return Math.max(now + faultDelay, evident)
}

/**
 * Milliseconds from the arrival of a request to its response, if findings depend on which requests were sent after it: requests that
 * were sent at the same time arrive before. What asks to wait or loses a change is sent so late that this holds for any connection; a
 * GET that changes something, so late that it holds for new connections. @returns 0 for other responses
 */
function getEvidenceDelay(
  { method }: WireRequest,
  {
    status,
    headers,
    change,
    isUndelivered,
  }: Pick<JournalRecord, 'status' | 'change' | 'isUndelivered'> & Pick<WireResponse, 'headers'>,
): number {
  if (status === 429 || headers['retry-after'] !== undefined) return 100
  if (change === undefined) return 0
  return isUndelivered ? 100 : method === 'GET' ? acceptDelay : 0
}

/** The beginning of a text. V8 would keep all of it in memory for a slice. */
function copyStart(text: string): string {
  return Buffer.from(text.slice(0, maxBody)).toString()
}

/** Responds to an error of the simulator itself, and records it unless the journal itself fails. */
async function recordFailure(simulation: Simulation, exchange: Exchange, error: unknown): Promise<Outcome> {
  const { message } = error as Error
  const path = exchange.request.head.url
  let response: ApiResponse
  if (error instanceof StorageError) {
    simulation.log.error({ path }, message)
    const body = JSON.stringify({ error: message })
    response = { status: 503, contentType: 'application/json', body, case: 'storage-failed', reason: message }
  } else {
    simulation.log.error({ path, err: error }, 'a request failed')
    response = violationResponse([`the simulator failed: ${message}`])
  }
  // The account may be another one than the one that the request was for.
  const step: Step<Outcome> = (current, now) => {
    const world = authenticate(exchange.credentials, current) ? undefined : current
    return record(simulation, exchange, { response, world, now })
  }
  try {
    return await simulation.store.transact(exchange.login, step, { deadline: exchange.deadline.at })
  } catch {
    return step(undefined, realTime(), noPast).value
  }
}
