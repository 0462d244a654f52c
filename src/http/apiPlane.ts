import { loadSampler } from '../contract/sample.ts'
import type { Condition } from '../contract/Condition.ts'
import { hasNoContent } from '../faults/effects/respond.ts'
import { waitFor } from '../faults/strike.ts'
import { headerText } from '../lib/http.ts'
import { forcedCase } from '../journal/shownCase.ts'
import type { Simulation } from '../Simulation.ts'
import type { Outcome } from '../store/Store.ts'
import { StorageError } from '../store/StorageError.ts'
import { realTime } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import { answer, answerAfterDelay, broken, handlers, identify, type Answer, type Api } from './answer.ts'
import type { ApiResponse } from './ApiResponse.ts'
import type { Plane } from './handleRequest.ts'
import { ReadCache } from './ReadCache.ts'
import type { RequestContext } from './RequestContext.ts'
import { recordOf } from './recordOf.ts'
import type { WireResponse } from './Wire.ts'

/** The simulated API. */
export function apiPlane(simulation: Simulation): Plane {
  const reads = new ReadCache()
  return {
    contract: simulation.contract,
    validator: () => simulation.ready ?? simulation.validator,
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
  const { operation } = context
  let login: string | undefined
  let { seen } = context
  try {
    const openWhen = operation?.authOptionalWhen
    login = openWhen ? await openLogin(simulation, context, openWhen) : context.credentials?.login
    const isSampled = operation !== undefined && !handlers[operation.operationId]
    const api: Api = { contract, reads, sampler: isSampled ? await loadSampler() : undefined }
    context.login = login
    let given = store.transact(
      login,
      (world, real) => close(simulation, context, answer(api, context, world, real)),
      seen,
    )
    let done = given instanceof Promise ? await given : given
    while ('waits' in done) {
      const delayed = done
      await waitFor(delayed.fault as Fault, context.request.signal())
      seen = delayed.world
      given = store.transact(
        login,
        (world, real) =>
          close(
            simulation,
            context,
            delayed.waits === 'after'
              ? { ...delayed, counted: undefined, waits: undefined }
              : answerAfterDelay(api, context, delayed, world as World, real),
            delayed.waits === 'after',
          ),
        seen,
      )
      done = given instanceof Promise ? await given : given
    }
    return done
  } catch (error) {
    return recordFailure(simulation, context, login, failed(simulation, context, error))
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
  login: string | undefined,
  response: ApiResponse,
): Promise<WireResponse> {
  const given = { response, fault: undefined, counted: undefined, change: undefined, waits: undefined }
  const step = (world: World | undefined): Outcome<WireResponse> => {
    const { value, record } = close(simulation, context, { ...given, world, now: realTime() })
    return { value: value as WireResponse, record }
  }
  try {
    return await simulation.store.transact(login, step)
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
  if (!hasNoContent(response.status)) headers['content-length'] = String(Buffer.byteLength(response.body))
  return headers
}

let lastDate = { second: -1, text: '' }

/** The Date header, formatted once per second. */
function httpDate(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}
