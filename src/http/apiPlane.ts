import { describeViolation } from '../contract/validator/createValidator.ts'
import type { OperationId } from '../contract/cases.gen.ts'
import { loadSampler, type Sampler } from '../contract/sample.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import { holds, type Condition } from '../contract/Condition.ts'
import { headerText } from '../headerText.ts'
import { hasNoContent } from '../faults/effects/respond.ts'
import { selectFault } from '../faults/selectFault.ts'
import { forcedResponse, replacesResponse, waitFor, waits } from '../faults/strike.ts'
import { noteEvidence } from '../journal/findings.ts'
import { forcedCase } from '../journal/shownCase.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import * as operations from '../operations/operations.ts'
import type { Operation, OperationResult } from '../operations/Operation.ts'
import type { Simulation } from '../Simulation.ts'
import { realTime, timeOf } from '../state/clock.ts'
import type { Outcome, ReadView, Step } from '../state/Store.ts'
import { StorageError } from '../store/StorageError.ts'
import { Refusal } from '../world/Refusal.ts'
import type { Instant } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { ApiResponse } from './ApiResponse.ts'
import { readCredentials, requireAccepted } from './authenticate.ts'
import type { Plane } from './handleRequest.ts'
import { invalid, notAllowed, notFound, refused } from './refused.ts'
import type { RequestContext } from './RequestContext.ts'
import { ReadCache } from './ReadCache.ts'
import { secretsOf } from './secretsOf.ts'
import type { WireResponse } from './Wire.ts'

/** The simulated API. */
export function apiPlane(simulation: Simulation): Plane {
  const { contract, store } = simulation
  const reads = new ReadCache()
  return {
    contract,
    validator: () => simulation.ready ?? simulation.validator,
    moment: () => store.moment,
    identify(context) {
      context.credentials = readCredentials(context.request)
      return !('refusal' in context.credentials) || context.operation?.authOptionalWhen !== undefined
    },
    respond: (context) => new Exchange(simulation, context, reads).respond(),
  }
}

/** A step produces a response, or a delay and the step that follows it. */
type Next = WireResponse | { wait: Fault; step: Step<Next> }

/**
 * By operationId. A missing one is a compile error; operations of another contract respond with a generated sample.
 * Copied, because the properties of a bundled module are getters.
 */
const handlers = Object.assign({}, operations) satisfies {
  [Op in OperationId]: Operation<Op>
} as unknown as Partial<Record<string, Operation<never>>>

/**
 * One request and its response: authenticate → fault → operation → check → record, as steps that the store runs. A step
 * changes nothing itself: the store applies its change, makes it durable, and adds its record.
 */
class Exchange {
  readonly #simulation: Simulation
  readonly #context: RequestContext
  readonly #reads: ReadCache
  #sampler: Sampler | undefined

  constructor(simulation: Simulation, context: RequestContext, reads: ReadCache) {
    this.#simulation = simulation
    this.#context = context
    this.#reads = reads
  }

  async respond(): Promise<WireResponse> {
    const { store } = this.#simulation
    const context = this.#context
    const readView: ReadView = { moment: context.moment }
    try {
      const openWhen = context.operation?.authOptionalWhen
      const login = openWhen ? await this.#openLogin(openWhen) : context.credentials?.login
      if (context.operation && !handlers[context.operation.operationId]) this.#sampler = await loadSampler()
      let done = store.transact(login, (world, real) => this.#begin(login, world, real), readView)
      for (;;) {
        const next: Next = done instanceof Promise ? await done : done
        if (!('wait' in next)) return next
        await waitFor(next.wait, context.request.signal())
        readView.world = context.account?.world
        done = store.transact(login, next.step, readView)
      }
    } catch (error) {
      const failed = this.#failed(error)
      return await this.#recordFailure(failed, readView)
    }
  }

  /**
   * The account of a request that may be anonymous: the one it names, or else one that allows anonymous access to the
   * operation, preferably the owner of the service.
   */
  async #openLogin(openWhen: Condition): Promise<string | undefined> {
    const { store } = this.#simulation
    const { credentials, path } = this.#context
    const named = credentials?.login
    if (named !== undefined && (await store.world(named))) return named
    return (await store.whose(openWhen, path['id'])) ?? named
  }

  /** Adds the failure to the journal, unless the journal itself fails. */
  async #recordFailure(failed: ApiResponse, readView: ReadView): Promise<WireResponse> {
    const { store } = this.#simulation
    const step = (): Outcome<WireResponse> => this.#close(failed)
    try {
      return await store.transact(this.#context.account?.login, step, readView)
    } catch {
      return step().value
    }
  }

