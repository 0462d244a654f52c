import { noteEvidence } from '../findings/findings.ts'
import type { Headers, RawRecord, Secrets } from '../journal/RawRecord.ts'
import { fromBase64 } from '../world/base64.ts'
import { isObject } from '../world/mergePatch.ts'
import { own } from '../world/own.ts'
import type { ApiResponse } from './ApiResponse.ts'
import type { RequestContext } from './RequestContext.ts'

/** Longer bodies, in characters, aren't kept: their length is shown instead. */
const longestBody = 32 * 1024

const { timeOrigin } = performance

/** The record of an exchange that has ended: journal, coverage, findings and events go by it alone. */
export function recordOf(
  context: RequestContext,
  { headers, violations, ...response }: ApiResponse & { headers: Headers; violations: readonly string[] },
): RawRecord {
  const { operation, account, request, path, change, started } = context
  const { status, body, forced = false, drop } = response
  const ended = performance.now()
  const requestBody = account && context.body?.text
  return {
    id: 0,
    birth: 0,
    era: 0,
    version: context.version,
    time: context.now,
    account: account?.login ?? null,
    operation: operation?.operationId ?? null,
    method: request.method,
    path: request.url,
    status: drop === undefined || drop === 'truncate' ? status : null,
    case: response.case ?? null,
    reason: response.reason ?? null,
    forced,
    durationMs: ended - started,
    requestHeaders: request.headers,
    requestBody: isLong(requestBody) ? undefined : requestBody,
    isBodyUnreadable: account && context.body?.isUnreadable,
    responseHeaders: headers,
    responseBody: isLong(body) ? undefined : body,
    omitted: {
      ...(isLong(requestBody) && { request: requestBody.length }),
      ...(isLong(body) && { response: body.length }),
    },
    change,
    violations: [...violations],
    secrets: secretsOf(context),
    at: timeOrigin + ended,
    lost: drop !== undefined || (forced && change !== undefined),
    evidence:
      operation && noteEvidence({ operation, request, path, body: context.body?.value, change, response }),
  }
}

function isLong(body: string | undefined): body is string {
  return body !== undefined && body.length > longestBody
}

/** The passwords and tokens of the account; undefined if the request could be anyone's. */
function secretsOf({ account, body, path, change }: RequestContext): Secrets | undefined {
  if (!account) return undefined
  const { world } = account
  const secrets: (string | readonly string[])[] = [world.password, world.tokens]
  const service = own(world.services, path['id'] ?? '')
  if (service) secrets.push(service.password)
  const sent = change && isObject(body?.value) ? body.value['password'] : undefined
  if (typeof sent === 'string') secrets.push(fromBase64(sent) ?? '')
  return secrets
}
