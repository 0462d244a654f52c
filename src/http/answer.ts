import type { OperationId } from '../contract/cases.gen.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import { holds } from '../contract/Condition.ts'
import type { Sampler } from '../contract/sample.ts'
import { describeViolation } from '../contract/validator/createValidator.ts'
import { selectFault } from '../faults/selectFault.ts'
import { forcedResponse, replacesResponse, waits } from '../faults/strike.ts'
import * as operations from '../operations/operations.ts'
import type { Operation, OperationResult } from '../operations/Operation.ts'
import { type Instant, timeOf } from '../world/time.ts'
import { Refusal } from '../world/Refusal.ts'
import type { Fault, World, WorldChange } from '../world/World.ts'
import type { ApiResponse } from './Wire.ts'
import { readCredentials, requireAccepted } from './authenticate.ts'
import type { ReadCache } from './ReadCache.ts'
import type { RequestContext } from './handleRequest.ts'
import { STATUS_CODES } from 'node:http'
import { caseReply, findCase } from '../contract/caseReply.ts'

/*
 * What the API answers, as pure functions of a request, a world and a time: authenticate → fault → operation → check.
 */

/** What answering needs beside the request */
export interface Api {
  contract: Contract
  /** For operations without a handler */
  sampler: Sampler | undefined
  reads?: ReadCache
}

/** What the API answers to a request, and what it makes of the world. */
export interface Answer {
  response: ApiResponse
  /** The world that let the request in; undefined if it was refused before */
  world: World | undefined
  /** The world that the request met, if a fault's delay came in between */
  met?: World | undefined
  /** By the account's clock */
  now: Instant
  /** The fault that strikes, with its counters as they are then */
  fault: Fault | undefined
  /** How the counters of faults change */
  counted: WorldChange | undefined
  /** How the operation changes the world */
  change: WorldChange | undefined
  /** The fault's delay comes next, and then the operation (`before`) or the response (`after`) */
  waits: 'before' | 'after' | undefined
}

/**
 * By operationId. A missing one is a compile error; operations of another contract respond with a generated sample.
 * Copied, because the properties of a bundled module are getters.
 */
export const handlers = Object.assign({}, operations) satisfies {
  [Op in OperationId]: Operation<Op>
} as unknown as Partial<Record<string, Operation<never>>>

/** Reads the credentials. @returns false if the request can be refused without reading its body */
export function identify(context: RequestContext): boolean {
  context.credentials = readCredentials(context.request)
  return !('refusal' in context.credentials) || context.operation?.authOptionalWhen !== undefined
}

const noFault = { fault: undefined, faults: undefined }

/** Answers a request, up to a fault's delay. @param real real time */
export function answer(api: Api, context: RequestContext, world: World | undefined, real: Instant): Answer {
  const { operation, path, body, credentials } = context
  const now = world ? timeOf(world.clock, real) : real
  const none = {
    world: undefined,
    now,
    fault: undefined,
    counted: undefined,
    change: undefined,
    waits: undefined,
  }
  try {
    const openWhen = operation?.authOptionalWhen
    if (!world || !openWhen || !holds(openWhen, world)) requireAccepted(credentials as never, world)
  } catch (error) {
    return { ...none, response: refusal(api, context, error) }
  }
  const met = { ...none, world: world as World }
  if (!operation) return { ...met, response: unrouted(context) }
  const request = { operation: operation.operationId, path, body: body?.value }
  const { fault, faults } = world?.faults.length ? selectFault(world, request) : noFault
  const struck = { ...met, fault, counted: faults && { faults } }
  if (fault?.phase === 'before') {
    if (waits(fault)) return { ...struck, response: nothingYet, waits: 'before' }
    if (replacesResponse(fault)) return { ...struck, response: forced(context, fault, struck) }
  }
  return operate(api, context, struck)
}

/** Goes on after a fault's delay, in the world as it is then. */
export function answerAfterDelay(
  api: Api,
  context: RequestContext,
  delayed: Answer,
  world: World,
  real: Instant,
): Answer {
  const fault = delayed.fault as Fault
  const met = {
    ...delayed,
    met: delayed.world,
    world,
    now: timeOf(world.clock, real),
    counted: undefined,
    waits: undefined,
  }
  return replacesResponse(fault)
    ? { ...met, response: forced(context, fault, met) }
    : operate(api, context, met)
}

/** The operation itself, and what a fault of phase `after` makes of its response. */
function operate(api: Api, context: RequestContext, met: Omit<Answer, 'response'>): Answer {
  const operation = context.operation as ContractOperation
  const own = carryOut(api, context, operation, met.world as World, met.now)
  const done = { ...met, change: own.change }
  if (met.fault?.phase !== 'after') return { ...done, response: own.response }
  return {
    ...done,
    response: replacesResponse(met.fault) ? forced(context, met.fault, done, own.response) : own.response,
    waits: waits(met.fault) ? 'after' : undefined,
  }
}

function carryOut(
  api: Api,
  context: RequestContext,
  operation: ContractOperation,
  world: World,
  now: Instant,
): { response: ApiResponse; change?: WorldChange | undefined } {
  const { path, body, request, violations } = context
  const handler = handlers[operation.operationId]
  const isRead = operation.method === 'GET' && handler !== undefined && handler.length < 3 // it doesn't take the time
  const isLasting = api.reads !== undefined && isRead && violations.length === 0
  const known = isLasting ? api.reads?.get(world, request.url) : undefined
  if (known) return { response: known }
  // Not a getter: each object literal with one gets a hidden class of its own, which keeps the whole request alive until
  // the next full collection.
  const invalidPath = wrongPath(context)
  const input = {
    path: () => (invalidPath === undefined ? path : invalid(operation, 'path', invalidPath)),
    body() {
      const wrong = wrongBody(context)
      return wrong === undefined ? body?.value : invalid(operation, 'body', wrong)
    },
    invalidPath,
  }
  try {
    if (!handler) {
      input.path()
      input.body()
      const made = (api.sampler as Sampler)(operation, { seed: world.seed, url: request.url })
      return { response: checked(context, operation, success(made.status, made.type, made.body)) }
    }
    const { body: value, type, change }: OperationResult<never> = handler(input, world, now)
    const declared = type ?? Object.keys(operation.responses[200]?.content ?? {})[0]
    const response = checked(context, operation, success(200, declared, value))
    if (response.violations) return { response } // nothing of it happens
    if (isLasting && !change) api.reads?.set(world, request.url, response)
    return { response, change }
  } catch (error) {
    return { response: refusal(api, context, error) }
  }
}

