import { asObject, type Contract, type ContractOperation, mediaOf } from '../contract/Contract.ts'
import type { Validator, Violation } from '../contract/validator/createValidator.ts'
import type { WireBody, WireRequest, WireResponse } from './Wire.ts'
import { isUtf8 } from 'node:buffer'
import { isDeep } from '../lib/json.ts'
import type { World } from '../world/World.ts'
import type { Credentials } from './authenticate.ts'

/** One of the two contracts that are served: the simulated API (`/api`) or the control plane (`/__admin`). */
export interface Plane {
  contract: Contract
  /** May still be compiling; the first request waits for it */
  validator: Validator | Promise<Validator>
  /** Reads the credentials. @returns false if the request can be refused without reading its body */
  identify: (context: RequestContext) => boolean
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
  const read = await request.body(largestBody(operation, request))
  context.body = parseBody(operation, request, read)
  const { path, query, body, validator } = context
  context.violations = validator.request(operation, {
    path,
    query: operation.hasQuery ? new URLSearchParams(query) : undefined,
    headers: request.headers,
    bodyType: body.type,
    body: body.value,
  })
  return plane.respond(context)
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

/** Maximum bytes of a body, unless the contract sets `x-max-bytes` */
const defaultLimit = 1024 * 1024

/** Maximum bytes of the request's body. */
export function largestBody(operation: ContractOperation, { headers }: WireRequest): number {
  if (operation.bodyTypes.length === 0) return defaultLimit
  return limitOf(operation, mediaOf(headers['content-type']) ?? operation.bodyTypes[0] ?? '')
}

function limitOf(operation: ContractOperation, type: string): number {
  const named = asObject(asObject(asObject(operation.schema['requestBody'])['content'])[type])['x-max-bytes']
  return typeof named === 'number' ? named : defaultLimit
}

/** Another type that may be longer, in words: JSON may be where YAML may not. */
function longerType(operation: ContractOperation, request: WireRequest): string {
  const limit = largestBody(operation, request)
  const longer = operation.bodyTypes.find((type) => limitOf(operation, type) > limit)
  return longer === undefined ? '' : `; ${longer} may have ${limitOf(operation, longer)}`
}

export function parseBody(operation: ContractOperation, request: WireRequest, body: WireBody): ParsedBody {
  const { bodyTypes } = operation
  const [first] = bodyTypes
  const bytes = 'bytes' in body && body.bytes?.length ? body.bytes : undefined
  const text = bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined
  const isBroken = 'unreadable' in body || (bytes !== undefined && text === undefined)
  const none = {
    type: first,
    value: undefined,
    wrong: undefined,
    text,
    isUnreadable: isBroken && first !== undefined,
  }
  if (first === undefined) {
    if (!isBroken && ['', '{}'].includes((text ?? '').trim())) return none
    return {
      ...none,
      wrong:
        'there is a body, and this operation takes none: leave it out; its parameters are in the path and the query',
    }
  }
  if ('unreadable' in body)
    return { ...none, wrong: body.unreadable + (body.tooLarge ? longerType(operation, request) : '') }
  if (bytes === undefined && !operation.bodyRequired) return none
  const header = request.headers['content-type']
  const media = (header === undefined && operation.assumesType ? first : mediaOf(header)) ?? first
  const wrong = wrongContent(operation, header, bytes, text)
  if (wrong !== undefined) return { ...none, wrong }
  if (!bodyTypes.every((type) => type.endsWith('json'))) return { ...none, type: media, value: text }
  if (isDeep(text as string)) return { ...none, wrong: 'the body is nested too deeply' }
  try {
    return { ...none, type: media, value: JSON.parse(text as string) as unknown }
  } catch {
    return { ...none, wrong: 'the body is not valid JSON' }
  }
}

/** Why a body can't be parsed as what its Content-Type says, if so. */
function wrongContent(
  { bodyTypes, assumesType }: ContractOperation,
  header: string | string[] | undefined,
  bytes: Buffer | undefined,
  text: string | undefined,
): string | undefined {
  const takes = `this operation takes ${bodyTypes.join(', ')}`
  if (bytes === undefined) return `there is no body; ${takes}`
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

  /** Only for /api */
  credentials: Credentials | undefined
  /** The account that it reaches, if it is let in */
  login: string | undefined
  /** The account's world when the request arrived: one that is put in its place since isn't changed */
  seen: (() => World | undefined | Promise<World | undefined>) | undefined
}
