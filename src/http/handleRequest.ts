import type { ContractOperation } from '../contract/Contract.ts'
import { sample } from '../contract/sample.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { delay } from '../faults/delay.ts'
import { selectFault } from '../faults/selectFault.ts'
import { JournalRecord } from '../journal/Journal.ts'
import { operations } from '../operations/operations.ts'
import type { OperationResult, OperationInput, Operation } from '../operations/Operation.ts'
import type { Simulation } from '../Simulation.ts'
import { realTime, timeOf } from '../state/clock.ts'
import { StorageError } from '../storage/StorageError.ts'
import { Refusal } from '../world/Refusal.ts'
import type { Instant } from '../world/time.ts'
import { authenticate, type Authenticated } from './authenticate.ts'
import { broken } from './broken.ts'
import { cluesOf } from './cluesOf.ts'
import { forced } from './forced.ts'
import { parseBody } from './parseBody.ts'
import type { WireResponse, WireRequest } from './Wire.ts'
import { invalid, notAllowed, notFound, refused } from './refused.ts'
import type { ApiResponse } from './ApiResponse.ts'
import { secretsOf } from './secretsOf.ts'
import type { RequestContext } from './RequestContext.ts'

/**
 * The road of a request under `/api`, from top to bottom:
 * authenticate → route → parse → validate → fault → operation → apply → check the answer → close the entry → reply.
 * It takes a plain request and gives a plain reply, and it is the only one that writes.
 */
export async function handleRequest(simulation: Simulation, request: WireRequest): Promise<WireResponse> {
  const started = performance.now()
  const validator = simulation.ready ?? (await simulation.validator)
  const real = realTime()
  // From here to the world that is asked for, nothing comes between: both are of the same observations.
  const context: RequestContext = {
    request,
    observations: simulation.observations,
    started,
    // all fields from the start: an object that grows is a slow one
    operation: undefined,
    path: {},
    account: undefined,
    now: real,
    body: undefined,
    violations: [],
    fault: undefined,
    change: undefined,
  }
  let result: ApiResponse
  try {
    result = await answer(simulation, validator, context, real)
  } catch (error) {
    result = failed(simulation, context, error)
  }
  return close(simulation, validator, context, result)
}

async function answer(
  simulation: Simulation,
  validator: Validator,
  context: RequestContext,
  real: Instant,
): Promise<ApiResponse> {
  const { contract, store } = simulation
  const { request } = context
  const [pathname, query] = splitUrl(request.url)
  const match = contract.match(request.method, pathname)
  if (match && 'operation' in match) {
    context.operation = match.operation
    context.path = match.path
  }

  context.account = authenticate(request, store, context.operation, context.path)
  const { login, world } = context.account
  context.now = timeOf(world.clock, real)

  if (!match) return notFound(`there is no path ${pathname} in the contract`)
  if ('allow' in match) return notAllowed(request.method, match.allow)
  const { operation } = match

  const body = parseBody(operation, request, await request.body())
  context.body = body
  const violations = validator.request(operation, {
    path: context.path,
    query: operation.hasQuery ? new URLSearchParams(query) : undefined,
    headers: request.headers,
    bodyType: body.type,
    body: body.value,
  })
  const invalidPath = violations.find(({ in: place }) => place !== 'body')?.message
  const invalidBody = body.wrong ?? violations.find(({ in: place }) => place === 'body')?.message
  context.violations = [invalidPath, invalidBody].filter((one) => one !== undefined)

  const { fault, faults } = selectFault(world, {
    operation: operation.operationId,
    path: context.path,
    body: body.value,
  })
  if (faults) store.change(login, world, { faults })
  if (fault) {
    context.fault = fault
    if (fault.phase === 'before') {
      if (fault.delay !== undefined)
        await delay(fault.delay, anyOf(request.signal(), simulation.stopping.signal))
      if (fault.respond !== undefined || fault.drop !== undefined) {
        await store.flushed()
        return forced(operation, fault, context, undefined)
      }
    }
  }

  // A delay gave others time: what happens now happens by the clock of now.
  context.now = fault?.delay === undefined ? context.now : timeOf(world.clock, realTime())
  const input: OperationInput<never> = {
    path: () => (invalidPath === undefined ? context.path : invalid(operation, 'path', invalidPath)),
    body: () => (invalidBody === undefined ? body.value : invalid(operation, 'body', invalidBody)),
    invalidPath,
  }
  let result: ApiResponse
  try {
    const carried = carryOut(simulation, context, operation, input)
    result = carried instanceof Promise ? await carried : carried
    if (faults || context.change) await store.flushed()
  } catch (error) {
    if (!(error instanceof Refusal) || fault?.phase !== 'after') throw error
    result = refused(contract, operation, error)
  }
  if (fault?.phase !== 'after') return result
  if (fault.delay !== undefined) await delay(fault.delay, anyOf(request.signal(), simulation.stopping.signal))
  return fault.respond === undefined && fault.drop === undefined
    ? result
    : forced(operation, fault, context, result)
}

