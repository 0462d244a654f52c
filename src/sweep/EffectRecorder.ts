import { isObject } from '../world/mergePatch.ts'
import { livingSessions } from '../world/sticky.ts'
import type { Service, Sticky, StickySession, World, WorldData } from '../world/World.ts'
import { localState, type Simulation } from '../Simulation.ts'
import { realTime, timeOf } from '../world/clock.ts'
import type { StoreEvent } from '../store/Storage.ts'
import { effectsOf, type Effect } from './effectsOf.ts'

/** An account's world, from when it is loaded or created until it is replaced or deleted. */
interface Life {
  /** The login; accounts that the client created share one name, as their logins differ per run */
  who: string
  begun: World
  /** Services ordered since, as they were at first */
  ordered: Record<string, Service>
  /** The sticky sessions of services after their last change */
  sticky: Record<string, Sticky>
  /** Sticky sessions that expired since, by service, then by server and name */
  expired: Record<string, Map<string, StickySession>>
  /** The current or last state */
  world: World
}

/** Records a client's effects on all worlds, across the resets and loads that it makes. */
export class EffectRecorder {
  readonly #simulation: Simulation
  readonly #lives = new Map<string, Life>()
  readonly #past: Effect[] = []

  constructor(simulation: Simulation) {
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
    const world = this.#simulation.store.peek(login)
    const life = this.#lives.get(login)
    const isNew = isObject(change) && Object.keys(change).length === 0 && life?.world !== world
    if (!world || isNew) this.#end(login)
    if (!world) return
    if (!life || isNew) return this.#begin(login, world)
    life.world = world
    const { services } = isObject(change) ? change : {}
    for (const [id, patch] of Object.entries(isObject(services) ? services : {})) {
      const service = world.services.get(id)
      if (service && !life.begun.services.has(id)) life.ordered[id] ??= service
      if (isObject(patch) && patch['sticky']) noteExpired(life, id)
    }
  }

  #beginAll(): void {
    for (const [login, world] of localState(this.#simulation).accounts) this.#begin(login, world)
  }

  #begin(login: string, world: World): void {
    const { accounts } = localState(this.#simulation).scenario.document
    const who = Object.hasOwn(accounts, login) ? login : 'accounts it created'
    const begun = world
    this.#lives.set(login, { who, begun, ordered: {}, sticky: {}, expired: {}, world })
  }

  #end(login: string): void {
    const life = this.#lives.get(login)
    if (life) this.#past.push(...effectsIn(life))
    this.#lives.delete(login)
  }
}

/** A session whose TTL was over before the change wasn't removed by the client. */
function noteExpired({ begun, sticky, expired, world }: Life, id: string): void {
  const before = sticky[id] ?? begun.services.get(id)?.sticky
  const after = world.services.get(id)?.sticky
  if (before) {
    const living = new Set(livingSessions(before, timeOf(world.clock, realTime())))
    const gone = (expired[id] ??= new Map<string, StickySession>())
    for (const session of before.sessions)
      if (!living.has(session)) gone.set(JSON.stringify([session.server, session.session]), session)
  }
  if (after) sticky[id] = { ...after }
}

/** The world as if no session had expired. */
function withExpired({ expired, world }: Life): World {
  const changed: [number, Service][] = []
  for (const [id, gone] of Object.entries(expired)) {
    const service = world.services.get(id)
    const { sticky } = service ?? {}
    if (service && sticky)
      changed.push([
        Number(id),
        { ...service, sticky: { ...sticky, sessions: [...gone.values(), ...sticky.sessions] } },
      ])
  }
  return { ...world, services: world.services.with(changed) }
}

function dataOf(world: World): WorldData {
  const { bindings: _derived, clients, products, services, invoices, ...rest } = world
  return {
    ...rest,
    clients: clients.toJSON(),
    products: products.toJSON(),
    services: services.toJSON(),
    invoices: invoices.toJSON(),
  }
}

function effectsIn(life: Life): Effect[] {
  const { who, begun, ordered } = life
  return effectsOf({ world: dataOf(begun), ordered }, dataOf(withExpired(life))).map(
    ({ subject, value }) => ({
      subject: `${who}: ${subject}`,
      value,
    }),
  )
}
