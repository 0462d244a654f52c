import { noteEvidence } from '../findings/findings.ts'
import type { Headers, RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import type { World, WorldChange } from '../world/World.ts'
import { wrongBody, wrongPath, type Answer } from './answer.ts'
import type { RequestContext } from './RequestContext.ts'

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
  const { operation, request, path, started } = context
  const { status, body, forced = false, drop } = response
  const ended = performance.now()
  const requestBody = world && context.body?.text
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
    requestBody: isLong(requestBody) ? undefined : requestBody,
    isBodyUnreadable: world && context.body?.isUnreadable,
    responseHeaders: headers,
    responseBody: isLong(body) ? undefined : body,
    omitted: {
      ...(isLong(requestBody) && { request: requestBody.length }),
      ...(isLong(body) && { response: body.length }),
    },
    change,
    violations: [...(world ? violationsOf(context) : []), ...(response.violations ?? [])],
    secrets: world && secretsOf(world, path['id'], change),
    at: timeOrigin + ended,
    lost: drop !== undefined || (forced && change !== undefined),
    evidence:
      operation &&
      noteEvidence({
        operation,
        headers: request.headers,
        path,
        body: context.body?.value,
        change,
        response,
      }),
  }
}

function isLong(body: string | undefined): body is string {
  return body !== undefined && body.length > longestBody
}

/** The account's password and tokens, and the passwords of the services that the request names or changes. */
function secretsOf(world: World, id: string | undefined, change: WorldChange | undefined): KnownSecrets {
  const changed = Object.values(change?.services ?? {})
  const passwords = [world.services.get(id ?? ''), ...changed].map((service) => service?.password ?? '')
  return [world.password, world.tokens, passwords]
}

/** Contract violations of the request: at most one in the path and one in the body. */
function violationsOf(context: RequestContext): string[] {
  if (context.violations.length === 0 && context.body?.wrong === undefined) return []
  return [wrongPath(context), wrongBody(context)].filter((one) => one !== undefined)
}
