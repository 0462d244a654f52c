import { setTimeout as sleep } from 'node:timers/promises'
import {
  authenticate,
  getAccountTime,
  localState,
  realTime,
  type ApiRequest,
  type Fault,
  type FaultPreset,
  type Injection,
  type JournalRecord,
  type Simulation,
  type World,
} from '../simulator.ts'
import type { Aim, Call, Cell } from './Cell.ts'
import { RequestTexts } from './requests.ts'

/** A call with its record, once it has been handled. */
export interface TracedCall extends Call {
  record?: JournalRecord
  /** The fault that triggered on it. A final refusal triggers again on each equal request */
  fault?: FaultPreset | undefined
  /** Which of two runs at the same time sent it. @default 1 */
  worker?: 1 | 2
}

export interface InjectorSettings {
  /** The faults; none for a run that is only observed */
  cell: Omit<Cell, 'stage'> | undefined
  /** Milliseconds for which a held response is held */
  hold: number
  /** Called when a call was executed on which a fault triggered that kills the client */
  onKill?: () => void
  /** Called when a run has sent an equal request that often in spite of an equal refusal that it never ends otherwise */
  onStuck?: () => void
  /** The token by which the second of two runs at the same time is known */
  token?: string
  /** Delays a call of the overlap stage. @returns the fault that it triggers, if any */
  overlap?: (call: TracedCall, request: ApiRequest) => Promise<FaultPreset | undefined>
}

/** Milliseconds from the arrival of a call to an injected response. Calls that were sent at the same time are then under way together. */
const responseDelay = 100

/** Number of equal refusals of equal requests after which a run is ended */
export const maxRefusals = 50

/** Milliseconds by the account's clock after which an injected throttle ends */
const throttleTime = 2000

/** An id that no fault of an account has */
const faultId = 9_999_999_999

/** A refusal that an equal request gets again. */
interface FinalRefusal {
  index: number
  fault: FaultPreset
  /** The time at which it ends, by the account's clock. @default never */
  until: number | undefined
}

/**
 * Injects the faults of a cell into the calls of a command, and numbers its calls by operation, across resets, loads and
 * accounts. Calls without valid credentials don't count.
 */
export class Injector {
  readonly calls: TracedCall[] = []
  readonly #simulation: Simulation
  readonly #settings: InjectorSettings
  readonly #refusals = new Map<string, FinalRefusal>()
  /** Numbers of equal refusals in this run */
  readonly #refused = new Map<string, number>()
  /** The calls that haven't been handled yet */
  readonly #pending = new Map<Injection, TracedCall>()
  readonly #texts = new RequestTexts()
  #onSettled = (): void => {}
  #run = 1

  constructor(simulation: Simulation, settings: InjectorSettings) {
    this.#simulation = simulation
    this.#settings = settings
    simulation.inject = (request, login) => this.#inject(request, login)
    simulation.store.on((event) => {
      if (event.type === 'request') this.#onRecord(event.record)
    })
  }

  /** Begins the next run: the faults of the run before no longer trigger. */
  startRun(): void {
    this.#run++
    this.#refusals.clear()
    this.#refused.clear()
    this.#texts.changes = []
  }

