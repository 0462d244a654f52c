import { holds, type Condition } from '../contract/Condition.ts'
import { loadSampler } from '../contract/sample.ts'
import { hasNoContent } from '../faults/effects/respond.ts'
import { waitFor, waits } from '../faults/strike.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { forcedCase } from '../journal/shownCase.ts'
import { headerText } from '../lib/http.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../store/StorageError.ts'
import type { Outcome, Step } from '../store/Store.ts'
import { realTime } from '../world/time.ts'
import type { Fault } from '../world/World.ts'
import { answer, type Answer, type Api, authenticate, broken, handlers, identify, strike } from './answer.ts'
import type { Plane, RequestContext } from './handleRequest.ts'
import { ReadCache } from './ReadCache.ts'
import type { ApiResponse, WireResponse } from './Wire.ts'

/** The simulated API. */
export function apiPlane(simulation: Simulation): Plane {
  const { contract, store } = simulation
  const api: Api = { contract, reads: new ReadCache(), sampler: undefined }
  return {
    contract,
    identify,
    expectsBody: async (context) => {
      const { login, operation } = context
      try {
        context.seen = login === undefined ? undefined : await store.world(login)
      } catch {
        return true // the response will say why
      }
      const mayBeAnonymous = operation?.authOptionalWhen !== undefined && operation.bodyTypes.length > 0
      return mayBeAnonymous || authenticate(context, context.seen) === undefined
    },
    respond: async (context) => {
      try {
        return await respond(simulation, api, context)
      } catch (error) {
        return fail(simulation, context, error)
      }
    },
  }
}

/** Answers a request in the present world, commits what that makes of it, and records the exchange. */
async function respond(simulation: Simulation, api: Api, context: RequestContext): Promise<WireResponse> {
  const { store } = simulation
  const { operation, request } = context
  if (operation?.authOptionalWhen)
    context.login = await openLogin(simulation, context, operation.authOptionalWhen)
  if (operation && !handlers[operation.operationId]) api.sampler ??= await loadSampler()

  let response = await store.transact<WireResponse | undefined>(
    context.login,
    (world, real) => {
      const faults = strike(context, world)
      if (faults && context.fault?.phase === 'before' && waits(context.fault))
        return { value: undefined, change: { faults } }
      return end(simulation, context, answer(api, context, world, real), faults)
    },
    context.seen,
  )
  if (!response) {
    await waitFor(context.fault as Fault, request.signal())
    response = await store.transact(
      context.login,
      (world, real) => end(simulation, context, answer(api, context, world, real)),
      context.met,
    )
  }
  if (context.fault?.phase === 'after') await waitFor(context.fault, request.signal())
  return response
}

/**
 * The account of a request that may be anonymous: the one it names, or else one that allows anonymous access to the
 * operation, preferably the owner of the service.
 */
async function openLogin(
  { store }: Simulation,
  { login, parameters }: RequestContext,
  openWhen: Condition,
): Promise<string | undefined> {
  if (login !== undefined && (await store.world(login))) return login
  const open = [...(await store.state()).accounts].filter(([, world]) => holds(openWhen, world))
  const owner = open.find(([, { services }]) => services.has(parameters['id'] ?? ''))
  return (owner ?? open[0])?.[0] ?? login
}

/** Ends an exchange: the response, and what is committed and recorded of it. @param faults with new counters */
function end(
  simulation: Simulation,
  context: RequestContext,
  given: Answer,
  faults?: Fault[],
): Outcome<WireResponse> {
  const { status, body, drop, violations, forced } = given.response
  if (violations && !forced) {
    const fields = { operation: context.operation?.operationId, path: context.request.url, violations }
    simulation.log.error(fields, 'a response broke the contract')
  }
  const headers = headersOf(simulation, given)
  const record = recordOf(context, given, headers)
  const change = faults ? { ...given.change, faults } : given.change
  const value = { status, headers, body, drop, lost: () => simulation.store.markLost(record) }
  return { value, change, record }
}

/** Responds to an error of the simulator itself, and records it, unless the journal itself fails. */
async function fail(simulation: Simulation, context: RequestContext, error: unknown): Promise<WireResponse> {
  const { message } = error as Error
  const path = context.request.url
  let response: ApiResponse
  if (error instanceof StorageError) {
    simulation.log.error({ path }, message)
    const body = JSON.stringify({ error: message })
    response = { status: 503, type: 'application/json', body, case: 'storage-failed', reason: message }
  } else {
    simulation.log.error({ path, err: error }, 'a request failed')
    response = broken([`the simulator failed: ${message}`])
  }
  const step: Step<WireResponse> = (world, now) =>
    end(simulation, context, { response, world, now, change: undefined })
  try {
    return await simulation.store.transact(context.login, step)
  } catch {
    return step(undefined, realTime()).value
  }
}

/** A fault may respond with any content on this origin: browsers must not run it as a page. */
const harmless = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

function headersOf({ explain, contract }: Simulation, { response, now }: Answer): Record<string, string> {
  const headers: Record<string, string> = { date: httpDate(now), 'cache-control': 'no-store' }
  if (response.type !== undefined) headers['content-type'] = `${response.type}; charset=utf-8`
  if (response.case === 'unauthenticated') headers['www-authenticate'] = challenge(contract.title)
  if (response.status >= 400 && explain) {
    headers['sim-case'] = response.case ?? forcedCase
    headers['sim-reason'] = headerText(response.reason ?? '')
  }
  Object.assign(headers, response.headers, response.forced && harmless)
  if (response.body !== '' || !hasNoContent(response.status))
    headers['content-length'] = String(Buffer.byteLength(response.body))
  return headers
}

/** RFC 7617: clients such as Java's send credentials as Latin-1 unless the server names UTF-8. */
function challenge(realm: string): string {
  return `Basic realm="${headerText(realm).replaceAll(/["\\\\]/g, String.raw`\$&`)}", charset="UTF-8"`
}

let lastDate = { second: -1, text: '' }

/** The Date header, formatted once a second: it takes as long as authentication. */
function httpDate(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}

/** Longer bodies, in characters, aren't kept: their length is shown instead. */
const maxBody = 32 * 1024

const none: readonly string[] = []
const { timeOrigin } = performance

/** What is kept of an exchange that has ended: journal, coverage, findings and events go by it alone. */
function recordOf(
  context: RequestContext,
  { response, world, now, change }: Answer,
  headers: Record<string, string>,
): JournalRecord {
  const { operation, request, login, started, isUnreadable, invalidPath, invalidBody, fault } = context
  const { status, body, forced = false, drop, violations = none } = response
  const met = world && (context.met ?? world)
  const ended = performance.now()
  const heldBack = fault?.phase === 'after' ? (fault.delay ?? 0) : 0
  const text = world && context.text
  const isLongRequest = text !== undefined && text.length > maxBody
  const isLongResponse = body.length > maxBody
  const isWrong = world && (invalidPath ?? invalidBody) !== undefined
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
    durationMs: ended - started + heldBack,
    requestHeaders: request.headers,
    requestBody: isLongRequest ? undefined : text,
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
    violations: isWrong
      ? [invalidPath, invalidBody, ...violations].filter((one) => one !== undefined)
      : violations,
    at: timeOrigin + ended,
    lost: drop !== undefined || (forced && change !== undefined),
    entry: undefined,
  }
}
