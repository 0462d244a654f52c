import { loadSampler } from '../contract/sample.ts'
import type { Condition } from '../contract/Condition.ts'
import { hasNoContent } from '../faults/effects/respond.ts'
import { waitFor } from '../faults/strike.ts'
import { headerText } from '../lib/http.ts'
import { forcedCase } from '../journal/shownCase.ts'
import type { Simulation } from '../Simulation.ts'
import type { Outcome } from '../store/Store.ts'
import { StorageError } from '../store/StorageError.ts'
import { realTime, type Instant } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import {
  answer,
  type Answer,
  answerAfterDelay,
  type Api,
  broken,
  handlers,
  identify,
  wrongBody,
  wrongPath,
} from './answer.ts'
import type { ApiResponse, WireResponse } from './Wire.ts'
import type { Plane, RequestContext } from './handleRequest.ts'
import { ReadCache } from './ReadCache.ts'
import type { Headers, RawRecord } from '../journal/RawRecord.ts'

/** The simulated API. */
export function apiPlane(simulation: Simulation): Plane {
  const reads = new ReadCache()
  return {
    contract: simulation.contract,
    validator: simulation.validator,
    identify(context) {
      const isKnown = identify(context)
      const login = context.credentials?.login
      if (login !== undefined) context.seen = simulation.store.peek(login)
      return isKnown
    },
    respond: (context) => respond(simulation, reads, context),
  }
}

/** Answers a request in the present world, commits what that makes of it, and records the exchange. */
async function respond(
  simulation: Simulation,
  reads: ReadCache,
  context: RequestContext,
): Promise<WireResponse> {
  const { store, contract } = simulation
  const { operation, credentials } = context
  const run = (
    step: (world: World | undefined, real: Instant) => Answer,
    seen: World | undefined,
    isCarriedOut = false,
  ) =>
    store.transact(
      context.login,
      (world, real) => close(simulation, context, step(world, real), isCarriedOut),
      seen,
    )
  try {
    const openWhen = operation?.authOptionalWhen
    context.login = openWhen ? await openLogin(simulation, context, openWhen) : credentials?.login
    const isSampled = operation !== undefined && !handlers[operation.operationId]
    const api: Api = { contract, reads, sampler: isSampled ? await loadSampler() : undefined }
    let done = await run((world, real) => answer(api, context, world, real), context.seen)
    while ('waits' in done) {
      const delayed = done
      await waitFor(delayed.fault as Fault, context.request.signal())
      done =
        delayed.waits === 'after'
          ? await run(() => ({ ...delayed, counted: undefined, waits: undefined }), delayed.world, true)
          : await run(
              (world, real) => answerAfterDelay(api, context, delayed, world as World, real),
              delayed.world,
            )
    }
    return done
  } catch (error) {
    return recordFailure(simulation, context, failed(simulation, context, error))
  }
}

/**
 * The account of a request that may be anonymous: the one it names, or else one that allows anonymous access to the
 * operation, preferably the owner of the service.
 */
async function openLogin(
  { store }: Simulation,
  { credentials, path }: RequestContext,
  openWhen: Condition,
): Promise<string | undefined> {
  const named = credentials?.login
  if (named !== undefined && (await store.world(named))) return named
  return (await store.whose(openWhen, path['id'])) ?? named
}

/**
 * Ends a step: with the response and its record, or with a delay that comes first.
 * @param isCarriedOut whether the operation's change was committed before the delay
 */
function close(
  simulation: Simulation,
  context: RequestContext,
  given: Answer,
  isCarriedOut = false,
): Outcome<WireResponse | Answer> {
  const { counted, change } = given
  const all = isCarriedOut ? undefined : change && counted ? { ...change, ...counted } : (change ?? counted)
  if (given.waits) return { value: given, change: all }
  const { response } = given
  if (response.violations && !response.forced) reportBroken(simulation, context, response.violations)
  const headers = headersOf(simulation, given)
  const record = recordOf(context, given, headers)
  return {
    value: {
      status: response.status,
      headers,
      body: response.body,
      drop: response.drop,
      lost: () => simulation.store.markLost(record),
    },
    change: all,
    record,
  }
}