/** A refusal in the contract's words. @throws any other error */
function refusal({ contract }: Api, context: RequestContext, error: unknown): ApiResponse {
  if (!(error instanceof Refusal)) throw error
  const { operation } = context
  const response = refused(contract, operation, error)
  return operation && !response.isUnlisted ? checked(context, operation, response) : response
}

/** A response that breaks the contract is a bug in the simulator, so it is reported rather than sent. */
function checked(
  { validator }: RequestContext,
  operation: ContractOperation,
  response: ApiResponse,
): ApiResponse {
  const violations = validator.response(operation, response)
  return violations.length === 0 ? response : broken(violations)
}

/** What is said in the place of a response that breaks the contract. */
export function broken(violations: readonly string[]): ApiResponse {
  const reason = violations.join('; ')
  return {
    status: 500,
    type: 'application/json',
    body: JSON.stringify({ error: `The simulator's answer breaks the contract: ${reason}`, violations }),
    case: 'contract-violation',
    reason,
    violations,
  }
}

function unrouted({ allow, request, pathname }: RequestContext): ApiResponse {
  return allow ? notAllowed(request.method, allow) : notFound(`there is no path ${pathname} in the contract`)
}

/** What a fault puts in place of a response is sent even if it breaks the contract; the journal says how. */
function forced(
  { operation: met, validator }: RequestContext,
  fault: Fault,
  { world, now }: Pick<Answer, 'world' | 'now'>,
  instead?: ApiResponse,
): ApiResponse {
  const operation = met as ContractOperation
  const response = forcedResponse(fault, { operation, now, limits: (world as World).limits }, instead)
  const violations = response.drop === undefined ? validator.response(operation, response) : []
  return violations.length === 0 ? response : { ...response, violations }
}

/** Until the delay is over */
const nothingYet: ApiResponse = { status: 200, type: undefined, body: '' }

function success(status: number, type: string | undefined, body: unknown): ApiResponse {
  if (body === undefined) return { status, type: undefined, body: '' }
  if (typeof body === 'string' && type?.startsWith('text/')) return { status, type, body }
  return { status, type, body: JSON.stringify(body), value: body }
}

export function wrongPath({ violations }: RequestContext): string | undefined {
  const wrong = violations.find(({ in: place }) => place !== 'body')
  return wrong && describeViolation(wrong)
}

/** Like the real service, it ignores a body where the contract has none. */
export function wrongBody({ violations, body }: RequestContext): string | undefined {
  if (body?.type === undefined) return undefined
  if (body.wrong !== undefined) return body.wrong
  const wrong = violations.find(({ in: place }) => place === 'body')
  return wrong && describeViolation(wrong)
}

/** Refuses an invalid path or body with the operation's own case (`x-invalid`), or else its 422, or else a 400. */
export function invalid(operation: ContractOperation, part: 'path' | 'body', reason: string): never {
  const name = operation.invalid[part] ?? operation.cases.find(({ status }) => status === 422)?.name
  throw new Refusal(name ?? badRequest, reason)
}

/** The response to a refusal, in the contract's words for its case. */
export function refused(
  contract: Contract,
  operation: ContractOperation | undefined,
  { case: name, reason, fill }: Refusal,
): ApiResponse {
  const own = operation && findCase(operation, name)
  if (own) return { ...caseReply(own, fill), case: name, reason }
  // Authentication also applies to unknown paths, and to operations that don't declare its cases.
  const borrowed = contract.operations.map((one) => findCase(one, name)).find((one) => one !== undefined)
  if (borrowed?.isAuthentication)
    return { ...caseReply(borrowed, fill), case: name, reason, isUnlisted: true }
  const status = undeclared[name]
  if (status !== undefined) return plainError(status, name, reason)
  throw new Error(
    `${operation?.operationId ?? 'the request'} was refused with the case ${name}, which the contract does not give it`,
  )
}

/** The case of malformed input if the contract declares none. */
const badRequest = 'bad-request'

/** Statuses of the cases that a contract doesn't have to declare */
const undeclared: Readonly<Record<string, number>> = {
  [badRequest]: 400,
  unauthenticated: 401,
  'invalid-authorization-header': 400,
  'invalid-credentials-format': 400,
}

/** The 404 for paths that aren't in the contract. */
export function notFound(reason: string): ApiResponse {
  return plainError(404, 'not-found', reason)
}

/** The 405 for paths that the contract has with other methods. */
export function notAllowed(method: string, allow: readonly string[]): ApiResponse {
  return {
    ...plainError(
      405,
      'method-not-allowed',
      `${method} is not one of the methods of this path (${allow.join(', ')})`,
    ),
    headers: { allow: allow.join(', ') },
  }
}

function plainError(status: number, name: string, reason: string): ApiResponse {
  return {
    status,
    type: 'application/json',
    body: JSON.stringify({ error: `${STATUS_CODES[status]}: ${reason}` }),
    case: name,
    reason,
    isUnlisted: true,
  }
}
