import { isUtf8 } from 'node:buffer'
import { type Contract, type ContractOperation, mediaOf } from '../contract/Contract.ts'
import { describeViolation, type Validator, type Violation } from '../contract/validator/createValidator.ts'
import { isDeep } from '../lib/json.ts'
import type { World } from '../world/World.ts'
import type { Credentials } from './authenticate.ts'
import type { WireBody, WireRequest, WireResponse } from './Wire.ts'

/** One of the two contracts that are served: the simulated API (`/api`) or the control plane (`/__admin`). */
export interface Plane {
  contract: Contract
  /** May still be compiling; the first request waits for it */
  validator: Validator | Promise<Validator>
  /** Reads the credentials. @returns false if the request can be refused without reading its body */
  identify: (context: RequestContext) => boolean
  /** Told of a request whose body is still coming. */
  waiting?: (context: RequestContext) => void
  /** Runs the operation. Never throws: errors become responses. */
  respond: (context: RequestContext) => Promise<WireResponse>
}

/**
 * The pipeline of every request: route → identify → parse and validate → respond (for `/api`, `apiPlane`: authenticate →
 * fault → operation → check → commit and record). When it returns, what changed is durable. Guards run before it, and
 * `serve` sends what it returns.
 */
export async function handleRequest(plane: Plane, request: WireRequest): Promise<WireResponse> {
  const context = route(plane, request, await plane.validator)
  const { operation } = context
  if (!plane.identify(context) || !operation) return plane.respond(context)
  const coming = request.body(operation.maxBytes)
  if (coming instanceof Promise) plane.waiting?.(context)
  const body = parseBody(operation, request, await coming)
  const { path, query, validator } = context
  const violations = validator.request(operation, {
    path,
    query: operation.hasQuery ? new URLSearchParams(query) : undefined,
    headers: request.headers,
    bodyType: body.type,
    body: body.value,
  })
  context.body = body
  context.violations = violations
  if (violations.length > 0) {
    context.wrongPath = wordsOf(violations.find(({ in: place }) => place !== 'body'))
    context.wrongBody = wordsOf(violations.find(({ in: place }) => place === 'body'))
  }
  // Like the real service, it ignores a body where the contract has none.
  if (body.type === undefined) context.wrongBody = undefined
  else if (body.wrong !== undefined) context.wrongBody = body.wrong
  return plane.respond(context)
}

function wordsOf(violation: Violation | undefined): string | undefined {
  return violation && describeViolation(violation)
}

/** A request on its way through the pipeline: each stage adds its result. */
export interface RequestContext {
  request: WireRequest
  /** `performance.now()` when the request arrived */
  started: number
  validator: Validator
  /** Path without the query, not decoded */
  pathname: string
  /** Without the `?` */
  query: string | undefined
  operation: ContractOperation | undefined
  /** The methods of the path, if the contract has the path but not the method */
  allow: readonly string[] | undefined
  path: Record<string, string>
  body: ParsedBody | undefined
  violations: readonly Violation[]
  /** Why path, query or headers break the contract, and why the body does */
  wrongPath: string | undefined
  wrongBody: string | undefined

  /** Only for /api */
  credentials: Credentials | undefined
  /** The account that it reaches, if it is let in */
  login: string | undefined
  /** The account's world when the request arrived, if its body took longer: one that is put in its place isn't changed */
  seen: World | undefined | Promise<World | undefined>
}

function route({ contract }: Plane, request: WireRequest, validator: Validator): RequestContext {
  const { method, url } = request
  const mark = url.indexOf('?')
  const pathname = mark < 0 ? url : url.slice(0, mark)
  const match = contract.match(method, pathname)
  const found = match && 'operation' in match ? match : undefined
  return {
    // all fields from the start, so that V8 keeps one hidden class
    request,
    started: performance.now(),
    validator,
    pathname,
    query: mark < 0 ? undefined : url.slice(mark + 1),
    operation: found?.operation,
    allow: match && 'allow' in match ? match.allow : undefined,
    path: found?.path ?? {},
    body: undefined,
    violations: [],
    wrongPath: undefined,
    wrongBody: undefined,
    credentials: undefined,
    login: undefined,
    seen: undefined,
  }
}

export interface ParsedBody {
  /** The content type sent, or else the operation's first; undefined if the operation takes no body */
  type: string | undefined
  /** The parsed JSON; the raw text if the operation also accepts other types, and so parses it itself */
  value: unknown
  /** Why it can't be validated against the schema, e.g. it isn't JSON, or there should be none */
  wrong: string | undefined
  /** The raw body, for the journal; undefined if it isn't text */
  text: string | undefined
  /** Whether there was one that the operation takes, but it couldn't be read */
  isUnreadable: boolean
}

function parseBody(operation: ContractOperation, request: WireRequest, body: WireBody): ParsedBody {
  const [first] = operation.bodyTypes
  const bytes = 'bytes' in body && body.bytes?.length ? body.bytes : undefined
  const text = bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined
  const isBroken = 'unreadable' in body || (bytes !== undefined && text === undefined)
  const parsed: ParsedBody = {
    type: first,
    value: undefined,
    wrong: undefined,
    text,
    isUnreadable: isBroken && first !== undefined,
  }
  if (first === undefined) {
    if (isBroken || !['', '{}'].includes((text ?? '').trim()))
      parsed.wrong =
        'there is a body, and this operation takes none: leave it out; its parameters are in the path and the query'
    return parsed
  }
  if (bytes === undefined && !isBroken && !operation.bodyRequired) return parsed
  const header = request.headers['content-type']
  parsed.wrong =
    'unreadable' in body ? body.unreadable : wrongContent(operation, header, bytes !== undefined, text)
  if (parsed.wrong !== undefined) return parsed
  parsed.type = mediaOf(header) ?? first
  try {
    if (!operation.bodyTypes.every((type) => type.endsWith('json'))) parsed.value = text
    else if (isDeep(text as string)) parsed.wrong = 'the body is nested too deeply'
    else parsed.value = JSON.parse(text as string)
  } catch {
    parsed.wrong = 'the body is not valid JSON'
  }
  return parsed
}

/** Why a body can't be parsed as what its Content-Type says, if so. */
function wrongContent(
  { bodyTypes, assumesType }: ContractOperation,
  header: string | string[] | undefined,
  isThere: boolean,
  text: string | undefined,
): string | undefined {
  const takes = `this operation takes ${bodyTypes.join(', ')}`
  if (!isThere) return `there is no body; ${takes}`
  const media = mediaOf(header)
  if (media === undefined && !assumesType) return `there is no Content-Type header; ${takes}`
  if (media !== undefined && !bodyTypes.includes(media))
    return `the Content-Type is ${media || 'empty'}; ${takes}`
  const charset =
    media === header ? undefined : /;\s*charset="?([^";]*)/i.exec(String(header))?.[1]?.trim().toLowerCase()
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return `the charset is ${charset}; it must be UTF-8`
  return text === undefined ? 'the body is not UTF-8 text' : undefined
}
