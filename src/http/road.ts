import type { ContractOperation } from '../contract/Contract.ts'
import { sample } from '../contract/sample.ts'
import type { Validator } from '../contract/validate.ts'
import { delay } from '../faults/delay.ts'
import { selectFault } from '../faults/selectFault.ts'
import { Kept } from '../journal/Journal.ts'
import { operations } from '../operations/operations.ts'
import type { Answer, Asked, Operation } from '../operations/Operation.ts'
import type { Simulation } from '../Simulation.ts'
import { realTime, timeOf } from '../state/clock.ts'
import { StorageError } from '../state/file/StorageError.ts'
import { Refusal } from '../world/Refusal.ts'
import type { Instant } from '../world/time.ts'
import { authenticate, type Authenticated } from './authenticate.ts'
import { broken } from './broken.ts'
import { cluesOf } from './cluesOf.ts'
import { forced } from './forced.ts'
import { parseBody } from './parseBody.ts'
import type { PlainReply, PlainRequest } from './Plain.ts'
import { invalid, notAllowed, notFound, refused } from './refused.ts'
import type { Result } from './Result.ts'
import { secretsOf } from './secretsOf.ts'
import type { Trip } from './Trip.ts'

/**
 * The road of a request under `/api`, from top to bottom:
 * authenticate → route → parse → validate → fault → operation → apply → check the answer → close the entry → reply.
 * It takes a plain request and gives a plain reply, and it is the only one that writes.
 */
