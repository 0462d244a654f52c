import { clockAt, type Instant } from '../world/time.ts'
import type { Draft } from '../service/draft.ts'
import { addGenerated, emptyWorld, fillDraft, withEntryMaps } from '../service/index.ts'
import { worldToJson, worldFromJson } from '../world/change.ts'
import type { World } from '../world/World.ts'
import type { ScenarioAccount, ScenarioClock, ScenarioDocument } from './ScenarioDocument.ts'

/** Builds the worlds of a scenario, by login. */
export async function buildWorlds(document: ScenarioDocument, real: Instant): Promise<Map<string, World>> {
  const worlds = new Map<string, World>()
  for (const login of Object.keys(document.accounts))
    worlds.set(login, await buildWorld(document, login, real))
  return worlds
}

/** Builds the world of one account, with defaults and generated records. The same seed gives the same world. */
async function buildWorld(document: ScenarioDocument, login: string, real: Instant): Promise<World> {
  const account = document.accounts[login] as ScenarioAccount
  const { draft: given, now } = createDraft(document, account, real)
  const draft = account.created ? withMark(given) : given
  if (!account.generate) return buildFromDraft(draft, now)
  const { timeZone } = { ...draft.world.assumptions, ...account.assumptions }
  const generated = await addGenerated(account, draft.world.seed, { now, timeZone })
  const { patch } = withEntryMaps(generated)
  return buildFromDraft({ ...draft, patch: { ...patch }, input: patch }, now)
}

/** Marks an account as created at runtime. */
function withMark({ world, ...draft }: Draft): Draft {
  return { ...draft, world: { ...world, origin: { ...world.origin, created: true } } }
}

/** Creates a draft that adds an account of a scenario to an empty world. */
export function createDraft(
  { clock, seed }: ScenarioDocument,
  account: ScenarioAccount,
  real: Instant,
): { draft: Draft; now: Instant } {
  const { now, frozen, rate } = resolveClock(account.clock ?? clock, real)
  const empty = emptyWorld(account.password, account.seed ?? seed, clockAt(now, frozen, real, rate))
  const { patch, lists } = withEntryMaps(account)
  return {
    draft: { world: worldFromJson(empty), patch: { ...patch }, input: patch, lists, isNew: true },
    now,
  }
}

/** Builds the world of a draft of a new account. */
export function buildFromDraft(draft: Draft, now: Instant): World {
  return worldFromJson({ ...worldToJson(draft.world), ...fillDraft(draft, now) })
}

/** Milliseconds for which a built world can be reused. A new one would only differ in its start time. */
const maxAge = 1000

const builtWorlds = new WeakMap<ScenarioDocument, Map<string, { world: World; now: Instant }>>()

/** The world of a scenario account, as a template for many accounts. Accounts created at the same time share its parts. */
export async function sharedWorld(document: ScenarioDocument, login: string, real: Instant): Promise<World> {
  const { now, frozen, rate } = resolveClock(document.accounts[login]?.clock ?? document.clock, real)
  const worlds = builtWorlds.get(document) ?? new Map<string, { world: World; now: Instant }>()
  builtWorlds.set(document, worlds)
  let built = worlds.get(login)
  if (!built || now < built.now || now >= built.now + maxAge) {
    built = { world: await buildWorld(document, login, real), now }
    worlds.set(login, built)
  }
  return { ...built.world, clock: clockAt(now, frozen, real, rate) }
}

/** A scenario's clock setting; defaults to real time. */
export function resolveClock(
  clock: ScenarioClock | undefined,
  real: Instant,
): { now: Instant; frozen: boolean; rate: number } {
  const setting = typeof clock === 'string' ? { now: clock, frozen: true } : clock
  const { now, frozen = false, rate = 1 }: Exclude<ScenarioClock, string> = setting ?? {}
  return { now: now === undefined ? real : Date.parse(now), frozen, rate }
}
