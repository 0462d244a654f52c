import { STATUS_CODES } from 'node:http'
import type { OperationId } from '../contract/cases.gen.ts'
import { caseReply, findCase } from '../contract/caseReply.ts'
import { holds } from '../contract/Condition.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Sampler } from '../contract/sample.ts'
import { selectFault } from '../faults/selectFault.ts'
import { forcedResponse, replacesResponse } from '../faults/strike.ts'
import type { Operation } from '../service/operations/Operation.ts'
import * as operations from '../service/operations/operations.ts'
import { writeBody } from '../service/writeBody.ts'
import { fromBase64 } from '../lib/base64.ts'
import { Refusal } from '../world/Refusal.ts'
import { type Instant, timeOf } from '../world/time.ts'
import type { Fault, World, WorldChange } from '../world/World.ts'
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
  /** By the account's clock */
  now: Instant
  /** How the operation changes the world */
  change: WorldChange | undefined
}

/**
 * By operationId. A missing one is a compile error; operations of another contract respond with a generated sample.
 * Copied, because the properties of a bundled module are getters.
 */
export const handlers = Object.assign({}, operations) satisfies {
  [Op in OperationId]: Operation<Op>
} as unknown as Partial<Record<string, Operation<never>>>

interface Credentials {
  login: string
  secret: string
}

/** Clients send the same Authorization header again and again, so it is decoded only if it isn't the latest. */
let latest: { header: string | undefined; credentials: Credentials | Refusal } | undefined

/** Reads the credentials. @returns false if the request can be refused without reading its body */
export function identify(context: RequestContext): boolean {
  const header = context.request.headers['authorization'] as string | undefined
  if (!latest || latest.header !== header) latest = { header, credentials: credentialsOf(header) }
  const { credentials } = latest
  if (credentials instanceof Refusal) {
    context.anonymous = credentials
    return context.operation?.authOptionalWhen !== undefined
  }
  context.login = credentials.login
  context.secret = credentials.secret
  return true
}

/** Reads an Authorization header. Several are joined by commas (`limits`), which is none of the right form. */
function credentialsOf(header: string | undefined): Credentials | Refusal {
  if (header === undefined) return new Refusal('unauthenticated', 'there is no Authorization header')
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1]
  if (encoded === undefined)
    return new Refusal(
      'invalid-authorization-header',
      /^basic .*\S\s+\S/i.test(header)
        ? 'the credentials contain white space: encode them as base64 without line breaks'
        : 'the Authorization header is not of the form "Basic {credentials}"',
    )
  const decoded = fromBase64(encoded)
  const colon = decoded?.indexOf(':') ?? -1 // the first one, as a password may contain colons
  if (decoded !== undefined && colon >= 0)
    return { login: decoded.slice(0, colon), secret: decoded.slice(colon + 1) }
  return new Refusal(
    'invalid-credentials-format',
    decoded === undefined
      ? 'the credentials are not base64 of UTF-8 text (padding included)'
      : 'the decoded credentials have no colon between login and password',
  )
}

/** Returns why the account doesn't accept the request, if so. */
export function authenticate(
  { operation, anonymous, login = '', secret }: RequestContext,
  world: World | undefined,
): Refusal | undefined {
  const openWhen = operation?.authOptionalWhen
  if (world && openWhen && holds(openWhen, world)) return undefined
  if (anonymous) return anonymous
  if (!world) return new Refusal('unauthenticated', `there is no account with this login${spaceIn(login)}`)
  if (secret === world.password || world.tokens.includes(secret)) return undefined
  return new Refusal('unauthenticated', `wrong password or token for this login${spaceIn(secret)}`)
}

/** White space in credentials is nearly always a mistake: `echo login:password | base64` encodes a line break. */
function spaceIn(text: string): string {
  return /[\s\0]/.test(text) ? '; it contains white space, such as the line break that `echo` adds' : ''
}

/** Finds the fault that strikes a request. @returns all faults with new counters; undefined if none counts it */
export function strike(context: RequestContext, world: World | undefined): Fault[] | undefined {
  const { operation, parameters, json } = context
  context.met = world
  context.fault = undefined
  if (!world || !operation || world.faults.length === 0 || authenticate(context, world)) return undefined
  const matchable = { operation: operation.operationId, path: parameters, body: json }
  const { fault, faults } = selectFault(world, matchable)
  context.fault = fault
  return faults
}

