import type { OperationId } from '../contract/cases.gen.ts'
import type { Contract } from '../contract/Contract.ts'
import { holds } from '../contract/Condition.ts'
import { loadSampler, type Sampler } from '../contract/sample.ts'
import { createValidator, describeViolation, type Validator } from '../contract/validator/createValidator.ts'
import { invalid, refused } from '../http/refused.ts'
import { parseBody, type ParsedBody } from '../http/parseBody.ts'
import { jsonOf } from '../jsonOf.ts'
import * as operations from '../operations/operations.ts'
import type { Operation, OperationResult } from '../operations/Operation.ts'
import { Refusal } from '../world/Refusal.ts'
import type { Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import type { Answer, Exchange } from './Exchange.ts'
import { change } from './values.ts'

const handlers = Object.assign({}, operations) as unknown as Partial<Record<OperationId, Operation<never>>>

/** The simulator's response, and the reason for it. */
export interface OurAnswer extends Answer {
  case: string | undefined
  reason: string | undefined
}

/** Responds to recorded requests, in any world. */
export class Simulator {
  readonly validator: Validator
  readonly contract: Contract
  readonly #sampler: Sampler
  readonly #parsed = new WeakMap<Exchange, { body: ParsedBody; path?: string; wrong?: string }>()

  constructor(contract: Contract, validator: Validator, sampler: Sampler) {
    this.contract = contract
    this.validator = validator
    this.#sampler = sampler
  }

  static async open(contract: Contract): Promise<Simulator> {
    return new Simulator(contract, await createValidator(contract), await loadSampler())
  }

  respond(world: World, exchange: Exchange, at: Instant): { ours: OurAnswer; after: World } {
    const { operation, path } = exchange
    try {
      if (!holds(operation.authOptionalWhen, world)) this.#authenticate(exchange)
      const { body, path: wrongPath, wrong } = this.#parse(exchange)
      const input = {
        path: () => (wrongPath === undefined ? path : invalid(operation, 'path', wrongPath)),
        body: () => (wrong === undefined ? body.value : invalid(operation, 'body', wrong)),
        invalidPath: wrongPath,
      }
      const handler = handlers[operation.operationId as OperationId]
      if (!handler) {
        input.path()
        input.body()
        const { status, type, body: value } = this.#sampler(operation, { seed: world.seed, url: exchange.request.url })
        return { ours: answerOf(status, type, value), after: world }
      }
      const done: OperationResult<never> = handler(input as never, world, at)
      const type = done.type ?? Object.keys(operation.responses[200]?.content ?? {})[0]
      return { ours: answerOf(200, type, done.body), after: done.change ? change(world, done.change) : world }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, type, body, case: name, reason } = refused(this.contract, operation, error)
      return { ours: { status, type, body, value: jsonOf(body), case: name, reason }, after: world }
    }
  }

  #authenticate({ request: { credentials } }: Exchange): void {
    if (credentials.form === 'malformed-header') throw new Refusal('invalid-authorization-header', '')
    if (credentials.form === 'malformed-credentials') throw new Refusal('invalid-credentials-format', '')
    if (credentials.form === 'none' || (credentials.form === 'basic' && !credentials.isGood))
      throw new Refusal('unauthenticated', '')
  }

  #parse(exchange: Exchange) {
    const known = this.#parsed.get(exchange)
    if (known) return known
    const { operation, path, request } = exchange
    const bytes = request.body === undefined ? undefined : Buffer.from(request.body)
    const body = parseBody(operation, { headers: { 'content-type': request.contentType } } as never, { bytes } as never)
    const violations = this.validator.request(operation, { path, query: undefined, headers: {}, bodyType: body.type, body: body.value })
    const first = (isBody: boolean) => {
      const one = violations.find(({ in: place }) => (place === 'body') === isBody)
      return one && describeViolation(one)
    }
    const wrong = body.type === undefined ? undefined : (body.wrong ?? first(true))
    const parsed = { body, ...(first(false) !== undefined && { path: first(false) as string }), ...(wrong !== undefined && { wrong }) }
    this.#parsed.set(exchange, parsed)
    return parsed
  }
}

function answerOf(status: number, type: string | undefined, value: unknown): OurAnswer {
  const none = { case: undefined, reason: undefined }
  if (value === undefined) return { status, type: undefined, body: '', value: undefined, ...none }
  if (typeof value === 'string' && type?.startsWith('text/')) return { status, type, body: value, value: undefined, ...none }
  return { status, type, body: JSON.stringify(value), value, ...none }
}
