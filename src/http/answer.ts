import { STATUS_CODES } from 'node:http'
import type { OperationId } from '../contract/cases.gen.ts'
import { caseReply, findCase } from '../contract/caseReply.ts'
import { holds } from '../contract/Condition.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Sampler } from '../contract/sample.ts'
import { selectFault } from '../faults/selectFault.ts'
import { forcedResponse, replacesResponse, waits } from '../faults/strike.ts'
import type { Operation } from '../operations/Operation.ts'
import * as operations from '../operations/operations.ts'
import { Refusal } from '../world/Refusal.ts'
import { type Instant, timeOf } from '../world/time.ts'
import type { Fault, World, WorldChange } from '../world/World.ts'
import { authenticate, readCredentials, type Credentials } from './authenticate.ts'
import type { RequestContext } from './handleRequest.ts'
import type { ReadCache } from './ReadCache.ts'
import type { ApiResponse } from './Wire.ts'

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
  met: World | undefined
  /** By the account's clock */
  now: Instant
  /** The fault that strikes, with its counters as they are then */
  fault: Fault | undefined
  /** How the operation changes the world */
  change: WorldChange | undefined
  /** The same with the counters of faults: what is to be committed */
  commits: WorldChange | undefined
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
  context.login = context.credentials.login
  return !('refusal' in context.credentials) || context.operation?.authOptionalWhen !== undefined
}

/** Answers a request, up to a fault's delay. @param real real time */
export function answer(api: Api, context: RequestContext, world: World | undefined, real: Instant): Answer {
  const { operation, path, body, credentials } = context
  const now = world ? timeOf(world.clock, real) : real
  const openWhen = operation?.authOptionalWhen
  const isOpen = world && openWhen && holds(openWhen, world)
  const refusal = isOpen ? undefined : authenticate(credentials as Credentials, world)
  if (!world || refusal) return answered(refused(api, context, refusal as Refusal), undefined, now)
  if (!operation) return answered(unrouted(context), world, now)
  const request = { operation: operation.operationId, path, body: body?.value }
  const selected = world.faults.length > 0 ? selectFault(world, request) : undefined
  const { fault, faults } = selected ?? {}
  const met = answered(nothingYet, world, now, fault, faults && { faults })
  if (fault?.phase === 'before' && waits(fault)) return { ...met, waits: 'before' }
  return operate(api, context, operation, met)
}

/** An answer that changes nothing but the counters of faults */
function answered(
  response: ApiResponse,
  world: World | undefined,
  now: Instant,
  fault?: Fault,
  commits?: WorldChange,
): Answer {
  return { response, world, met: world, now, fault, change: undefined, commits, waits: undefined }
}

/** Until the delay is over */
const nothingYet: ApiResponse = { status: 200, type: undefined, body: '' }

/** Goes on after a fault's delay, in the world as it is then. */
export function answerAfterDelay(
  api: Api,
  context: RequestContext,
  delayed: Answer,
  world: World,
  real: Instant,
): Answer {
  const met = { ...delayed, commits: undefined, waits: undefined }
  if (delayed.waits === 'after') return met // it has happened
  const operation = context.operation as ContractOperation
  return operate(api, context, operation, { ...met, world, now: timeOf(world.clock, real) })
}

/** The operation itself, unless a fault takes its place, and what a fault of phase `after` makes of its response. */
function operate(api: Api, context: RequestContext, operation: ContractOperation, met: Answer): Answer {
  const { fault, commits } = met
  const replacing = fault && replacesResponse(fault) ? fault : undefined
  if (replacing?.phase === 'before') return { ...met, response: forced(context, replacing, met) }
  const { response, change } = carryOut(api, context, operation, met.world as World, met.now)
  return {
    ...met,
    response: replacing ? forced(context, replacing, met, response) : response,
    change,
    commits: change && commits ? { ...change, ...commits } : (change ?? commits),
    waits: fault?.phase === 'after' && waits(fault) ? 'after' : undefined,
  }
}

interface CarriedOut {
  response: ApiResponse
  change?: WorldChange | undefined
}