/** Answers a request, once the delay of its fault is over. @param real real time */
export function answer(api: Api, context: RequestContext, world: World | undefined, real: Instant): Answer {
  const { operation, fault } = context
  const now = world ? timeOf(world.clock, real) : real
  const refusal = authenticate(context, world)
  if (!world || refusal)
    return { response: refused(api, context, refusal as Refusal), world: undefined, now, change: undefined }
  if (!operation) return { response: unrouted(context), world, now, change: undefined }
  const forcing = fault && replacesResponse(fault) ? fault : undefined
  if (forcing?.phase === 'before')
    return { response: forced(context, forcing, world, now), world, now, change: undefined }
  const { response, change } = carryOut(api, context, world, now)
  return { response: forcing ? forced(context, forcing, world, now, response) : response, world, now, change }
}

/** Carries the operation out: its response, and how it changes the world. */
function carryOut(
  api: Api,
  context: RequestContext,
  world: World,
  now: Instant,
): Pick<Answer, 'response'> & Partial<Answer> {
  const { request, violations } = context
  const operation = context.operation as ContractOperation
  const handler = handlers[operation.operationId]
  const isRead = operation.method === 'GET' && handler !== undefined && handler.length < 3 // it doesn't take the time
  const reads = isRead && violations.length === 0 ? api.reads : undefined
  const known = reads?.get(world, request.url)
  if (known) return { response: known }
  try {
    if (!handler) {
      context.path()
      context.body()
      const made = (api.sampler as Sampler)(operation, { seed: world.seed, url: request.url })
      const shown = writeBody(made.body, operation.responses[made.status]?.content, world)
      return { response: checked(context, responseOf(made.status, made.type, shown)) }
    }
    const { body, type, change } = handler(context, world, now)
    const { content } = operation.responses[200] ?? {}
    const declared = type ?? Object.keys(content ?? {})[0]
    const response = checked(context, responseOf(200, declared, writeBody(body, content, world)))
    if (response.violations) return { response } // nothing of it happens
    if (!change) reads?.set(world, request.url, response)
    return { response, change }
  } catch (error) {
    if (error instanceof Refusal) return { response: refused(api, context, error) }
    throw error
  }
}

function responseOf(status: number, type: string | undefined, value: unknown): ApiResponse {
  if (value === undefined) return { status, type: undefined, body: '' }
  if (typeof value === 'string' && type?.startsWith('text/')) return { status, type, body: value }
  return { status, type, body: JSON.stringify(value), value }
}

/** The response; a report in its place if it breaks the contract. */
function checked({ validator, operation }: RequestContext, response: ApiResponse): ApiResponse {
  const violations = validator.response(operation as ContractOperation, response)
  return violations.length === 0 ? response : broken(violations)
}

/** A response that breaks the contract is a bug in the simulator, so it is reported rather than sent. */
export function broken(violations: readonly string[]): ApiResponse {
  const reason = violations.join('; ')
  const error = `The simulator's response breaks the contract: ${reason}`
  const body = JSON.stringify({ error, violations })
  return { status: 500, type: 'application/json', body, case: 'contract-violation', reason, violations }
}

/** What a fault puts in place of a response is sent even if it breaks the contract; the journal says how. */
function forced(
  { operation, validator }: RequestContext,
  fault: Fault,
  world: World,
  now: Instant,
  instead?: ApiResponse,
): ApiResponse {
  const struck = { operation: operation as ContractOperation, now, world }
  const response = forcedResponse(fault, struck, instead)
  const violations = response.drop === undefined ? validator.response(struck.operation, response) : []
  return violations.length === 0 ? response : { ...response, violations }
}

/** Statuses of the cases that a contract doesn't have to declare */
const undeclared: Readonly<Record<string, number>> = {
  'bad-request': 400,
  unauthenticated: 401,
  'invalid-authorization-header': 400,
  'invalid-credentials-format': 400,
}

/** The response to a refusal, in the contract's words for its case. */
function refused({ contract }: Api, context: RequestContext, refusal: Refusal): ApiResponse {
  const { operation } = context
  const { case: name, reason, fill } = refusal
  const own = operation && findCase(operation, name)
  if (own) return checked(context, { ...caseReply(own, fill), case: name, reason })
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
