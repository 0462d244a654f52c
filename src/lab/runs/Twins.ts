import type { Kernel } from '../replay.ts'
import {
  applyPatch,
  clockAt,
  diffWorlds,
  type Evaluation,
  type JournalRecord,
  type World,
  type WorldChange,
} from '../simulator.ts'

/**
 * Finds out whether a client's requests would get other responses from accounts with other settings. Each account has a twin
 * with these settings. Operations are pure, so both can respond to the same request.
 */
export class Twins {
  readonly #kernel: Kernel
  readonly #settings: WorldChange
  /** Login → the world after its last request, and its twin */
  readonly #pairs = new Map<string, { world: World; twin: World }>()

  /** @param settings the settings of the twins */
  constructor(kernel: Kernel, settings: WorldChange) {
    this.#kernel = kernel
    this.#settings = settings
  }

  /**
   * Replays a request in its account and in the twin. Records must come in their order.
   * @returns whether the responses differ; false if the client didn't see the account's own response
   */
  isDifferent(record: JournalRecord): boolean {
    const { account, before: world, method, path, requestHeaders, requestBody, change } = record
    if (account === null || !world) return false
    const twin = this.#currentTwin(account, world)
    const call = this.#kernel.parse({ method, url: path, headers: requestHeaders, body: requestBody })
    const [ours, other] = [world, twin].map((one) =>
      this.#kernel.replay(call, atTime(one, record.time), record.time),
    ) as [Evaluation, Evaluation]
    const isExecuted = change !== undefined || !record.forced
    this.#pairs.set(account, {
      world: change ? applyPatch(world, change) : world,
      twin: other.change && isExecuted ? applyPatch(twin, other.change) : twin,
    })
    const isSeen = !record.forced && record.status !== null
    const [a, b] = [ours.response, other.response]
    return isSeen && (a.status !== b.status || a.contentType !== b.contentType || a.body !== b.body)
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

/** The world at a time, without a limit of requests, which depends on the requests before. */
function atTime(world: World, time: number): World {
  const { requests: _, ...limits } = world.limits
  return { ...world, limits, clock: clockAt(time, true, time) }
}