function carryOut(
  api: Api,
  context: RequestContext,
  operation: ContractOperation,
  world: World,
  now: Instant,
): CarriedOut {
  const { path, body, request, violations, wrongPath, wrongBody } = context
  const handler = handlers[operation.operationId]
  const isRead = operation.method === 'GET' && handler !== undefined && handler.length < 3 // it doesn't take the time
  const reads = isRead && violations.length === 0 ? api.reads : undefined
  const known = reads?.get(world, request.url)
  if (known) return { response: known }
  // No getter: each object literal with one gets a hidden class of its own, which keeps the whole request alive until
  // the next full collection.
  const input = {
    path: () => (wrongPath === undefined ? path : invalid(operation, 'path', wrongPath)),
    body: () => (wrongBody === undefined ? body?.value : invalid(operation, 'body', wrongBody)),
    invalidPath: wrongPath,
  }
  try {
    if (!handler) {
      input.path()
      input.body()
      const made = (api.sampler as Sampler)(operation, { seed: world.seed, url: request.url })
      return { response: checked(context, operation, made.status, made.type, made.body) }
    }
    const { body: value, type, change } = handler(input, world, now)
    const declared = type ?? Object.keys(operation.responses[200]?.content ?? {})[0]
    const response = checked(context, operation, 200, declared, value)
    if (response.violations) return { response } // nothing of it happens
    if (!change) reads?.set(world, request.url, response)
    return { response, change }
  } catch (error) {
    if (error instanceof Refusal) return { response: refused(api, context, error) }
    throw error
  }
}

/** The response with a body; a report in its place if it breaks the contract. */
function checked(
  { validator }: RequestContext,
  operation: ContractOperation,
  status: number,
  type: string | undefined,
  value: unknown,
): ApiResponse {
  const response: ApiResponse =
    value === undefined
      ? { status, type: undefined, body: '' }
      : typeof value === 'string' && type?.startsWith('text/')
        ? { status, type, body: value }
        : { status, type, body: JSON.stringify(value), value }
  const violations = validator.response(operation, response)
  return violations.length === 0 ? response : broken(violations)
}

/** A response that breaks the contract is a bug in the simulator, so it is reported rather than sent. */
export function broken(violations: readonly string[]): ApiResponse {
  const reason = violations.join('; ')
  return {
    status: 500,
    type: 'application/json',
    body: JSON.stringify({ error: `The simulator's response breaks the contract: ${reason}`, violations }),
    case: 'contract-violation',
    reason,
    violations,
  }
}

/** What a fault puts in place of a response is sent even if it breaks the contract; the journal says how. */
function forced(context: RequestContext, fault: Fault, met: Answer, instead?: ApiResponse): ApiResponse {
  const operation = context.operation as ContractOperation
  const { limits } = met.world as World
  const response = forcedResponse(fault, { operation, now: met.now, limits }, instead)
  const violations = response.drop === undefined ? context.validator.response(operation, response) : []
  return violations.length === 0 ? response : { ...response, violations }
}

/** Refuses an invalid path or body with the operation's own case (`x-invalid`), or else its 422, or else a 400. */
function invalid(operation: ContractOperation, part: 'path' | 'body', reason: string): never {
  const name = operation.invalid[part] ?? operation.cases.find(({ status }) => status === 422)?.name
  throw new Refusal(name ?? 'bad-request', reason)
}

/** Statuses of the cases that a contract doesn't have to declare */
const undeclared: Readonly<Record<string, number>> = {
  'bad-request': 400,
  unauthenticated: 401,
  'invalid-authorization-header': 400,
  'invalid-credentials-format': 400,
}

/** The response to a refusal, in the contract's words for its case. */
function refused(
  { contract }: Api,
  { operation, validator }: RequestContext,
  { case: name, reason, fill }: Refusal,
): ApiResponse {
  const own = operation && findCase(operation, name)
  if (own) {
    const response = { ...caseReply(own, fill), case: name, reason }
    const violations = validator.response(operation, response)
    return violations.length === 0 ? response : broken(violations)
  }
  // Authentication also applies to unknown paths, and to operations that don't declare its cases.
  const borrowed = contract.operations.map((one) => findCase(one, name)).find((one) => one !== undefined)
  if (borrowed?.isAuthentication) return { ...caseReply(borrowed, fill), case: name, reason }
  const status = undeclared[name]
  if (status !== undefined) return plainError(status, name, reason)
  throw new Error(
    `${operation?.operationId ?? 'the request'} was refused with the case ${name}, which the contract does not give it`,
  )
}

/** The 404 for paths that aren't in the contract, and the 405 for those that it has with other methods. */
function unrouted({ allow, request: { method }, pathname }: RequestContext): ApiResponse {
  if (!allow) return plainError(404, 'not-found', `there is no path ${pathname} in the contract`)
  const methods = allow.join(', ')
  const reason = `${method} is not one of the methods of this path (${methods})`
  return { ...plainError(405, 'method-not-allowed', reason), headers: { allow: methods } }
}

function plainError(status: number, name: string, reason: string): ApiResponse {
  const body = JSON.stringify({ error: `${STATUS_CODES[status]}: ${reason}` })
  return { status, type: 'application/json', body, case: name, reason }
}