  #begin(login: string | undefined, world: World | undefined, real: Instant): Outcome<Next> {
    const { contract } = this.#simulation
    const context = this.#context
    const { operation, path, body } = context
    context.account = undefined
    context.change = undefined
    context.fault = undefined
    context.version = null
    context.now = world ? timeOf(world.clock, real) : real
    try {
      if (!world || !operation || !holds(operation.authOptionalWhen, world))
        requireAccepted(context.credentials as never, world)
      context.account = { login: login as string, world: world as World }
      context.version = (world as World).version
      if (!operation)
        return this.#close(
          context.allow
            ? notAllowed(context.request.method, context.allow)
            : notFound(`there is no path ${context.pathname} in the contract`),
        )
      const { fault, faults } = selectFault(world as World, {
        operation: operation.operationId,
        path,
        body: body?.value,
      })
      const counted: WorldChange | undefined = faults && { faults }
      context.fault = fault
      if (fault?.phase === 'before' && waits(fault))
        return this.#wait(operation, fault, world as World, counted)
      return fault?.phase === 'before' && replacesResponse(fault)
        ? this.#close(this.#forced(operation, fault, world as World), counted)
        : this.#operate(operation, world as World, counted)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return this.#close(refused(contract, operation, error))
    }
  }

  /** World and clock may change during the delay. */
  #wait(
    operation: ContractOperation,
    fault: Fault,
    before: World,
    change: WorldChange | undefined,
  ): Outcome<Next> {
    const step: Step<Next> = (after, real) => {
      const world = after ?? before
      this.#context.now = timeOf(world.clock, real)
      if (replacesResponse(fault)) return this.#close(this.#forced(operation, fault, world))
      return this.#operate(operation, world, undefined)
    }
    return { value: { wait: fault, step }, change }
  }

  #forced(operation: ContractOperation, fault: Fault, { limits }: World, instead?: ApiResponse): ApiResponse {
    return forcedResponse(fault, { operation, now: this.#context.now, limits }, instead)
  }

  #operate(operation: ContractOperation, world: World, counted: WorldChange | undefined): Outcome<Next> {
    const context = this.#context
    const { fault } = context
    let own: ApiResponse
    try {
      own = this.#carryOut(operation, world)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      own = refused(this.#simulation.contract, operation, error)
    }
    const change = context.change && counted ? { ...context.change, ...counted } : (context.change ?? counted)
    if (fault?.phase !== 'after') return this.#close(own, change)
    const response = replacesResponse(fault) ? this.#forced(operation, fault, world, own) : own
    if (!waits(fault)) return this.#close(response, change)
    return { value: { wait: fault, step: () => this.#close(response) }, change }
  }

  #carryOut(operation: ContractOperation, world: World): ApiResponse {
    const context = this.#context
    const { path, body, request, now } = context
    const invalidPath = wrongPath(context)
    const invalidBody = wrongBody(context)
    const input = {
      path: () => (invalidPath === undefined ? path : invalid(operation, 'path', invalidPath)),
      body: () => (invalidBody === undefined ? body?.value : invalid(operation, 'body', invalidBody)),
      invalidPath,
    }
    const handler = handlers[operation.operationId]
    // A GET that doesn't depend on the time has the same response until the world changes.
    const isLasting = operation.method === 'GET' && handler !== undefined && handler.length < 3
    const known = isLasting ? this.#reads.get(request.url, world) : undefined
    if (known) return known
    if (!handler) {
      input.path()
      input.body()
      const made = (this.#sampler as Sampler)(operation, { seed: world.seed, url: request.url })
      return success(made.status, made.type, made.body)
    }
    const { body: answer, type, change }: OperationResult<never> = handler(input, world, now)
    context.change = change
    const response = success(200, type ?? Object.keys(operation.responses[200]?.content ?? {})[0], answer)
    if (isLasting && !change) this.#reads.set(request.url, world, response)
    return response
  }

  /** The response to errors of the simulator itself. */
  #failed(error: unknown): ApiResponse {
    this.#context.change = undefined
    this.#context.now ||= realTime() // the storage may fail before it looks at the clock
    if (!(error instanceof StorageError))
      return this.#broken([`the simulator failed: ${(error as Error).message}`], error)
    const { message } = error
    this.#simulation.log.error({ path: this.#context.request.url }, message)
    return {
      status: 503,
      type: 'application/json',
      body: JSON.stringify({ error: message }),
      case: 'storage-failed',
      reason: message,
    }
  }

  /** A response that breaks the contract is a bug in the simulator, so report it rather than send it. */
  #broken(violations: readonly string[], error?: unknown): ApiResponse {
    const { operation, request } = this.#context
    this.#simulation.log.error(
      { operation: operation?.operationId, path: request.url, violations, err: error },
      'a response broke the contract',
    )
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

  /** Ends a step: checks the response against the contract, and adds the journal record. */
  #close(given: ApiResponse, change?: WorldChange): Outcome<WireResponse> {
    const context = this.#context
    const { operation, validator } = context
    const isFailure = given.status >= 500 && !given.forced
    if (!operation || given.isUnlisted || given.drop !== undefined || isFailure)
      return this.#reply(given, given.violations ?? [], change)
    const violations = validator.response(operation, given)
    // a fault may break the contract
    if (given.forced || violations.length === 0) return this.#reply(given, violations, change)
    context.change = undefined
    return this.#reply(this.#broken(violations), violations, undefined)
  }

  #reply(
    result: ApiResponse,
    violations: readonly string[],
    change: WorldChange | undefined,
  ): Outcome<WireResponse> {
    const { explain, contract } = this.#simulation
    const context = this.#context
    const { request, now, body } = context
    const headers: Record<string, string> = { date: httpDate(now), 'cache-control': 'no-store' }
    if (result.type !== undefined) headers['content-type'] = `${result.type}; charset=utf-8`
    if (result.case === 'unauthenticated') headers['www-authenticate'] = `Basic realm="${contract.title}"`
    if (result.status >= 400 && explain) {
      headers['sim-case'] = result.case ?? forcedCase
      headers['sim-reason'] = headerText(result.reason ?? '')
    }
    Object.assign(headers, result.headers)
    const isForced = result.forced === true
    if (isForced) Object.assign(headers, harmless)
    if (!hasNoContent(result.status)) headers['content-length'] = String(Buffer.byteLength(result.body))

    const changed = context.change !== undefined
    const ended = performance.now()
    const record: RawRecord = {
      id: 0,
      birth: 0,
      era: 0,
      version: context.version,
      time: now,
      account: context.account?.login ?? null,
      operation: context.operation?.operationId ?? null,
      method: request.method,
      path: request.url,
      status: result.drop === undefined || result.drop === 'truncate' ? result.status : null,
      case: result.case ?? null,
      reason: result.reason ?? null,
      forced: isForced,
      durationMs: ended - context.started,
      requestHeaders: request.headers,
      requestBody: context.account && body?.text,
      isBodyUnreadable: context.account && body?.isUnreadable,
      responseHeaders: headers,
      responseBody: result.body,
      change: context.change,
      violations: context.account ? violationsOf(context).concat(violations) : [...violations],
      secrets: secretsOf(context),
      at: timeOrigin + ended,
      lost: result.drop !== undefined || (isForced && changed),
      evidence:
        context.operation &&
        noteEvidence({
          operation: context.operation,
          method: request.method,
          headers: request.headers,
          path: context.path,
          body: body?.value,
          changed,
          answer: result,
        }),
    }
    const response: WireResponse = {
      status: result.status,
      headers,
      body: result.body,
      drop: result.drop,
      lost: () => this.#simulation.store.markLost(record),
    }
    return { value: response, change, record }
  }
}

