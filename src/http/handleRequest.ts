import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { largestBody, parseBody } from './parseBody.ts'
import type { RequestContext } from './RequestContext.ts'
import type { WireRequest, WireResponse } from './Wire.ts'

/** One of the two contracts that are served: the simulated API (`/api`) or the control plane (`/__admin`). */
export interface Plane {
  contract: Contract
  /** May still be compiling. */
  validator: () => Validator | Promise<Validator>
  /** The present moment of the store */
  moment: () => number
  /** Reads what the request says of who sends it. @returns whether its body is worth reading */
  identify: (context: RequestContext) => boolean
  /** Carries out the operation, and makes the response of whatever became of it: it never throws. */
  respond: (context: RequestContext) => Promise<WireResponse>
}

/**
 * The pipeline of every request, from top to bottom: route → identify → parse → validate → respond. What a plane
 * responds has been written by then (`Store.transact` flushes), checked and recorded. The guards come before.
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

function route({ contract, moment }: Plane, request: WireRequest, validator: Validator): RequestContext {
  const { method, url } = request
  const mark = url.indexOf('?')
  const pathname = mark < 0 ? url : url.slice(0, mark)
  // HEAD is GET without the body (RFC 9110); the socket leaves it out.
  const match = contract.match(method === 'HEAD' ? 'GET' : method, pathname)
  const found = match && 'operation' in match ? match : undefined
  return {
    // all fields from the start: an object that grows is a slow one
    request,
    started: performance.now(),
    moment: moment(),
    validator,
    pathname,
    query: mark < 0 ? undefined : url.slice(mark + 1),
    operation: found?.operation,
    allow: match && 'allow' in match ? match.allow : undefined,
    path: found?.path ?? {},
    body: undefined,
    violations: [],
    credentials: undefined,
    account: undefined,
    version: null,
    now: 0,
    fault: undefined,
    change: undefined,
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
