import { isObject } from '../world/mergePatch.ts'
import type { Fault } from '../world/World.ts'
import { reproduceRecord } from '../scenario/reproduce.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { localState, type Simulation } from '../Simulation.ts'
import type { StoreEvent } from '../store/Storage.ts'
import type { NamedFault } from '../faults/namedFaults.ts'

/** The call that a fault struck. */
export interface Strike {
  account: string
  /** A scenario that reproduces it, with the fault armed; set once the call has been answered */
  repro?: Promise<ScenarioDocument | undefined>
  /** Id of the request; set once it has been answered */
  request?: number
}

/** Far above the ids of the client's own faults, which are therefore the same with and without ours. */
const faultId = 999_999_999

/**
 * A fault that strikes only the first call of an operation, whichever account makes it. Until it has struck, it is
 * armed again whenever the client resets, loads a scenario, clears faults or creates an account.
 */
export class FirstCallFault {
  /** Undefined until the call is made */
  strike: Strike | undefined
  readonly #simulation: Simulation
  readonly #fault: Fault

  constructor(simulation: Simulation, operation: string, { fault }: NamedFault) {
    this.#simulation = simulation
    this.#fault = { phase: 'before', ...fault, id: faultId, operation, times: 1, seen: 0, used: 0 }
    this.#armAll()
    simulation.store.on((event) => this.#see(event))
  }

  #see(event: StoreEvent): void {
    if (event.type === 'request') this.#seeRequest(event)
    else if (event.type === 'reset') this.#armAll()
    else if (event.type === 'change' && isObject(event.change)) this.#seeChange(event.account)
  }

  #seeChange(login: string): void {
    const own = this.#simulation.store.peek(login)?.faults.find(({ id }) => id === faultId)
    if (this.strike || !own?.used) return this.#arm(login)
    this.strike = { account: login }
    this.#armAll()
  }

  /** A forced response shows which request was struck; a delay shows in nothing but the time taken. */
  #seeRequest({ record }: Extract<StoreEvent, { type: 'request' }>): void {
    const { strike } = this
    if (!strike || strike.request !== undefined || record.raw.operation !== this.#fault.operation) return
    const isForced = this.#fault.respond !== undefined || this.#fault.drop !== undefined
    if (record.raw.account !== strike.account || (isForced && !record.entry.forced)) return
    strike.request = record.raw.id
    strike.repro = reproduceRecord(this.#simulation.store, record, '').then((made) => made?.scenario)
  }

  #armAll(): void {
    for (const login of localState(this.#simulation).accounts.keys()) this.#arm(login)
  }

  /** Puts it before all other faults unless it is there; once it has struck, removes it. */
  #arm(login: string): void {
    const { store } = this.#simulation
    const world = store.peek(login)
    if (!world) return
    const others = world.faults.filter(({ id }) => id !== faultId)
    const isArmed = others.length < world.faults.length
    if (isArmed === (this.strike !== undefined))
      void store.transact(login, () => ({
        value: undefined,
        change: { faults: this.strike ? others : [this.#fault, ...others] },
      }))
  }
}
