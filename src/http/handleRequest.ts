import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { holds } from '../contract/Condition.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import { loadSampler } from '../contract/sample.ts'
import { getValidator } from '../contract/validator/createValidator.ts'
import { getDelay, getResponseDelay, getSend } from '../faults/applyFault.ts'
import { pickDefined } from '../lib/json.ts'
import { service } from '../service/service.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../store/StorageError.ts'
import type { StepResult, Step } from '../store/Store.ts'
import { Refusal } from '../world/Refusal.ts'
import { realTime } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import { authenticate, type Credentials, readCredentials } from './credentials.ts'
import {
  type Api,
  violationResponse,
  evaluate,
  type Evaluation,
  handlers,
  type Progress,
  type Suspension,
} from './evaluate.ts'
import { overrideFailed } from './overrides.ts'
import { ReadCache } from './ReadCache.ts'
import { parseRequest, type ParsedRequest, findRoute } from './readRequest.ts'
import { type Exchange, createHeaders, createRecord } from './createRecord.ts'
import type { ApiResponse, Handler, WireRequest, WireResponse } from './Wire.ts'

/** The result of a step: the response, or what the evaluation needs before it is repeated. */
type Result = { response: WireResponse; fault: Fault | undefined } | Suspension

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
  const isRead = takesBody && arrival?.isRefused !== true
  const sent = isRead ? await wire.body(operation.maxBytes) : undefined
  const request = parseRequest(api.validator, wire, route, sent)
  const exchange: Exchange = { request, credentials, login: claimedLogin, started }

  try {
    if (operation?.authOptionalWhen) exchange.login = await anonymousLogin(simulation, request, claimedLogin)
    if (operation && !handlers[operation.operationId]) api.sampler ??= await loadSampler()
    let progress: Progress = {}
    for (;;) {
      const result = await store.transact<Result>(
        exchange.login,
        (world, real) => {
          const evaluation = evaluate(api, exchange, world, real, progress)
          if (!('response' in evaluation))
            return { value: evaluation, change: 'waitFor' in evaluation ? evaluation.counters : undefined }
          if (evaluation.world && exchange.login !== undefined)
            simulation.onResponse?.(exchange.login, evaluation.world, evaluation, (otherWorld) => {
              const selected = { ...progress, ...pickDefined({ fault: evaluation.fault }) }
              const again = evaluate(api, exchange, otherWorld, real, selected)
              return 'response' in again ? again : undefined
            })
          return conclude(simulation, exchange, evaluation, progress)
        },
        progress.worldBefore ?? arrival?.world,
      )
      if (!('response' in result)) progress = await resume(simulation, exchange, result, progress)
      else {
        const delay = getResponseDelay(result.fault)
        if (delay > 0) await wait(delay, wire)
        return result.response
      }
    }
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

/** Waits for the delay or the lookup that an evaluation needs. */
async function resume(
  { store }: Simulation,
  { request, login = '' }: Exchange,
  suspended: Suspension,
  progress: Progress,
): Promise<Progress> {
  const { world } = suspended
  if ('waitFor' in suspended) {
    await wait(getDelay(suspended.waitFor) ?? 0, request.wire)
    return { ...progress, fault: suspended.waitFor, worldBefore: world }
  }
  const worlds = progress.earlier?.current === world ? progress.earlier.worlds : []
  const earlier = await store.worldBeforeChanges(login, world, suspended.changesBack)
  return {
    ...progress,
    earlier: { current: world, worlds: new Map([...worlds, [suspended.changesBack, earlier]]) },
  }
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
  const owner = candidates.find(([, world]) => service.hasRequestedService(world, parameters))
  return (owner ?? candidates[0])?.[0] ?? login
}

/** Concludes an exchange: returns its response, change and record. */
function conclude(
  simulation: Simulation,
  exchange: Exchange,
  evaluation: Evaluation,
  { worldBefore }: Progress = {},
): StepResult<{ response: WireResponse; fault: Fault | undefined }> {
  const { request } = exchange
  const { response, change, counters, fault } = evaluation
  const { status, body, violations, forced, overridden } = response
  const fields = { operation: request.operation?.operationId, path: request.wire.url }
  if (violations && !forced && !overridden)
    simulation.log.error({ ...fields, violations }, 'a response broke the contract')
  if (response.case === overrideFailed) simulation.log.error(fields, response.reason)
  const headers = createHeaders(simulation, evaluation)
  const record = createRecord(exchange, evaluation, headers, worldBefore)
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
  const path = exchange.request.wire.url
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
    return step(undefined, realTime()).value.response
  }
}
