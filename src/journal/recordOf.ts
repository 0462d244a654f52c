import type { ContractOperation } from '../contract/Contract.ts'
import { noteEvidence } from '../findings/findings.ts'
import type { Headers, RawRecord, Secrets } from './RawRecord.ts'

/** A request and its response, when both are known: journal, coverage, findings and events go by its record alone. */
export interface EndedExchange {
  operation: ContractOperation | undefined
  /** undefined if the request was refused before it reached an account */
  account: string | undefined
  version: number | null
  /** By the account's clock */
  time: number
  /** When it arrived, by `performance.now()` */
  started: number
  request: { method: string; url: string; headers: Headers }
  /** Path parameters, decoded */
  path: Readonly<Record<string, string>>
  body: { value: unknown; text: string | undefined; isUnreadable: boolean } | undefined
  response: {
    status: number
    headers: Headers
    body: string
    case?: string | undefined
    reason?: string | undefined
    forced?: boolean | undefined
    drop?: 'reset' | 'empty' | 'truncate' | undefined
  }
  change: unknown
  violations: readonly string[]
  secrets: Secrets | undefined
}

/** Longer bodies, in characters, aren't kept: their length is shown instead. */
const longestBody = 32 * 1024

const { timeOrigin } = performance

/** The record of an exchange that has ended. */
export function recordOf(exchange: EndedExchange): RawRecord {
  const { operation, account, request, path, body, response, change, started } = exchange
  const { forced = false, drop } = response
  const ended = performance.now()
  const changed = change !== undefined
  const requestBody = account === undefined ? undefined : body?.text
  const omitted = {
    ...(isLong(requestBody) && { request: requestBody.length }),
    ...(isLong(response.body) && { response: response.body.length }),
  }
  return {
    id: 0,
    birth: 0,
    era: 0,
    version: exchange.version,
    time: exchange.time,
    account: account ?? null,
    operation: operation?.operationId ?? null,
    method: request.method,
    path: request.url,
    status: drop === undefined || drop === 'truncate' ? response.status : null,
    case: response.case ?? null,
    reason: response.reason ?? null,
    forced,
    durationMs: ended - started,
    requestHeaders: request.headers,
    requestBody: isLong(requestBody) ? undefined : requestBody,
    isBodyUnreadable: account !== undefined && body?.isUnreadable,
    responseHeaders: response.headers,
    responseBody: isLong(response.body) ? undefined : response.body,
    omitted,
    change,
    violations: [...exchange.violations],
    secrets: exchange.secrets,
    at: timeOrigin + ended,
    lost: drop !== undefined || (forced && changed),
    evidence:
      operation &&
      noteEvidence({
        operation,
        method: request.method,
        headers: request.headers,
        path,
        body: body?.value,
        changed,
        response,
      }),
  }
}

function isLong(body: string | undefined): body is string {
  return body !== undefined && body.length > longestBody
}
