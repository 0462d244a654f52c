import { type Contract, mediaOf } from '../contract/Contract.ts'
import { loadSampler, type Sampler } from '../contract/sample.ts'
import { type Validator, validatorOf } from '../contract/validator/createValidator.ts'
import { answer, identify } from '../http/answer.ts'
import { readRequest, type RequestContext } from '../http/handleRequest.ts'
import { jsonOf } from '../lib/json.ts'
import { change } from '../world/change.ts'
import type { World } from '../world/World.ts'
import type { Credentials, Exchange, RecordedResponse } from './Exchange.ts'

/** The only account of a scenario that is made from a recording */
export const login = 'recorded'
export const password = 'secret'

/** The simulator's response, and the reason for it. */
export interface OurResponse extends RecordedResponse {
  case: string | undefined
  reason: string | undefined
}

/** Responds to recorded requests in any world, by the same pure functions as the server. */
export class Simulator {
  readonly validator: Validator
  readonly #contract: Contract
  readonly #sampler: Sampler
  readonly #contexts = new WeakMap<Exchange, RequestContext>()

  private constructor(contract: Contract, validator: Validator, sampler: Sampler) {
    this.#contract = contract
    this.validator = validator
    this.#sampler = sampler
  }

  static async open(contract: Contract): Promise<Simulator> {
    return new Simulator(contract, await validatorOf(contract), await loadSampler())
  }

  /** Parses and validates a request, once for all replays. */
  async prepare(exchange: Exchange): Promise<void> {
    const { operation, request } = exchange
    const authorization = authorizationOf(request.credentials)
    const context = await readRequest(
      { contract: this.#contract, identify },
      {
        method: operation.method,
        url: request.url,
        headers: {
          accept: 'application/json',
          ...(request.contentType !== undefined && { 'content-type': request.contentType }),
          ...(authorization !== undefined && { authorization }),
        },
        body: () =>
          Promise.resolve({ bytes: request.body === undefined ? undefined : Buffer.from(request.body) }),
        signal: () => never,
      },
    )
    this.#contexts.set(exchange, context)
  }

  /** The response to a request, and the world after it. @param world its clock follows real time */
  respond(world: World, exchange: Exchange): { ours: OurResponse; after: World } {
    const context = this.#contexts.get(exchange) as RequestContext
    const given = answer({ contract: this.#contract, sampler: this.#sampler }, context, world, exchange.at)
    const { status, type, body, case: name, reason, value = jsonOf(body) } = given.response
    return {
      ours: { status, type: mediaOf(type), body, value, case: name, reason },
      after: given.change ? change(world, given.change) : world,
    }
  }
}

const never = new AbortController().signal

function authorizationOf(credentials: Credentials): string | undefined {
  switch (credentials.form) {
    case 'none':
      return undefined
    case 'malformed-header':
      return 'Malformed'
    case 'malformed-credentials':
      return 'Basic !'
    case 'basic':
      return basic(credentials.isGood ? password : `${password} and wrong`)
    case 'unknown':
      return basic(password)
  }
}

function basic(secret: string): string {
  return `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`
}
