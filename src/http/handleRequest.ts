import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { holds } from '../contract/Condition.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import { loadSampler } from '../contract/sample.ts'
import { getValidator } from '../contract/validator/createValidator.ts'
import {
  delaysOperation,
  getChangesBehind,
  getDelay,
  getResponseDelay,
  getSend,
} from '../faults/applyFault.ts'
import { hasRequestedRecord } from '../service/index.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../store/StorageError.ts'
import { noPast, type Past, type StepResult, type Step } from '../store/Store.ts'
import { Refusal } from '../world/Refusal.ts'
import { getAccountTime, type Instant, realTime } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import { authenticate, type Credentials, readCredentials } from './credentials.ts'
import {
  type Admission,
  admit,
  type Api,
  type Evaluation,
  handlers,
  lookBack,
  perform,
  violationResponse,
} from './evaluate.ts'
import { overrideFailed } from './overrides.ts'
import { ReadCache } from './ReadCache.ts'
import { parseRequest, type ParsedRequest, findRoute } from './readRequest.ts'
import { type Exchange, createHeaders, createRecord } from './createRecord.ts'
import type { ApiResponse, Handler, WireRequest, WireResponse } from './Wire.ts'

interface Result {
  response: WireResponse
  fault: Fault | undefined
}

/** A request that a fault delays before its operation. */
interface DelayedRequest {
  admission: Admission
  fault: Fault
}

/** The simulated API. */
export function apiHandler(simulation: Simulation): Handler {
  const { contract, overrides } = simulation
  const reads = new ReadCache()
  let api: Api | undefined
  return async (wire) => {
    const started = performance.now()
    // The first request waits for the validator's library.
    api ??= { contract, validator: await getValidator(contract), reads, sampler: undefined, overrides }
    return handleRequest(simulation, api, wire, started)
  }
}

/** The pipeline of every request: route → read → evaluate in the current world → commit and record. */
async function handleRequest(
  simulation: Simulation,
  api: Api,
  wire: WireRequest,
  started: number,
): Promise<WireResponse> {
  const { store } = simulation
  const route = findRoute(api.contract, wire)
  const credentials = readCredentials(wire.headers['authorization'] as string | undefined)
  const claimedLogin = credentials instanceof Refusal ? undefined : credentials.login
  const { operation } = route
  // The body of a request that is refused in any case isn't read.
  const takesBody = operation && (claimedLogin !== undefined || operation.authOptionalWhen !== undefined)
  const arrival =
    takesBody && !wire.hasArrived()
      ? await readAccountEarly(simulation, operation, credentials, claimedLogin)
      : undefined
  const sent = takesBody && !arrival?.isRefused ? await wire.body(operation.maxBytes) : undefined
  const request = parseRequest(api.validator, wire, route, sent)
  const exchange: Exchange = { wire, request, credentials, login: claimedLogin, started }

  try {
    if (operation?.authOptionalWhen) exchange.login = await anonymousLogin(simulation, request, claimedLogin)
    if (operation && !handlers[operation.operationId]) api.sampler ??= await loadSampler(api.validator)
    if (simulation.inject) exchange.injected = await simulation.inject(exchange, exchange.login)
    const finish = (admission: Admission | Evaluation, real: Instant, past: Past, worldBefore?: World) => {
      const evaluation = 'response' in admission ? admission : perform(api, exchange, admission, real, past)
      return conclude(simulation, exchange, evaluation, worldBefore)
    }
    const performLater = async ({ admission, fault }: DelayedRequest): Promise<Result> => {
      const { world: worldBefore } = admission
      await wait(getDelay(fault) ?? 0, wire)
      return store.transact<Result>(
        exchange.login,
        (world = worldBefore, real, past) => {
          const now = getAccountTime(world.clock, real)
          return finish({ ...admission, world, now, counters: undefined }, real, past, worldBefore)
        },
        worldBefore,
        () => [fault].flatMap((one) => getChangesBehind(one) ?? []),
      )
    }
    const admitted = await store.transact<Result | DelayedRequest>(
      exchange.login,
      (world, real, past) => {
        const admission = admit(api, exchange, world, real, past)
        const fault = 'response' in admission ? undefined : admission.fault
        if (!delaysOperation(fault)) return finish(admission, real, past)
        // It counts at its arrival.
        return { value: { admission: admission as Admission, fault }, change: admission.counters }
      },
      arrival?.world,
      (world) => lookBack(operation, world),
    )
    const result = 'response' in admitted ? admitted : await performLater(admitted)
    const responseDelay = getResponseDelay(result.fault)
    if (responseDelay > 0) await wait(responseDelay, wire)
    return result.response
  } catch (error) {
    return fail(simulation, exchange, error)
  }
}