/** The response to errors of the simulator itself. */
function failed(simulation: Simulation, context: RequestContext, error: unknown): ApiResponse {
  if (!(error instanceof StorageError)) {
    const violations = [`the simulator failed: ${(error as Error).message}`]
    reportBroken(simulation, context, violations, error)
    return broken(violations)
  }
  const { message } = error
  simulation.log.error({ path: context.request.url }, message)
  return {
    status: 503,
    type: 'application/json',
    body: JSON.stringify({ error: message }),
    case: 'storage-failed',
    reason: message,
  }
}

/** Adds the failure to the journal, unless the journal itself fails. */
async function recordFailure(
  simulation: Simulation,
  context: RequestContext,
  response: ApiResponse,
): Promise<WireResponse> {
  const given = { response, fault: undefined, counted: undefined, change: undefined, waits: undefined }
  const step = (world: World | undefined): Outcome<WireResponse> => {
    const { value, record } = close(simulation, context, { ...given, world, now: realTime() })
    return { value: value as WireResponse, record }
  }
  try {
    return await simulation.store.transact(context.login, step)
  } catch {
    return step(undefined).value
  }
}

function reportBroken(
  { log }: Simulation,
  { operation, request }: RequestContext,
  violations: readonly string[],
  error?: unknown,
): void {
  log.error(
    { operation: operation?.operationId, path: request.url, violations, err: error },
    'a response broke the contract',
  )
}

/** A fault may respond with any content on this origin: browsers must not run it as a page. */
const harmless = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

function headersOf({ explain, contract }: Simulation, { response, now }: Answer): Record<string, string> {
  const headers: Record<string, string> = { date: httpDate(now), 'cache-control': 'no-store' }
  if (response.type !== undefined) headers['content-type'] = `${response.type}; charset=utf-8`
  if (response.case === 'unauthenticated') headers['www-authenticate'] = `Basic realm="${contract.title}"`
  if (response.status >= 400 && explain) {
    headers['sim-case'] = response.case ?? forcedCase
    headers['sim-reason'] = headerText(response.reason ?? '')
  }
  Object.assign(headers, response.headers, response.forced && harmless)
  if (response.body !== '' || !hasNoContent(response.status))
    headers['content-length'] = String(Buffer.byteLength(response.body))
  return headers
}

/** Longer bodies, in characters, aren't kept: their length is shown instead. */
const longestBody = 32 * 1024

const { timeOrigin } = performance

/**
 * What is kept of an exchange that has ended: journal, coverage, findings and events go by it alone. The store adds an
 * id.
 */
export function recordOf(
  context: RequestContext,
  { response, world, met = world, now, change }: Answer,
  headers: Headers,
): RawRecord {
  const { operation, request, started } = context
  const { status, body, forced = false, drop } = response
  const ended = performance.now()
  const requestBody = world && context.body?.text
  const isLongRequest = requestBody !== undefined && requestBody.length > longestBody
  const isLongResponse = body.length > longestBody
  const isWrong = world && (context.violations.length > 0 || context.body?.wrong !== undefined)
  return {
    id: 0,
    before: met,
    origin: met?.origin,
    version: met?.version ?? null,
    time: now,
    account: world ? (context.login ?? null) : null,
    operation: operation?.operationId ?? null,
    method: request.method,
    path: request.url,
    status: drop === undefined || drop === 'truncate' ? status : null,
    case: response.case ?? null,
    reason: response.reason ?? null,
    forced,
    durationMs: ended - started,
    requestHeaders: request.headers,
    requestBody: isLongRequest ? undefined : requestBody,
    isBodyUnreadable: world && context.body?.isUnreadable,
    responseHeaders: headers,
    responseBody: isLongResponse ? undefined : body,
    // A literal that begins with a conditional spread takes longer than all the rest of this one.
    omitted: isLongRequest || isLongResponse ? omittedOf(requestBody, body) : undefined,
    change,
    violations: isWrong
      ? [...violationsOf(context), ...(response.violations ?? [])]
      : (response.violations ?? none),
    at: timeOrigin + ended,
    lost: drop !== undefined || (forced && change !== undefined),
  }
}

const none: readonly string[] = []

function omittedOf(request: string | undefined, response: string): RawRecord['omitted'] {
  return {
    ...((request?.length ?? 0) > longestBody && { request: request?.length }),
    ...(response.length > longestBody && { response: response.length }),
  }
}

/** Contract violations of the request: at most one in the path and one in the body. */
function violationsOf(context: RequestContext): string[] {
  return [wrongPath(context), wrongBody(context)].filter((one) => one !== undefined)
}

let lastDate = { second: -1, text: '' }

/** The Date header, formatted once a second. */
function httpDate(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}
