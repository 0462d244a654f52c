import type { Contract } from '../contract/Contract.ts'
import { createValidator, type Validator } from '../contract/validator/createValidator.ts'
import { loadSampler, type Sampler } from '../contract/sample.ts'
import { answer, identify, type Answer as Answered } from '../http/answer.ts'
import { handleRequest, type Plane } from '../http/handleRequest.ts'
import { change } from '../world/change.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import { jsonOf } from '../jsonOf.ts'
import { mediaOf, type Answer, type Credentials, type Exchange } from './Exchange.ts'

/** The only account of a scenario that is made from a recording */
export const login = 'recorded'
export const password = 'secret'

/** The simulator's response, and the reason for it. */
export interface OurAnswer extends Answer {
  case: string | undefined
  reason: string | undefined
}

/**
 * The simulator that recordings are judged by: the real pipeline, in memory and without sockets. Everything that
 * calibration knows about the simulator's internals is in this file.
 */
export class Judge {
  readonly validator: Validator
  readonly #plane: Plane
  readonly #sampler: Sampler
  #world: World | undefined
  #marked: World | undefined
  #given: Answered | undefined

  private constructor(contract: Contract, validator: Validator, sampler: Sampler) {
    this.validator = validator
    this.#sampler = sampler
    this.#plane = {
      contract,
      validator: () => validator,
      identify,
      respond: async (context) => {
        const given = answer({ contract, sampler: this.#sampler }, context, this.world, 0)
        if (given.change) this.patch(given.change)
        this.#given = given
        return { status: given.response.status, headers: {}, body: given.response.body }
      },
    }
  }

  static async open(contract: Contract): Promise<Judge> {
    return new Judge(contract, await createValidator(contract), await loadSampler())
  }

  /** Starts from a world. */
  load(world: World): void {
    this.#world = world
    this.mark()
  }

  get world(): World {
    return this.#world as World
  }

  /** Sets the point that `undo` goes back to. */
  mark(): void {
    this.#marked = this.#world
  }

  /** Undoes all changes since the last mark. */
  undo(): void {
    this.#world = this.#marked
  }

  patch(patch: WorldChange): void {
    this.#world = change(this.world, patch)
  }

  /** Answers a recorded request as of that time. */
  async answer({ operation, request }: Exchange, at: Instant): Promise<OurAnswer> {
    this.#world = { ...this.world, clock: { frozen: instantOf(at) } }
    const authorization = authorizationOf(request.credentials)
    const bytes = request.body === undefined ? undefined : Buffer.from(request.body)
    await handleRequest(this.#plane, {
      method: operation.method,
      url: request.url,
      headers: {
        accept: 'application/json',
        ...(request.contentType !== undefined && { 'content-type': request.contentType }),
        ...(authorization !== undefined && { authorization }),
      },
      count: (header) => (header === 'authorization' && authorization !== undefined ? 1 : 0),
      body: () => Promise.resolve({ bytes }),
      signal: () => never,
    })
    const { status, type, body, case: name, reason } = (this.#given as Answered).response
    return { status, type: mediaOf(type), body, value: jsonOf(body), case: name, reason }
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
