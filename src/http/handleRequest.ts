import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { largestBody, parseBody } from './parseBody.ts'
import type { RequestContext } from './RequestContext.ts'
import type { WireRequest, WireResponse } from './Wire.ts'

/** One of the two contracts that are served: the simulated API (`/api`) or the control plane (`/__admin`). */
export interface Plane {
  contract: Contract
  /** A promise while it is still compiling */
  validator: () => Validator | Promise<Validator>
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
  const pending = plane.validator()
  const context = route(plane, request, pending instanceof Promise ? await pending : pending)
  const { operation } = context
  if (!plane.identify(context) || !operation) return plane.respond(context)
  const read = await request.body(largestBody(operation, request))
  context.body = parseBody(operation, request, read)
  context.violations = validate(context, operation)
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

function validate({ request, path, query, body, validator }: RequestContext, operation: ContractOperation) {
  return validator.request(operation, {
    path,
    query: operation.hasQuery ? new URLSearchParams(query) : undefined,
    headers: request.headers,
    bodyType: body?.type,
    body: body?.value,
  })
}
