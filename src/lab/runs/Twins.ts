import {
  type OnResponse,
  type AccountResponse,
  applyPatch,
  diffWorlds,
  type World,
  type WorldChange,
} from '../simulator.ts'

/**
 * Counts the responses that would differ in accounts with other settings. Each account has a twin with these settings.
 * Operations are pure, so both can evaluate the same request.
 */
export class Twins {
  readonly #settings: WorldChange
  /** Login → the world after its last request, and its twin */
  readonly #pairs = new Map<string, { world: World; twin: World }>()
  differingCount = 0

  /** @param settings the settings of the twins */
  constructor(settings: WorldChange) {
    this.#settings = settings
  }

  compare: OnResponse = (login, world, actual, evaluate) => {
    const twin = this.#currentTwin(login, world)
    const other = evaluate(twin)
    if (!other) return
    if (isDifferent(actual, other)) this.differingCount++
    this.#pairs.set(login, { world: applyResponse(world, actual), twin: applyResponse(twin, other) })
  }

  #currentTwin(login: string, world: World): World {
    const pair = this.#pairs.get(login)
    if (!pair || pair.world.origin !== world.origin) return applyPatch(world, this.#settings)
    if (pair.world.version === world.version) return pair.twin
    // The timeline or the control plane has changed the account in the meantime.
    const patch = diffWorlds(pair.world, world)
    return patch ? applyPatch(pair.twin, patch) : pair.twin
  }
}

function applyResponse(world: World, { change: patch }: AccountResponse): World {
  return patch ? applyPatch(world, patch) : world
}

function isDifferent({ response: a }: AccountResponse, { response: b }: AccountResponse): boolean {
  return a.status !== b.status || a.contentType !== b.contentType || a.body !== b.body
}