/** By operationId; an operation that nobody has written yet has none. */
const handlers = operations as unknown as Partial<Record<string, Operation<never>>>

/** Asks the operation, and applies the change that it makes. Nothing comes between the two. */
function carryOut(
  simulation: Simulation,
  context: RequestContext,
  operation: ContractOperation,
  input: OperationInput<never>,
): ApiResponse | Promise<ApiResponse> {
  const { login, world } = context.account as Authenticated
  const handler = handlers[operation.operationId]
  if (!handler) {
    input.path()
    input.body()
    return sample(operation, { seed: world.seed, asked: context.request.url, now: context.now }).then(
      (made) => success(made.status, made.type, made.body),
    )
  }
  const { body, type, change }: OperationResult<never> = handler(input, world, context.now)
  if (change && simulation.store.change(login, world, change)) context.change = change
  return success(200, type ?? Object.keys(operation.responses[200]?.content ?? {})[0], body)
}

function success(status: number, type: string | undefined, body: unknown): ApiResponse {
  if (body === undefined) return { status, type: undefined, body: '' }
  if (typeof body === 'string' && type?.startsWith('text/')) return { status, type, body }
  return { status, type, body: JSON.stringify(body), value: body }
}

/** Refusals that were thrown, and what went wrong on our side. */
function failed(simulation: Simulation, context: RequestContext, error: unknown): ApiResponse {
  if (error instanceof Refusal) {
    return guarded(simulation, context, () => refused(simulation.contract, context.operation, error))
  }
  context.change = undefined
  if (error instanceof StorageError) {
    simulation.log.error({ path: context.request.url }, error.message)
    return {
      status: 503,
      type: 'application/json',
      body: JSON.stringify({ error: error.message }),
      case: 'storage-failed',
      reason: error.message,
    }
  }
  return broken(simulation, context, [`the simulator failed: ${(error as Error).message}`], error)
}

function guarded(simulation: Simulation, context: RequestContext, make: () => ApiResponse): ApiResponse {
  try {
    return make()
  } catch (error) {
    return broken(simulation, context, [(error as Error).message], error)
  }
}

function close(
  simulation: Simulation,
  validator: Validator,
  context: RequestContext,
  given: ApiResponse,
): WireResponse {
  const { operation, request, account, now } = context
  let result = given
  if (operation && !given.forced && !given.isUnlisted && given.status < 500) {
    const violations = validator.response(operation, given)
    if (violations.length) result = broken(simulation, context, violations)
  } else if (operation && given.forced && given.drop === undefined)
    // A fault may break the contract, that is what it is for; the journal tells that it did.
    context.violations.push(...validator.response(operation, given))
  const headers: Record<string, string> = { date: httpDate(now), 'cache-control': 'no-store' }
  if (result.type !== undefined) headers['content-type'] = `${result.type}; charset=utf-8`
  if (result.status >= 400 && simulation.explain) {
    headers['sim-case'] = result.case ?? 'forced'
    headers['sim-reason'] = headerText(result.reason ?? '')
  }
  Object.assign(headers, result.headers)
  headers['content-length'] = String(Buffer.byteLength(result.body))

  const status = result.drop === undefined || result.drop === 'truncate' ? result.status : null
  if (operation && status !== null)
    context.observations.coverage.count(operation.operationId, status, result.case ?? null)
  const clues = cluesOf(context, result)
  clues.lost = result.drop !== undefined || (result.forced === true && context.change !== undefined)
  const record = new JournalRecord({
    id: simulation.nextRequestId(),
    time: now,
    account: account?.login ?? null,
    operation: operation?.operationId ?? null,
    method: request.method,
    path: request.url,
    status,
    case: result.case ?? null,
    reason: result.reason ?? null,
    forced: context.fault !== undefined && result.forced === true,
    durationMs: performance.now() - context.started,
    requestHeaders: context.observations.journal.sameHeaders(request.headers),
    requestBody: context.body?.text,
    responseHeaders: headers,
    responseBody: context.observations.journal.sameBody(request.url, result.body),
    change: context.change,
    violations: context.violations,
    secrets: secretsOf(context, simulation.store),
    clues,
  })
  context.observations.journal.add(record)
  if (context.observations === simulation.observations) simulation.emit({ type: 'request', record })
  return {
    status: result.status,
    headers,
    body: result.body,
    ...(result.drop && { drop: result.drop }),
    lost: () => {
      clues.lost = true
    },
  }
}

let lastDate = { second: -1, text: '' }

/** The Date header; requests of the same second share it. */
function httpDate(now: Instant): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}

function splitUrl(url: string): [string, string | undefined] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, undefined] : [url.slice(0, mark), url.slice(mark + 1)]
}

/** What a header can carry: printable ASCII, not too long. */
function headerText(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?').slice(0, 500)
}

function anyOf(...signals: AbortSignal[]): AbortSignal {
  return AbortSignal.any(signals)
}
