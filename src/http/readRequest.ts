import { isUtf8 } from 'node:buffer'
import { type Contract, type ContractOperation, mediaOf } from '../contract/Contract.ts'
import { describeViolation, type Validator, type Violation } from '../contract/validator/createValidator.ts'
import { isDeep } from '../lib/json.ts'
import { Refusal } from '../world/Refusal.ts'
import type { WireBody, WireRequest } from './Wire.ts'

/** What the contract says about the method and path of a request. */
export interface Route {
  /** The path without the query, not decoded */
  pathname: string
  /** Without the `?` */
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
  /** Why it can't be read or breaks the contract, if so */
  invalid: string | undefined
}

/** A request after routing, parsing and validation. An operation takes it as its input. */
export class ParsedRequest implements Route {
  readonly wire: WireRequest
  readonly pathname: string
  readonly query: string | undefined
  readonly operation: ContractOperation | undefined
  readonly allow: readonly string[] | undefined
  readonly parameters: Record<string, string>
  /** The body as text; undefined if there is none, or it isn't text */
  readonly text: string | undefined
  /** The parsed body; the text if the operation also accepts other types, and so parses it itself */
  readonly json: unknown
  /** Whether there was a body that couldn't be read */
  readonly isUnreadable: boolean
  readonly violations: readonly Violation[]
  /** Why path, query or headers break the contract, if so */
  readonly invalidPath: string | undefined
  /** Why the body breaks the contract, if so */
  readonly invalidBody: string | undefined

  /** @param sent undefined: the request is refused whatever its body, so it isn't validated */
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

  /** The path parameters. @throws Refusal if path, query or headers break the contract */
  requirePath(): Record<string, string> {
    if (this.invalidPath !== undefined) throw this.#invalid('path', this.invalidPath)
    return this.parameters
  }

  /** The body. @throws Refusal if it breaks the contract */
  requireBody(): unknown {
    if (this.invalidBody !== undefined) throw this.#invalid('body', this.invalidBody)
    return this.json
  }

  /** A refusal with the operation's own case (`x-invalid`), or else its 422, or else a 400. */
  #invalid(part: 'path' | 'body', reason: string): Refusal {
    const { invalid, cases } = this.operation as ContractOperation
    const name = invalid[part] ?? cases.find(({ status }) => status === 422)?.name
    return new Refusal(name ?? 'bad-request', reason)
  }
}

/** The first violation of the body, or of the rest. */
function firstOf(violations: readonly Violation[], ofBody: boolean): string | undefined {
  const first = violations.find((one) => (one.in === 'body') === ofBody)
  return first && describeViolation(first)
}

/** Parses the body as what its Content-Type says. */
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
