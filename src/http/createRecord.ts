import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { getResponseDelay } from '../faults/applyFault.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { forcedCase } from '../journal/shownCase.ts'
import { hasNoContent, headerText } from '../lib/http.ts'
import type { Simulation } from '../Simulation.ts'
import type { World } from '../world/World.ts'
import type { ApiRequest, Evaluation } from './evaluate.ts'
import type { WireRequest, WireResponse } from './Wire.ts'

/** A request to the API in the pipeline. */
export interface Exchange extends ApiRequest {
  wire: WireRequest
  /** The account that it affects, if authentication succeeds */
  login: string | undefined
  /** `performance.now()` at its arrival */
  started: number
}

/** A fault may send any content from this origin, and browsers must not run it as a page. */
const sandboxHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

/** The headers of a response. */
export function createHeaders(
  { explain, contract }: Pick<Simulation, 'explain' | 'contract'>,
  { response, now, fault }: Evaluation,
): WireResponse['headers'] {
  const headers: WireResponse['headers'] = { date: httpDate(now), 'cache-control': 'no-store' }
  if (response.contentType !== undefined) headers['content-type'] = `${response.contentType}; charset=utf-8`
  if (response.case === 'unauthenticated') headers['www-authenticate'] = challenge(contract.title)
  if (response.status >= 400 && explain) {
    headers['sim-case'] = response.case ?? forcedCase
    headers['sim-reason'] = headerText(response.reason ?? '')
  }
  Object.assign(headers, response.headers, response.forced && fault && sandboxHeaders)
  if (response.body !== '' || !hasNoContent(response.status))
    headers['content-length'] = String(Buffer.byteLength(response.body))
  return headers
}

/** RFC 7617: clients such as Java's encode credentials as Latin-1 unless the server specifies UTF-8. */
function challenge(realm: string): string {
  return `Basic realm="${headerText(realm).replaceAll(/["\\]/g, String.raw`\$&`)}", charset="UTF-8"`
}

let lastDate = { second: -1, text: '' }

/** The Date header, cached for a second, because formatting it takes as long as authentication. */
function httpDate(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}

/** Maximum number of characters of a recorded body. For longer bodies, only the length is recorded. */
const maxBody = 32 * 1024

const noViolations: readonly string[] = []
const { timeOrigin } = performance // Node's own value, which a test's fake timers don't replace

/**
 * The record of an exchange that has ended. Journal, coverage, findings and events are based on it alone.
 * @param worldBefore the world in which its fault was selected, if the request was delayed
 */
export function createRecord(
  { wire, request, login, started }: Exchange,
  { response, world, now, change, counters, fault }: Evaluation,
  headers: WireResponse['headers'],
  worldBefore: World | undefined,
): JournalRecord {
  const { operation, isUnreadable, pathViolation, bodyViolation } = request
  const { status, body, forced = false, received, violations = noViolations } = response
  const before = world && (worldBefore ?? world)
  const ended = performance.now() + getResponseDelay(fault)
  const text = world && request.text
  const isLongRequest = text !== undefined && text.length > maxBody
  const isLongResponse = body.length > maxBody
  const isInvalid = world && (pathViolation ?? bodyViolation) !== undefined
  return {
    id: 0, // the store assigns it
    before,
    origin: before?.origin,
    version: before?.version ?? null,
    executionWorld: worldBefore && world,
    executionVersion: worldBefore && world?.version,
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
    requestBody: isLongRequest ? undefined : text,
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
    connectedAt: wire.connectedAt,
    arrivedAt: wire.arrivedAt,
    // A fault or an override may replace the response to a change with an error.
    isUndelivered: received !== undefined || (change !== undefined && (forced || status >= 400)),
    entry: undefined,
  }
}
