import { isUtf8 } from 'node:buffer'
import { type Contract, type ContractOperation, mediaOf } from '../contract/Contract.ts'
import { describeViolation, type Validator, type Violation } from '../contract/validator/createValidator.ts'
import { isDeep } from '../lib/json.ts'
import { Refusal } from '../world/Refusal.ts'
import type { WireBody, WireRequest } from './Wire.ts'

/** The route of a request: its operation and path parameters. */
export interface Route {
  /** The path without the query, percent-encoded */
  pathname: string
  /** The query without the `?` */
  query: string | undefined
  operation: ContractOperation | undefined
  /** The methods of the path, if the contract has the path but not the method */
  allow: readonly string[] | undefined
  /** Path parameters */
  parameters: Record<string, string>
}

export function routeOf(contract: Contract, { method, url }: WireRequest): Route {
  const mark = url.indexOf('?')
  const pathname = mark < 0 ? url : url.slice(0, mark)
  const match = contract.match(method, pathname)
  const found = match && 'operation' in match ? match : undefined
  return {
    pathname,
    query: mark < 0 ? undefined : url.slice(mark + 1),
    operation: found?.operation,
    allow: match && 'allow' in match ? match.allow : undefined,
    parameters: found?.path ?? {},
  }
}

interface ParsedBody {
  json?: unknown
  /** The content type to validate it as; undefined if it isn't validated */
  type: string | undefined
  /** The reason why it can't be read or violates the contract, if any */
  invalid: string | undefined
}

/** A request after routing, parsing and validation: the input of an operation. */
export class ParsedRequest implements Route {
  readonly wire: WireRequest
  readonly pathname: string
  readonly query: string | undefined
  readonly operation: ContractOperation | undefined
  readonly allow: readonly string[] | undefined
  readonly parameters: Record<string, string>
  /** The body as text; undefined if it is missing or not text */
  readonly text: string | undefined
  /** The parsed body; a text if the operation also accepts other types and parses the body itself */
  readonly json: unknown
  /** Whether there was a body that couldn't be read */
  readonly isUnreadable: boolean
  readonly violations: readonly Violation[]
  /** The violation in path, query or headers, if any */
  readonly invalidPath: string | undefined
  /** The violation in the body, if any */
  readonly invalidBody: string | undefined

  /** @param sent undefined if the request is refused whatever its body, so that the body isn't validated */
  constructor(validator: Validator, wire: WireRequest, route: Route, sent: WireBody | undefined) {
    const { operation, parameters, query } = route
    this.wire = wire
    this.pathname = route.pathname
    this.query = query
    this.operation = operation
    this.allow = route.allow
    this.parameters = parameters
    const bytes = sent?.bytes?.length ? sent.bytes : undefined
    const text = bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined
    this.text = text
    this.isUnreadable = sent?.unreadable !== undefined || (bytes !== undefined && text === undefined)
    const body = operation && sent && parseBody(wire, operation, text, this.isUnreadable, sent.unreadable)
    this.json = body?.json
    this.violations =
      operation && sent
        ? validator.request(operation, {
            path: parameters,
            query: operation.hasQuery ? new URLSearchParams(query) : undefined,
            headers: wire.headers,
            bodyType: body?.type,
            body: body?.json,
          })
        : []
    this.invalidPath = firstOf(this.violations, false)
    this.invalidBody = body?.invalid ?? firstOf(this.violations, true)
  }

  /** The path parameters. @throws Refusal if path, query or headers violate the contract */
  requirePath(): Record<string, string> {
    if (this.invalidPath !== undefined) throw this.#invalid('path', this.invalidPath)
    return this.parameters
  }

  /** The body. @throws Refusal if it violates the contract */
  requireBody(): unknown {
    if (this.invalidBody !== undefined) throw this.#invalid('body', this.invalidBody)
    return this.json
  }

  /** A refusal with the operation's own case (`x-invalid`), or else with its 422, or else with a 400. */
  #invalid(part: 'path' | 'body', reason: string): Refusal {
    const { invalid, cases } = this.operation as ContractOperation
    const name = invalid[part] ?? cases.find(({ status }) => status === 422)?.name
    return new Refusal(name ?? 'bad-request', reason)
  }
}

/** The first violation in the body, or in the rest of the request. */
function firstOf(violations: readonly Violation[], ofBody: boolean): string | undefined {
  const first = violations.find((one) => (one.in === 'body') === ofBody)
  return first && describeViolation(first)
}

/** Parses the body according to its Content-Type. */
function parseBody(
  { headers }: WireRequest,
  operation: ContractOperation,
  text: string | undefined,
  isUnreadable: boolean,
  unreadable: string | undefined,
): ParsedBody | undefined {
  const { bodyTypes } = operation
  const [usual] = bodyTypes
  if (usual === undefined) return undefined
  const media = mediaOf(headers['content-type'])
  const none: ParsedBody = { type: undefined, invalid: undefined }
  if (isUnreadable) return { ...none, invalid: unreadable ?? 'the body is not UTF-8 text' }
  const wrong = wrongTypeOf(operation, text, media)
  if (wrong !== undefined)
    return { ...none, invalid: `${wrong}; this operation takes ${bodyTypes.join(', ')}` }
  if (text === undefined) return { ...none, type: usual }
  const type = media ?? usual
  if (!bodyTypes.every((one) => one.endsWith('json'))) return { ...none, json: text, type }
  if (isDeep(text)) return { ...none, invalid: 'the body is nested too deeply' }
  try {
    return { json: JSON.parse(text) as unknown, type, invalid: undefined }
  } catch {
    const isMarked = text.startsWith('\ufeff')
    const invalid = isMarked
      ? 'the body begins with a byte order mark; JSON is sent without one'
      : 'the body is not valid JSON'
    return { ...none, invalid }
  }
}

function wrongTypeOf(
  { bodyTypes, bodyRequired, assumesType }: ContractOperation,
  text: string | undefined,
  media: string | undefined,
): string | undefined {
  if (text === undefined) return bodyRequired ? 'there is no body' : undefined
  if (media === undefined) return assumesType ? undefined : 'there is no Content-Type header'
  return bodyTypes.includes(media) ? undefined : `the Content-Type is ${media || 'empty'}`
}
