import { clockAt, type Instant } from '../world/time.ts'
import { emptyWorld, fillDraft } from '../world/defaults.ts'
import { worldOf } from '../world/change.ts'
import type { World } from '../world/World.ts'
import { addGenerated } from './addGenerated.ts'
import type { ScenarioAccount, ScenarioClock, ScenarioDocument } from './ScenarioDocument.ts'

/** Builds the worlds of a scenario, by login. */
export async function buildWorlds(document: ScenarioDocument, real: Instant): Promise<Map<string, World>> {
  const worlds = new Map<string, World>()
  for (const login of Object.keys(document.accounts))
    worlds.set(login, await buildWorld(document, login, real))
  return worlds
}

/** Builds the world of one account, with defaults and generated records: the same for the same seed. */
export async function buildWorld(document: ScenarioDocument, login: string, real: Instant): Promise<World> {
  const account = document.accounts[login] as ScenarioAccount
  const { now, frozen, rate } = resolveClock(account.clock ?? document.clock, real)
  const clock = clockAt(now, frozen, real, rate)
  const empty = emptyWorld(account.password, account.seed ?? document.seed, clock)
  const named = account.generate ? await addGenerated(account, empty.seed, now) : account
  const draft = { world: worldOf(empty), patch: { ...named }, named, isNew: true }
  return worldOf({ ...empty, ...fillDraft(draft, now) })
}

/** Milliseconds for which a built world can be reused; a new one would only start that much later. */
const fresh = 1000

const built = new WeakMap<ScenarioDocument, Map<string, { world: World; now: Instant }>>()

/** The world of a scenario account, as a template for many accounts: those created at the same time share all of it. */
export async function sharedWorld(document: ScenarioDocument, login: string, real: Instant): Promise<World> {
  const { now, frozen, rate } = resolveClock(document.accounts[login]?.clock ?? document.clock, real)
  const worlds = built.get(document) ?? new Map<string, { world: World; now: Instant }>()
  built.set(document, worlds)
  let known = worlds.get(login)
  if (!known || now < known.now || now >= known.now + fresh) {
    known = { world: await buildWorld(document, login, real), now }
    worlds.set(login, known)
  }
  return { ...known.world, clock: clockAt(now, frozen, real, rate) }
}

/** A scenario's clock setting; defaults to real time. */
export function resolveClock(
  clock: ScenarioClock | undefined,
  real: Instant,
): { now: Instant; frozen: boolean; rate: number } {
  if (clock === undefined) return { now: real, frozen: false, rate: 1 }
  return typeof clock === 'string'
    ? { now: Date.parse(clock), frozen: true, rate: 1 }
    : {
        now: clock.now === undefined ? real : Date.parse(clock.now),
        frozen: clock.frozen ?? false,
        rate: clock.rate ?? 1,
      }
}
