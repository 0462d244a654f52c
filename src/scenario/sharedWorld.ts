import { clockAt } from '../state/clock.ts'
import { copyWorld } from '../world/sharing.ts'
import type { Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { buildWorld, resolveClock } from './buildWorld.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'

/** Milliseconds for which a built world can be reused; a new one would only start that much later. */
const fresh = 1000

const built = new WeakMap<ScenarioDocument, Map<string, { world: World; now: Instant }>>()

/** The world of a scenario account, as a template for many accounts: those created at the same time share it. */
export async function sharedWorld(document: ScenarioDocument, login: string, real: Instant): Promise<World> {
  const { now, frozen } = resolveClock(document.accounts[login]?.clock ?? document.clock, real)
  const worlds = built.get(document) ?? new Map<string, { world: World; now: Instant }>()
  built.set(document, worlds)
  let known = worlds.get(login)
  if (!known || now < known.now || now >= known.now + fresh) {
    known = { world: await buildWorld(document, login, real), now }
    worlds.set(login, known)
  }
  return { ...copyWorld(known.world), clock: clockAt(now, frozen, real) }
}
