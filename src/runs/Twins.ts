import type { Responded } from '../Simulation.ts'
import { change, difference } from '../world/change.ts'
import type { World, WorldChange } from '../world/World.ts'

/**
 * Counts the responses that differ from those that accounts with other settings would have given to the same requests. Each
 * account has a twin, which differs in these settings and in what came of them since: operations are pure, so both can be
 * asked.
 */
export class Twins {
  readonly #settings: WorldChange
  /** By login: the world after its last request, and its twin */
  readonly #pairs = new Map<string, { world: World; twin: World }>()
  differing = 0

  /** @param settings what the twins have in another way */
  constructor(settings: WorldChange) {
    this.#settings = settings
  }

  /** @param given what the world responded @param evaluate asks another world the same */
  compare(
    login: string,
    world: World,
    given: Responded,
    evaluate: (world: World) => Responded | undefined,
  ): void {
    const twin = this.#twinOf(login, world)
    const other = evaluate(twin)
    if (!other) return
    if (isDifferent(given, other)) this.differing++
    this.#pairs.set(login, { world: after(world, given), twin: after(twin, other) })
  }

  #twinOf(login: string, world: World): World {
    const pair = this.#pairs.get(login)
    if (!pair || pair.world.origin !== world.origin) return change(world, this.#settings)
    if (pair.world.version === world.version) return pair.twin
    // The timeline or the control plane has changed the account since.
    const patch = difference(pair.world, world)
    return patch ? change(pair.twin, patch) : pair.twin
  }
}

function after(world: World, { change: patch }: Responded): World {
  return patch ? change(world, patch) : world
}

function isDifferent({ response: a }: Responded, { response: b }: Responded): boolean {
  return a.status !== b.status || a.type !== b.type || a.body !== b.body
}