  /**
   * Waits until the calls of a run that has ended have been handled: a client that gives up doesn't see whether its call is carried
   * out. A process that outlives the run may hold some open, so the wait has a limit.
   */
  async settle(): Promise<void> {
    if (this.#pending.size === 0) return
    const settled = new Promise<void>((resolve) => (this.#onSettled = resolve))
    const limit = new AbortController()
    const timeout = sleep(this.#settings.hold + responseDelay, undefined, { signal: limit.signal })
    await Promise.race([settled, timeout])
    limit.abort()
    await timeout.catch(() => {})
  }

  get run(): number {
    return this.#run
  }

  async #inject(request: ApiRequest, login: string | undefined): Promise<Injection | undefined> {
    const { operation } = request.request
    const world = login === undefined ? undefined : localState(this.#simulation).accounts.get(login)
    if (!operation || login === undefined || !world || authenticate(request.credentials, world))
      return undefined
    const { operationId } = operation
    const call: TracedCall = {
      operation: operationId,
      number: this.calls.filter((one) => one.operation === operationId && one.run === this.#run).length + 1,
      run: this.#run,
      request: this.#texts.of(request),
      changes: this.#texts.changes,
      hasEarlierState: false,
      injected: undefined,
      ...(isWith(request, this.#settings.token) && { worker: 2 }),
    }
    this.calls.push(call)
    const injection: Injection = {}
    this.#pending.set(injection, call)
    if (!operation.changesState) call.hasEarlierState = await this.#hasEarlierState(login)
    const refusal = this.#findRefusal(call, request, world)
    const fault = refusal?.fault ?? this.#select(call) ?? (await this.#settings.overlap?.(call, request))
    if (!fault) return injection
    call.injected = refusal?.index ?? call.injected ?? 0
    call.fault = fault
    const until = refusal ? refusal.until : this.#remember(call, fault, request, world)
    const { phase = 'before' } = fault.fault
    const delay = fault.holds ? this.#settings.hold : phase === 'before' ? responseDelay : undefined
    const ids = { id: faultId, operation: operationId, times: 1, seen: 1, used: 1 }
    const injected: Fault = { ...fault.fault, phase, ...ids, ...(delay !== undefined && { delay }) }
    return Object.assign(injection, { fault: injected, until })
  }

  #hasEarlierState(login: string): Promise<boolean> {
    return this.#simulation.store.transact(
      login,
      (_world, _real, past) => ({ value: past.get(1) !== undefined }),
      { lookBack: () => [1] },
    )
  }

  /** The fault of the cell that triggers on a call. */
  #select(call: TracedCall): FaultPreset | undefined {
    const { cell } = this.#settings
    if (!cell) return undefined
    const { second } = cell
    const isFirst = this.#run === 1 && this.#isFirst(call, cell)
    if (isFirst) call.injected = 0
    else if (second && this.#isSecond(call, second)) call.injected = 1
    return isFirst ? cell.fault : call.injected === 1 ? second?.fault : undefined
  }

  #isFirst(call: TracedCall, { operation, call: number, fault, isLasting }: Omit<Cell, 'stage'>): boolean {
    if (call.operation !== operation) return false
    if (isLasting) return call.number >= number
    if (this.calls.some(({ injected }) => injected === 0)) return false
    if (!fault.onlyReads) return call.number === number
    return call.hasEarlierState && (number === 1 || call.number === number)
  }

  #isSecond(call: TracedCall, { operation, call: number, fault, run }: Aim & { run: number }): boolean {
    if (call.operation !== operation || call.run !== run || (fault.onlyReads && !call.hasEarlierState))
      return false
    if (run === 2) return call.number === number
    const trigger = this.calls.findIndex(({ injected }) => injected === 0)
    const after = this.calls.slice(trigger + 1, this.calls.indexOf(call) + 1)
    return trigger >= 0 && after.filter((one) => one.operation === operation).length === number
  }

  /** A refusal that the same request got before in this run, unless it has ended. */
  #findRefusal(call: TracedCall, request: ApiRequest, world: World): FinalRefusal | undefined {
    const refusal = this.#refusals.get(requestText(request))
    const isOver = refusal?.until !== undefined && getAccountTime(world.clock, realTime()) >= refusal.until
    return isOver ? undefined : refusal
  }

  /** Remembers a refusal that is final. @returns the time that the refusal names, if it names one */
  #remember(call: TracedCall, fault: FaultPreset, request: ApiRequest, world: World): number | undefined {
    const { cases = [] } = request.request.operation ?? {}
    const name = fault.fault.respond
    if (typeof name !== 'string' || cases.some((one) => one.name === name && one.isTransient))
      return undefined
    const namesTime = cases.some((one) => one.name === name && Object.keys(one.fill).length > 0)
    // The time in the response has whole seconds.
    const until = namesTime
      ? Math.ceil((getAccountTime(world.clock, realTime()) + throttleTime) / 1000) * 1000
      : undefined
    this.#refusals.set(requestText(request), { index: call.injected ?? 0, fault, until })
    return until
  }

  #onRecord(record: JournalRecord): void {
    this.#texts.add(record)
    for (const [injection, call] of this.#pending) if (injection.record === record) this.#end(injection, call)
  }

  #end(injection: Injection, call: TracedCall): void {
    this.#pending.delete(injection)
    call.record = injection.record as JournalRecord
    if (call.fault?.killsClient) this.#settings.onKill?.()
    if (call.run === this.#run) this.#countRefusal(call.record)
    if (this.#pending.size === 0) this.#onSettled()
  }

  #countRefusal({
    operation,
    method,
    path,
    requestBody,
    requestHeaders,
    status,
    case: name,
  }: JournalRecord): void {
    const { cases = [] } = this.#simulation.contract.operation(operation ?? '') ?? {}
    if (!cases.some((one) => one.name === name && one.status === status)) return
    const key = JSON.stringify([method, path, requestBody, requestHeaders['authorization'], name])
    const count = (this.#refused.get(key) ?? 0) + 1
    this.#refused.set(key, count)
    if (count === maxRefusals) this.#settings.onStuck?.()
  }
}

function isWith({ credentials }: ApiRequest, token: string | undefined): boolean {
  return token !== undefined && 'secret' in credentials && credentials.secret === token
}

/** Identifies a request: method, path, body and credentials. */
function requestText({ request: { head, text } }: ApiRequest): string {
  return JSON.stringify([head.method, head.url, text, head.headers['authorization']])
}
