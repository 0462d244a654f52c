import { pino } from 'pino'
import type { Contract } from '../contract/Contract.ts'
import { createValidator, type Validator } from '../contract/validator/createValidator.ts'
import { apiPlane } from '../http/apiPlane.ts'
import { handleRequest, type Plane } from '../http/handleRequest.ts'
import { Observations } from '../journal/Observations.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { Simulation } from '../Simulation.ts'
import { LocalStore } from '../state/LocalStore.ts'
import { memoryStorage } from '../storage/memoryStorage.ts'
import { inversePatch } from '../world/mergePatch.ts'
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
  readonly #store: UndoStore
  readonly #api: Plane

  private constructor(contract: Contract, validator: Validator) {
    this.validator = validator
    this.#store = new UndoStore({ scenario: { name: '', document: empty }, accounts: {} }, memoryStorage, {
      observe: () => new Observations(contract, 0),
      history: 0,
    })
    const simulation = new Simulation({
      contract,
      validator: Promise.resolve(validator),
      library: undefined as never, // only the control plane asks for it
      store: this.#store,
      log: pino({ level: 'silent' }),
      explain: true,
    })
    simulation.ready = validator
    this.#api = apiPlane(simulation)
  }

  static async open(contract: Contract): Promise<Judge> {
    return new Judge(contract, await createValidator(contract))
  }

  /** Starts from a world, which the judge owns from then on. */
  async load(world: World): Promise<void> {
    await this.#store.replaceAccount(login, world)
    this.mark()
  }

  get world(): World {
    return this.#store.world(login) as World
  }

  /** Sets the point that `undo` goes back to. */
  mark(): void {
    this.#store.undoLog = []
  }

  /** Undoes all changes since the last mark. */
  undo(): void {
    for (const inverse of this.#store.undoLog.splice(0).toReversed()) this.#store.apply(login, inverse)
  }

  patch(change: WorldChange): void {
    this.#store.change(login, this.world, change)
  }

  /** Answers a recorded request as of that time. */
  async answer({ operation, request }: Exchange, at: Instant): Promise<OurAnswer> {
    this.world.clock = { frozen: instantOf(at) }
    const authorization = authorizationOf(request.credentials)
    const bytes = request.body === undefined ? undefined : Buffer.from(request.body)
    const { status, headers, body } = await handleRequest(this.#api, {
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
    return {
      status,
      type: mediaOf(headers['content-type']),
      body,
      value: jsonOf(body),
      case: headers['sim-case'],
      reason: headers['sim-reason'],
    }
  }
}

const never = new AbortController().signal
const empty: ScenarioDocument = { description: 'A recording.', accounts: {} }

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

/** A store that keeps the inverse of each change. */
class UndoStore extends LocalStore {
  undoLog: WorldChange[] = []

  override change(account: string, world: World, change: WorldChange): void {
    this.undoLog.push(inversePatch(world as never, change))
    super.change(account, world, change)
  }

  apply(account: string, change: WorldChange): void {
    super.change(account, this.world(account) as World, change)
  }
}