/**
 * Reads the account of a request before its body has arrived. If the account is replaced in the meantime, the request doesn't
 * change the new one.
 */
async function readAccountEarly(
  { store }: Simulation,
  operation: ContractOperation,
  credentials: Credentials | Refusal,
  login: string | undefined,
): Promise<{ world: World | undefined; isRefused: boolean }> {
  try {
    const world = login === undefined ? undefined : await store.world(login)
    const mayBeAnonymous = operation.authOptionalWhen !== undefined && operation.bodyTypes.length > 0
    return { world, isRefused: !mayBeAnonymous && authenticate(operation, credentials, world) !== undefined }
  } catch {
    return { world: undefined, isRefused: false } // the response will give the reason
  }
}

/** Waits for this time, or until the client disconnects. */
async function wait(milliseconds: number, wire: WireRequest): Promise<void> {
  await sleep(milliseconds, undefined, { signal: wire.signal() }).catch(() => undefined)
}

/**
 * The account of a request: the one in its credentials, or else one that allows anonymous access to the
 * operation, preferably the owner of the requested service.
 */
async function anonymousLogin(
  { store }: Simulation,
  { operation, parameters }: ParsedRequest,
  login: string | undefined,
): Promise<string | undefined> {
  if (login !== undefined && (await store.world(login))) return login
  const condition = operation?.authOptionalWhen
  const candidates = [...(await store.state('authOptional')).accounts].filter(([, world]) =>
    holds(condition, world),
  )
  const owner = candidates.find(([, world]) => hasRequestedRecord(world, parameters))
  return (owner ?? candidates[0])?.[0] ?? login
}

/** Concludes an exchange: returns its response, change and record. */
function conclude(
  simulation: Simulation,
  exchange: Exchange,
  evaluation: Evaluation,
  worldBefore?: World,
): StepResult<{ response: WireResponse; fault: Fault | undefined }> {
  const { request } = exchange
  const { response, change, counters, fault } = evaluation
  const { status, body, violations, forced, overridden } = response
  const fields = { operation: request.operation?.operationId, path: request.head.url }
  if (violations && !forced && !overridden)
    simulation.log.error({ ...fields, violations }, 'a response broke the contract')
  if (response.case === overrideFailed) simulation.log.error(fields, response.reason)
  const headers = createHeaders(simulation, evaluation)
  const record = createRecord(exchange, evaluation, headers, worldBefore)
  if (exchange.injected) exchange.injected.record = record
  return {
    value: {
      response: {
        status,
        headers,
        body,
        send: fault && getSend(fault),
        onUndelivered: (endedAt) =>
          simulation.store.markUndelivered(record, performance.timeOrigin + endedAt),
      },
      fault,
    },
    change: counters ? { ...change, ...counters } : change,
    record,
  }
}

/** Responds to an error of the simulator itself, and records it unless the journal itself fails. */
async function fail(simulation: Simulation, exchange: Exchange, error: unknown): Promise<WireResponse> {
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
  const step: Step<{ response: WireResponse }> = (world, now) =>
    conclude(simulation, exchange, { response, world, now })
  try {
    return (await simulation.store.transact(exchange.login, step)).response
  } catch {
    return step(undefined, realTime(), noPast).value.response
  }
}