export async function road(simulation: Simulation, request: PlainRequest): Promise<PlainReply> {
  const started = performance.now()
  const validator = simulation.ready ?? (await simulation.validator)
  const real = realTime()
  // From here to the world that is asked for, nothing comes between: both are of the same run.
  const trip: Trip = {
    request,
    run: simulation.run,
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
  let result: Result
  try {
    result = await answer(simulation, validator, trip, real)
  } catch (error) {
    result = failed(simulation, trip, error)
  }
  return close(simulation, validator, trip, result)
}

async function answer(
  simulation: Simulation,
  validator: Validator,
  trip: Trip,
  real: Instant,
): Promise<Result> {
  const { contract, store } = simulation
  const { request } = trip
  const [pathname, query] = splitUrl(request.url)
  const match = contract.match(request.method, pathname)
  if (match && 'operation' in match) {
    trip.operation = match.operation
    trip.path = match.path
  }

  trip.account = authenticate(request, store, trip.operation, trip.path)
  const { login, world } = trip.account
  trip.now = timeOf(world.clock, real)

  if (!match) return notFound(`there is no path ${pathname} in the contract`)
  if ('allow' in match) return notAllowed(request.method, match.allow)
  const { operation } = match

  const body = parseBody(operation, request, await request.body())
  trip.body = body
  const violations = validator.request(operation, {
    path: trip.path,
    query: operation.hasQuery ? new URLSearchParams(query) : undefined,
    headers: request.headers,
    bodyType: body.type,
    body: body.value,
  })
  const invalidPath = violations.find(({ in: place }) => place !== 'body')?.message
  const invalidBody = body.wrong ?? violations.find(({ in: place }) => place === 'body')?.message
  trip.violations = [invalidPath, invalidBody].filter((one) => one !== undefined)

  const { fault, faults } = selectFault(world, {
    operation: operation.operationId,
    path: trip.path,
    body: body.value,
  })
  if (faults) store.change(login, world, { faults })
  if (fault) {
    trip.fault = fault
    if (fault.phase === 'before') {
      if (fault.delay !== undefined)
        await delay(fault.delay, anyOf(request.signal(), simulation.stopping.signal))
      if (fault.respond !== undefined || fault.drop !== undefined) {
        await store.flushed()
        return forced(operation, fault, trip, undefined)
      }
    }
  }

  // A delay gave others time: what happens now happens by the clock of now.
  trip.now = fault?.delay === undefined ? trip.now : timeOf(world.clock, realTime())
  const asked: Asked<never> = {
    path: () => (invalidPath === undefined ? trip.path : invalid(operation, 'path', invalidPath)),
    body: () => (invalidBody === undefined ? body.value : invalid(operation, 'body', invalidBody)),
    invalidPath,
  }
  let result: Result
  try {
    const carried = carryOut(simulation, trip, operation, asked)
    result = carried instanceof Promise ? await carried : carried
    if (faults || trip.change) await store.flushed()
  } catch (error) {
    if (!(error instanceof Refusal) || fault?.phase !== 'after') throw error
    result = refused(contract, operation, error)
  }
  if (fault?.phase !== 'after') return result
  if (fault.delay !== undefined) await delay(fault.delay, anyOf(request.signal(), simulation.stopping.signal))
  return fault.respond === undefined && fault.drop === undefined
    ? result
    : forced(operation, fault, trip, result)
}

/** By operationId; an operation that nobody has written yet has none. */
const handlers = operations as unknown as Partial<Record<string, Operation<never>>>

/** Asks the operation, and applies the change that it makes. Nothing comes between the two. */
function carryOut(
  simulation: Simulation,
  trip: Trip,
  operation: ContractOperation,
  asked: Asked<never>,
): Result | Promise<Result> {
  const { login, world } = trip.account as Authenticated
  const handler = handlers[operation.operationId]
  if (!handler) {
    asked.path()
    asked.body()
    return sample(operation, { seed: world.seed, asked: trip.request.url, now: trip.now }).then((made) =>
      success(made.status, made.type, made.body),
    )
  }
  const { body, type, change }: Answer<never> = handler(asked, world, trip.now)
  if (change && simulation.store.change(login, world, change)) trip.change = change
  return success(200, type ?? Object.keys(operation.responses[200]?.content ?? {})[0], body)
}

function success(status: number, type: string | undefined, body: unknown): Result {
  if (body === undefined) return { status, type: undefined, body: '' }
  if (typeof body === 'string' && type?.startsWith('text/')) return { status, type, body }
  return { status, type, body: JSON.stringify(body), value: body }
}

/** Refusals that were thrown, and what went wrong on our side. */
function failed(simulation: Simulation, trip: Trip, error: unknown): Result {
  if (error instanceof Refusal) {
    return guarded(simulation, trip, () => refused(simulation.contract, trip.operation, error))
  }
  trip.change = undefined
  if (error instanceof StorageError) {
    simulation.log.error({ path: trip.request.url }, error.message)
    return {
      status: 503,
      type: 'application/json',
      body: JSON.stringify({ error: error.message }),
      case: 'storage-failed',
      reason: error.message,
    }
  }
  return broken(simulation, trip, [`the simulator failed: ${(error as Error).message}`], error)
}

function guarded(simulation: Simulation, trip: Trip, make: () => Result): Result {
  try {
    return make()
  } catch (error) {
    return broken(simulation, trip, [(error as Error).message], error)
  }
}

function close(simulation: Simulation, validator: Validator, trip: Trip, given: Result): PlainReply {
  const { operation, request, account, now } = trip
  let result = given
  if (operation && !given.forced && !given.isUnlisted && given.status < 500) {
    const violations = validator.response(operation, given)
    if (violations.length) result = broken(simulation, trip, violations)
  } else if (operation && given.forced && given.drop === undefined)
    // A fault may break the contract, that is what it is for; the journal tells that it did.
    trip.violations.push(...validator.response(operation, given))
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
    trip.run.coverage.count(operation.operationId, status, result.case ?? null)
  const clues = cluesOf(trip, result)
  clues.lost = result.drop !== undefined || (result.forced === true && trip.change !== undefined)
  const kept = new Kept({
    id: simulation.nextRequestId(),
    time: now,
    account: account?.login ?? null,
    operation: operation?.operationId ?? null,
    method: request.method,
    path: request.url,
    status,
    case: result.case ?? null,
    reason: result.reason ?? null,
    forced: trip.fault !== undefined && result.forced === true,
    durationMs: performance.now() - trip.started,
    requestHeaders: trip.run.journal.sameHeaders(request.headers),
    requestBody: trip.body?.text,
    responseHeaders: headers,
    responseBody: trip.run.journal.sameBody(request.url, result.body),
    change: trip.change,
    violations: trip.violations,
    secrets: secretsOf(trip),
    clues,
  })
  trip.run.journal.add(kept)
  if (trip.run === simulation.run) simulation.emit({ type: 'request', kept })
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