/** A fault may respond with any content on this origin: browsers must not run it as a page. */
const harmless = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

const none: readonly string[] = []

const { timeOrigin } = performance

/** Contract violations of the request: at most one in the path and one in the body. */
function violationsOf(context: RequestContext): readonly string[] {
  if (context.violations.length === 0 && context.body?.wrong === undefined) return none
  return [wrongPath(context), wrongBody(context)].filter((one) => one !== undefined)
}

function wrongPath({ violations }: RequestContext): string | undefined {
  const wrong = violations.find(({ in: place }) => place !== 'body')
  return wrong && describeViolation(wrong)
}

/** Like the real service, it ignores a body where the contract has none. */
function wrongBody({ violations, body }: RequestContext): string | undefined {
  if (body?.type === undefined) return undefined
  if (body.wrong !== undefined) return body.wrong
  const wrong = violations.find(({ in: place }) => place === 'body')
  return wrong && describeViolation(wrong)
}

function success(status: number, type: string | undefined, body: unknown): ApiResponse {
  if (body === undefined) return { status, type: undefined, body: '' }
  if (typeof body === 'string' && type?.startsWith('text/')) return { status, type, body }
  return { status, type, body: JSON.stringify(body), value: body }
}

let lastDate = { second: -1, text: '' }

/** The Date header, formatted once per second. */
function httpDate(now: Instant): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() }
  return lastDate.text
}
