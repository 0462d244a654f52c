import type { Fault, World, WorldChange } from '../world/World.ts'
import { inEveryWorld } from './inEveryWorld.ts'
import { reproduceRecord } from '../scenario/reproduce.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { Simulation } from '../Simulation.ts'
import type { StoreEvent } from '../store/Store.ts'
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
  readonly #disarm: () => void

  constructor(simulation: Simulation, operation: string, { fault }: NamedFault) {
    this.#simulation = simulation
    this.#fault = { phase: 'before', ...fault, id: faultId, operation, times: 1, seen: 0, used: 0 }
    this.#disarm = inEveryWorld(simulation, (world, login) => this.#arm(world, login))
    simulation.store.on((event) => {
      if (event.type === 'request') this.#seeRequest(event)
    })
  }

  /** Puts it before all other faults unless it is there; once it has struck, removes it. */
  #arm({ faults }: World, login: string): WorldChange | undefined {
    const own = faults.find(({ id }) => id === faultId)
    if (own?.used && !this.strike) {
      this.strike = { account: login }
      this.#disarm()
      return undefined
    }
    const others = faults.filter((fault) => fault !== own)
    if (this.strike) return own && { faults: others }
    return own ? undefined : { faults: [this.#fault, ...others] }
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
}
