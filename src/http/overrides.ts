import { URLSearchParams } from 'node:url'
import type { AccountState } from '../contract/shapes.ts'
import type { OperationId } from '../contract/cases.gen.ts'
import { caseReply } from '../contract/caseReply.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import { clone } from '../lib/clone.ts'
import { connectionHeaders, hasNoContent } from '../lib/http.ts'
import { parseJson } from '../lib/json.ts'
import { exportAccount } from '../scenario/exportScenario.ts'
import type { BodyOf, PathOf, ResponseBodyOf } from '../service/operations/Operation.ts'
import { isObject } from '../world/mergePatch.ts'
import { type Instant, toIsoString } from '../world/time.ts'
import type { World } from '../world/World.ts'
import type { ParsedRequest } from './parseRequest.ts'
import type { ApiResponse } from './Wire.ts'

/** A response, as passed to and returned by an override. */
export interface OverrideResponse<Body = unknown> {
  /** 200 to 599 */
  status: number
  /** A JSON value or a string. @default no body */
  body?: Body
  /** Additional headers; a list sends the header several times. @default {} */
  headers?: OverrideHeaders
}

type OverrideHeaders = Record<string, string | number | (string | number)[]>

/** A call, as passed to an override. */
export interface OverrideCall<Op extends OperationId = OperationId> {
  /** Path parameters */
  path: PathOf<Op>
  query: Record<string, string>
  /** The parsed body; undefined if there is none */
  body: BodyOf<Op>
  /** The account before the call, frozen */
  account: AccountState
  /** The account's time (ISO 8601) */
  now: string
}

/**
 * Changes the response of an operation, never the state: the operation is executed once, whether or not `original` is
 * called. Must be synchronous.
 */
export type Override<Op extends OperationId = OperationId> = (
  call: OverrideCall<Op>,
  original: () => Required<Pick<OverrideResponse<ResponseBodyOf<Op>>, 'status' | 'body'>> &
    Pick<OverrideResponse, 'headers'>,
) => OverrideResponse

/**
 * Overrides by operationId, for responses of the real service that no assumption covers.
 * @example
 * {
 *   listInvoices(call, original) {
 *     const response = original()
 *     const body = response.body.map((invoice) => ({ ...invoice, amount: invoice.amount * 100 }))
 *     return { ...response, body }
 *   },
 * }
 */
export type Overrides = { [Op in OperationId]?: Override<Op> }

/** Validated overrides, and their source. */
export interface LoadedOverrides {
  /** The file, for messages */
  source: string
  byOperation: ReadonlyMap<string, (call: object, original: () => OverrideResponse) => unknown>
}

export const overrideFailed = 'override-failed'

/** The response of an override, or a 500 with the reason if the override fails. */
export function overriddenResponse(
  { source, byOperation }: LoadedOverrides,
  request: ParsedRequest,
  operation: ContractOperation,
  { world, now, real, original }: { world: World; now: Instant; real: Instant; original: ApiResponse },
): ApiResponse {
  const { operationId } = operation
  const override = byOperation.get(operationId)
  if (!override) return original
  let account: AccountState | undefined
  const call = {
    path: { ...request.parameters },
    query: Object.fromEntries(new URLSearchParams(request.query)),
    body: clone(request.json),
    get account() {
      return (account ??= deepFreeze(clone(exportAccount(world, real)) as AccountState))
    },
    now: toIsoString(now),
  }
  try {
    return {
      ...fromOverrideResponse(
        override(call, () => toOverrideResponse(original)),
        original,
        operation,
      ),
      overridden: true,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reason = `The override ${operationId} in ${source} failed: ${message}`
    const body = JSON.stringify({ error: reason })
    return {
      status: 500,
      contentType: 'application/json',
      body,
      case: overrideFailed,
      reason,
      overridden: true,
    }
  }
}

/** A response as passed to overrides: a copy, which they may change. */
function toOverrideResponse({ status, contentType, body, headers }: ApiResponse): OverrideResponse {
  const value = contentType?.includes('json') ? parseJson(body) : body === '' ? undefined : body
  return { status, body: value, ...(headers && { headers: clone(headers as OverrideHeaders) }) }
}

/** @throws Error if it isn't a response */
function fromOverrideResponse(
  returned: unknown,
  original: ApiResponse,
  operation: ContractOperation,
): ApiResponse {
  if (returned instanceof Promise) {
    returned.catch(() => {})
    throw new Error('it returned a Promise. Overrides are synchronous: leave out async and await.')
  }
  if (!isObject(returned) || !isStatus(returned['status']))
    throw new Error(
      'it returned no response. Return { status, body?, headers? }, with a status from 200 to 599.',
    )
  const { status, body: content, headers = {} } = returned as unknown as OverrideResponse
  const value = hasNoContent(status) ? undefined : content
  const isText = typeof value === 'string'
  const keepsType = original.contentType !== undefined && isText !== original.contentType.includes('json')
  const contentType = keepsType ? original.contentType : isText ? 'text/plain' : 'application/json'
  const body = value === undefined ? '' : isText ? value : JSON.stringify(value)
  if (body === undefined) throw new Error('its body is not a JSON value.')
  const name = operation.cases.find((one) => one.status === status && caseReply(one).body === body)?.name
  return {
    status,
    contentType: value === undefined ? undefined : contentType,
    body, // without its value, so that what was sent is validated: JSON makes Infinity null
    headers: checkHeaders(headers),
    ...(status === original.status
      ? pickCase(original)
      : name !== undefined && { case: name, reason: 'by an override' }),
  }
}

function pickCase({ case: name, reason }: ApiResponse): Pick<ApiResponse, 'case' | 'reason'> {
  return { ...(name !== undefined && { case: name }), ...(reason !== undefined && { reason }) }
}

function isStatus(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599
}

function checkHeaders(headers: unknown): Record<string, string | string[]> {
  if (!isObject(headers)) throw new Error('its headers are not an object.')
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const values: unknown[] = Array.isArray(value) ? value : [value]
      const isSendable = (one: unknown): boolean =>
        typeof one === 'number' || (typeof one === 'string' && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(one))
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !values.every(isSendable))
        throw new Error(`its header ${JSON.stringify(name)} can't be sent.`)
      if (connectionHeaders.includes(name.toLowerCase()))
        throw new Error(`its header ${JSON.stringify(name)} is set by the server. Leave it out.`)
      return [name.toLowerCase(), Array.isArray(value) ? values.map(String) : String(value)]
    }),
  )
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
