import { holds, type Condition } from '../contract/Condition.ts'
import { loadSampler } from '../contract/sample.ts'
import { hasNoContent } from '../faults/effects/respond.ts'
import { waitFor } from '../faults/strike.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { forcedCase } from '../journal/shownCase.ts'
import { headerText } from '../lib/http.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../store/StorageError.ts'
import type { Outcome } from '../store/Store.ts'
import { realTime } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import { answer, type Answer, answerAfterDelay, type Api, broken, handlers, identify } from './answer.ts'
import type { Plane, RequestContext } from './handleRequest.ts'
import { ReadCache } from './ReadCache.ts'
import type { ApiResponse, WireResponse } from './Wire.ts'

/** The simulated API. */
export function apiPlane(simulation: Simulation): Plane {
  const { contract, validator, store } = simulation
  const api: Api = { contract, reads: new ReadCache(), sampler: undefined }
  return {
    contract,
    validator,
    identify,
    waiting: (context) => {
      if (context.login === undefined) return
      context.seen = store.world(context.login)
      if (context.seen instanceof Promise) context.seen.catch(() => {}) // whoever waits for it is told
    },
    respond: (context) => respond(simulation, api, context),
  }
}

/** Answers a request in the present world, commits what that makes of it, and records the exchange. */
async function respond(simulation: Simulation, api: Api, context: RequestContext): Promise<WireResponse> {
  const { store } = simulation
  const { operation, request } = context
  try {
    if (operation?.authOptionalWhen)
      context.login = await openLogin(simulation, context, operation.authOptionalWhen)
    if (operation && !handlers[operation.operationId]) api.sampler ??= await loadSampler()
    let done = await store.transact(
      context.login,
      (world, real) => close(simulation, context, answer(api, context, world, real)),
      await context.seen,
    )
    while ('waits' in done) {
      const delayed = done
      await waitFor(delayed.fault as Fault, request.signal())
      done = await store.transact(
        context.login,
        (world, real) =>
          close(simulation, context, answerAfterDelay(api, context, delayed, world as World, real)),
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
  { login, path }: RequestContext,
  openWhen: Condition,
): Promise<string | undefined> {
  if (login !== undefined && (await store.world(login))) return login
  const open = [...(await store.state()).accounts].filter(([, world]) => holds(openWhen, world))
  const owner = open.find(([, { services }]) => services.has(path['id'] ?? ''))
  return (owner ?? open[0])?.[0] ?? login
}

/** Ends a step: with the response and its record, or with a delay that comes first. */
function close(
  simulation: Simulation,
  context: RequestContext,
  given: Answer,
): Outcome<WireResponse | Answer> {
  const { commits, response } = given
  if (given.waits) return { value: given, change: commits }
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
    change: commits,
    record,
  }
}

/** The response to errors of the simulator itself. */
function failed(simulation: Simulation, context: RequestContext, error: unknown): ApiResponse {
  const { message } = error as Error
  if (!(error instanceof StorageError)) {
    const violations = [`the simulator failed: ${message}`]
    reportBroken(simulation, context, violations, error)
    return broken(violations)
  }
  simulation.log.error({ path: context.request.url }, message)
  const body = JSON.stringify({ error: message })
  return { status: 503, type: 'application/json', body, case: 'storage-failed', reason: message }
}

/** Adds the failure to the journal, unless the journal itself fails. */
async function recordFailure(
  simulation: Simulation,
  context: RequestContext,
  response: ApiResponse,
): Promise<WireResponse> {
  const none = { fault: undefined, change: undefined, commits: undefined, waits: undefined }
  const step = (world: World | undefined): Outcome<WireResponse> =>
    close(simulation, context, {
      ...none,
      response,
      world,
      met: world,
      now: realTime(),
    }) as Outcome<WireResponse>
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

let lastDate = { second: -1, text: '' }

/** The Date header, formatted once a second. */
function httpDate(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}

/** Longer bodies, in characters, aren't kept: their length is shown instead. */
const longestBody = 32 * 1024

const none: readonly string[] = []
const { timeOrigin } = performance

/** What is kept of an exchange that has ended: journal, coverage, findings and events go by it alone. */
function recordOf(
  { operation, request, login, started, body: sent, wrongPath, wrongBody }: RequestContext,
  { response, world, met, now, change }: Answer,
  headers: Record<string, string>,
): JournalRecord {
  const { status, body, forced = false, drop, violations = none } = response
  const ended = performance.now()
  const text = world && sent?.text
  const isLongRequest = text !== undefined && text.length > longestBody
  const isLongResponse = body.length > longestBody
  const isWrong = world && (wrongPath ?? wrongBody) !== undefined
  return {
    id: 0, // the store assigns it
    before: met,
    origin: met?.origin,
    version: met?.version ?? null,
    time: now,
    account: world ? (login ?? null) : null,
    operation: operation?.operationId ?? null,
    method: request.method,
    path: request.url,
    status: drop === undefined || drop === 'truncate' ? status : null,
    case: response.case ?? null,
    reason: response.reason ?? null,
    forced,
    durationMs: ended - started,
    requestHeaders: request.headers,
    requestBody: isLongRequest ? undefined : text,
    isBodyUnreadable: world && sent?.isUnreadable,
    responseHeaders: headers,
    responseBody: isLongResponse ? undefined : body,
    omitted:
      isLongRequest || isLongResponse
        ? {
            ...(isLongRequest && { request: text.length }),
            ...(isLongResponse && { response: body.length }),
          }
        : undefined,
    change,
    violations: isWrong
      ? [wrongPath, wrongBody, ...violations].filter((one) => one !== undefined)
      : violations,
    at: timeOrigin + ended,
    lost: drop !== undefined || (forced && change !== undefined),
    entry: undefined,
  }
}
