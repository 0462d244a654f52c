import { isObject } from '../world/mergePatch.ts'
import type { Service, World } from '../world/World.ts'
import type { Simulation } from '../Simulation.ts'
import type { LocalStore } from '../state/LocalStore.ts'
import type { StoreEvent } from '../state/Store.ts'
import { effectsOf, type Effect } from './effectsOf.ts'

/** An account's world, from when it is loaded or created until it is replaced or deleted. */
interface Life {
  /** The login; accounts that the client created share one name, as their logins differ per run */
  who: string
  begun: World
  /** Services ordered since, as they were at first */
  ordered: Record<string, Service>
  /** The current or last state */
  world: World
}

/** Records a client's effects on all worlds, across the resets and loads that it makes. */
export class EffectRecorder {
  readonly #simulation: Simulation<LocalStore>
  readonly #lives = new Map<string, Life>()
  readonly #past: Effect[] = []

  constructor(simulation: Simulation<LocalStore>) {
    this.#simulation = simulation
    this.#beginAll()
    simulation.store.on((event) => this.#see(event))
  }

  /** All effects so far. */
  get effects(): Effect[] {
    return [...this.#past, ...[...this.#lives.values()].flatMap(effectsIn)]
  }

  #see(event: StoreEvent): void {
    if (event.type === 'reset') {
      for (const login of this.#lives.keys()) this.#end(login)
      this.#beginAll()
    } else if (event.type === 'change') this.#seeChange(event.account, event.change)
  }

  #seeChange(login: string, change: unknown): void {
    const world = this.#simulation.store.world(login)
    const life = this.#lives.get(login)
    const isNew = isObject(change) && Object.keys(change).length === 0 && life?.world !== world
    if (!world || isNew) this.#end(login)
    if (!world) return
    if (!life || isNew) return this.#begin(login, world)
    life.world = world
    const { services } = isObject(change) ? change : {}
    for (const id of Object.keys(isObject(services) ? services : {})) {
      const service = world.services[id]
      if (service && !life.begun.services[id]) life.ordered[id] ??= structuredClone(service)
    }
  }

  #beginAll(): void {
    for (const [login, world] of Object.entries(this.#simulation.store.state.accounts))
      this.#begin(login, world)
  }

  #begin(login: string, world: World): void {
    const { accounts } = this.#simulation.store.state.scenario.document
    const who = Object.hasOwn(accounts, login) ? login : 'accounts it created'
    this.#lives.set(login, { who, begun: structuredClone(world), ordered: {}, world })
  }

  #end(login: string): void {
    const life = this.#lives.get(login)
    if (life) this.#past.push(...effectsIn(life))
    this.#lives.delete(login)
  }
}

function effectsIn({ who, begun, ordered, world }: Life): Effect[] {
  return effectsOf({ world: begun, ordered }, world).map(({ subject, value }) => ({
    subject: `${who}: ${subject}`,
    value,
  }))
}
