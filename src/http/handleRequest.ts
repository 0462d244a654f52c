import { isUtf8 } from 'node:buffer'
import { type Contract, type ContractOperation, mediaOf } from '../contract/Contract.ts'
import {
  describeViolation,
  type Validator,
  validatorOf,
  type Violation,
} from '../contract/validator/createValidator.ts'
import { isDeep } from '../lib/json.ts'
import { type Refusal, refuse } from '../world/Refusal.ts'
import type { Fault, World } from '../world/World.ts'
import type { WireBody, WireRequest, WireResponse } from './Wire.ts'

/** One of the two contracts that are served: the simulated API (`/api`) or the control plane (`/__admin`). */
export interface Plane {
  contract: Contract
  validator?: Validator
  /** Reads the credentials. @returns false if the request can be refused without reading its body */
  identify: (context: RequestContext) => boolean
  /** Returns whether a body that hasn't arrived yet is to be read. If its credentials are refused, it need not be kept. */
  expectsBody?: (context: RequestContext) => Promise<boolean>
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
  plane: Omit<Plane, 'respond'>,
  request: WireRequest,
): Promise<RequestContext> {
  plane.validator ??= await validatorOf(plane.contract) // the first request waits for the library
  const context = new RequestContext(plane.contract, plane.validator, request)
  const { operation } = context
  if (!plane.identify(context) || !operation) return context
  if (plane.expectsBody && !request.hasArrived() && !(await plane.expectsBody(context))) return context
  parse(context, operation, await request.body(operation.maxBytes))
  return context
}

/** A request on its way through the pipeline: each stage adds its result. An operation takes it as its input. */
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
  /** Of the path */
  readonly parameters: Record<string, string>

  /** The body as text; undefined if there is none, or it isn't text */
  text: string | undefined
  /** The parsed body; the text if the operation also accepts other types, and so parses it itself */
  json: unknown
  /** Whether there was a body that couldn't be read */
  isUnreadable = false
  violations: readonly Violation[] = []
  /** Why path, query or headers break the contract, and why the body does */
  invalidPath: string | undefined
  invalidBody: string | undefined

  /** Only for /api: why the request has no login and secret, if so */
  anonymous: Refusal | undefined
  secret = ''
  /** The account that it reaches, if it is let in */
  login: string | undefined
  /** The account's world when the request arrived, if its body took longer: one that is put in its place isn't changed */
  seen: World | undefined
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
    this.parameters = found?.path ?? {}
  }

  /** @throws Refusal if path, query or headers break the contract */
  path(): Record<string, string> {
    return this.invalidPath === undefined ? this.parameters : refuseInvalid(this, 'path', this.invalidPath)
  }

  /** @throws Refusal if it breaks the contract */
  body(): unknown {
    return this.invalidBody === undefined ? this.json : refuseInvalid(this, 'body', this.invalidBody)
  }
}

/** Refuses with the operation's own case (`x-invalid`), or else its 422, or else a 400. */
function refuseInvalid({ operation }: RequestContext, part: 'path' | 'body', reason: string): never {
  const name = operation?.invalid[part] ?? operation?.cases.find(({ status }) => status === 422)?.name
  refuse(name ?? 'bad-request', reason)
}

/** Parses the body and validates the request. What is wrong is only noted, as faults come first. */
function parse(context: RequestContext, operation: ContractOperation, sent: WireBody): void {
  const { request, parameters: path, query, validator } = context
  const bytes = sent.bytes?.length ? sent.bytes : undefined
  context.text = bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined
  context.isUnreadable = sent.unreadable !== undefined || (bytes !== undefined && context.text === undefined)
  let [bodyType] = operation.bodyTypes
  if (bodyType !== undefined) {
    const media = mediaOf(request.headers['content-type'])
    context.invalidBody = sent.unreadable ?? parseBody(context, operation, media)
    if (context.invalidBody !== undefined) bodyType = undefined
    else if (context.text !== undefined) bodyType = media ?? bodyType
  }
  context.violations = validator.request(operation, {
    path,
    query: operation.hasQuery ? new URLSearchParams(query) : undefined,
    headers: request.headers,
    bodyType,
    body: context.json,
  })
  for (const violation of context.violations)
    if (violation.in === 'body') context.invalidBody ??= describeViolation(violation)
    else context.invalidPath ??= describeViolation(violation)
}

/** Parses the body as what its Content-Type says. @returns why that can't be done, if so */
function parseBody(
  context: RequestContext,
  { bodyTypes, bodyRequired, assumesType }: ContractOperation,
  media: string | undefined,
): string | undefined {
  const { text, isUnreadable } = context
  if (isUnreadable) return 'the body is not UTF-8 text'
  let wrong: string | undefined
  if (text === undefined) wrong = bodyRequired ? 'there is no body' : undefined
  else if (media === undefined) wrong = assumesType ? undefined : 'there is no Content-Type header'
  else if (!bodyTypes.includes(media)) wrong = `the Content-Type is ${media || 'empty'}`
  if (wrong !== undefined) return `${wrong}; this operation takes ${bodyTypes.join(', ')}`
  if (text === undefined) return undefined
  if (!bodyTypes.every((type) => type.endsWith('json'))) {
    context.json = text
    return undefined
  }
  if (isDeep(text)) return 'the body is nested too deeply'
  try {
    context.json = JSON.parse(text)
    return undefined
  } catch {
    return text.startsWith('\ufeff')
      ? 'the body begins with a byte order mark; JSON is sent without one'
      : 'the body is not valid JSON'
  }
}
