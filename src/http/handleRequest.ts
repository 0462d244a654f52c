import { isUtf8 } from 'node:buffer'
import { type Contract, type ContractOperation, mediaOf } from '../contract/Contract.ts'
import {
  describeViolation,
  type Validator,
  validatorOf,
  type Violation,
} from '../contract/validator/createValidator.ts'
import { isDeep } from '../lib/json.ts'
import type { Refusal } from '../world/Refusal.ts'
import type { Fault, World } from '../world/World.ts'
import type { Credentials } from './authenticate.ts'
import type { WireBody, WireRequest, WireResponse } from './Wire.ts'

/** One of the two contracts that are served: the simulated API (`/api`) or the control plane (`/__admin`). */
export interface Plane {
  contract: Contract
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
  return plane.respond(await readRequest(plane, request))
}

/** The part of the pipeline before any account is looked at. */
export async function readRequest(
  { contract, identify, waiting }: Omit<Plane, 'respond'>,
  request: WireRequest,
): Promise<RequestContext> {
  const context = new RequestContext(contract, await validatorOf(contract), request)
  const { operation } = context
  if (!identify(context) || !operation) return context
  const coming = request.body(operation.maxBytes)
  if (coming instanceof Promise) waiting?.(context)
  parse(context, operation, await coming)
  return context
}

/** A request on its way through the pipeline: each stage adds its result. */
export class RequestContext {
  readonly request: WireRequest
  /** `performance.now()` when the request arrived */
  readonly started = performance.now()
  readonly validator: Validator
  /** Path without the query, not decoded */
  readonly pathname: string
  /** Without the `?` */
  readonly query: string | undefined
  readonly operation: ContractOperation | undefined
  /** The methods of the path, if the contract has the path but not the method */
  readonly allow: readonly string[] | undefined
  readonly path: Record<string, string>

  /** The body as text; undefined if there is none, or it isn't text */
  text: string | undefined
  /** The parsed JSON; the text if the operation also accepts other types, and so parses it itself */
  body: unknown
  /** Whether there was a body that couldn't be read */
  isUnreadable = false
  violations: readonly Violation[] = []
  /** Why path, query or headers break the contract, and why the body does */
  wrongPath: string | undefined
  wrongBody: string | undefined

  /** Only for /api */
  credentials: Credentials | Refusal | undefined
  /** The account that it reaches, if it is let in */
  login: string | undefined
  /** The account's world when the request arrived, if its body took longer: one that is put in its place isn't changed */
  seen: World | undefined | Promise<World | undefined>
  /** The fault that strikes it, with its counters as they are then */
  fault: Fault | undefined
  /** The world that it met, before the fault's delay */
  met: World | undefined

  constructor(contract: Contract, validator: Validator, request: WireRequest) {
    const { method, url } = request
    const mark = url.indexOf('?')
    this.request = request
    this.validator = validator
    this.pathname = mark < 0 ? url : url.slice(0, mark)
    this.query = mark < 0 ? undefined : url.slice(mark + 1)
    const match = contract.match(method, this.pathname)
    const found = match && 'operation' in match ? match : undefined
    this.operation = found?.operation
    this.allow = match && 'allow' in match ? match.allow : undefined
    this.path = found?.path ?? {}
  }
}

/** Parses the body and validates the request. What is wrong is only noted, as faults come first. */
function parse(context: RequestContext, operation: ContractOperation, sent: WireBody): void {
  const { request, path, query, validator } = context
  const bytes = sent.bytes?.length ? sent.bytes : undefined
  context.text = bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined
  context.isUnreadable = sent.unreadable !== undefined || (bytes !== undefined && context.text === undefined)
  let [type] = operation.bodyTypes
  if (type !== undefined) {
    const media = mediaOf(request.headers['content-type'])
    context.wrongBody = sent.unreadable ?? wrongContent(context, operation, media)
    if (context.wrongBody === undefined && context.text !== undefined) {
      type = media ?? type
      parseBody(context, operation, context.text)
    }
  }
  context.violations = validator.request(operation, {
    path,
    query: operation.hasQuery ? new URLSearchParams(query) : undefined,
    headers: request.headers,
    bodyType: context.wrongBody === undefined ? type : undefined,
    body: context.body,
  })
  for (const violation of context.violations)
    if (violation.in === 'body') context.wrongBody ??= describeViolation(violation)
    else context.wrongPath ??= describeViolation(violation)
}

/** Why a body can't be parsed as what its Content-Type says, if so. */
function wrongContent(
  { text, isUnreadable }: RequestContext,
  { bodyTypes, bodyRequired, assumesType }: ContractOperation,
  media: string | undefined,
): string | undefined {
  if (isUnreadable) return 'the body is not UTF-8 text'
  if (text === undefined ? !bodyRequired : media === undefined ? assumesType : bodyTypes.includes(media))
    return undefined
  const what =
    text === undefined
      ? 'there is no body'
      : media === undefined
        ? 'there is no Content-Type header'
        : `the Content-Type is ${media || 'empty'}`
  return `${what}; this operation takes ${bodyTypes.join(', ')}`
}

function parseBody(context: RequestContext, { bodyTypes }: ContractOperation, text: string): void {
  try {
    if (!bodyTypes.every((type) => type.endsWith('json'))) context.body = text
    else if (isDeep(text)) context.wrongBody = 'the body is nested too deeply'
    else context.body = JSON.parse(text)
  } catch {
    context.wrongBody = 'the body is not valid JSON'
  }
}
