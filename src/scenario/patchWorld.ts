import { clockAt, forward, readClock, timeOf } from '../world/clock.ts'
import { fillDraft } from '../world/defaults.ts'
import { touched, type Draft } from '../world/Draft.ts'
import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { diffPatch, isObject } from '../world/mergePatch.ts'
import { expireSessions } from '../world/sticky.ts'
import { instantOf, type Instant } from '../world/time.ts'
import { kinds, type Kind, type Service, type World, type WorldData } from '../world/World.ts'
import type { PatchOf, WorldChange } from '../world/WorldChange.ts'
import { resolveClock } from './buildWorld.ts'
import type { ScenarioAccount } from './ScenarioDocument.ts'
import { accountPartSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

/** The result of a patch: the change, or its issues. Neither if it changes nothing. */
export interface Patched {
  change?: WorldChange
  issues: PathIssue[]
}

/**
 * Applies a JSON Merge Patch to a world, in the format of scenario accounts: what it touches is checked and filled in
 * like a scenario's records. The cost depends on the patch, not on the size of the world.
 */
export function patchWorld(
  world: World,
  patch: unknown,
  contract: { operations: readonly FaultTarget[] },
  real: Instant,
): Patched {
  if (!isObject(patch)) return { issues: [{ path: [], message: 'a merge patch is an object' }] }
  const named: Partial<ScenarioAccount> = touched({ ...world, clock: readClock(world.clock, real) }, patch)
  const wrong = schemaIssues(accountPartSchema, named)
  if (wrong.length) return { issues: wrong }
  const issue = (key: string, message: string): PathIssue[] =>
    Object.hasOwn(patch, key) ? [{ path: [key], message }] : []
  const { now, frozen } = resolveClock(named.clock, real)
  const at = Object.hasOwn(patch, 'clock') ? forward(world.clock, now, real) : timeOf(world.clock, real)
  const draft: Draft = { world, patch, named, isNew: false }
  const issues = [
    ...(at === undefined
      ? issue('clock', `the clock never goes back: it shows ${instantOf(timeOf(world.clock, real))}`)
      : []),
    ...(named.password === undefined ? issue('password', 'is required') : []),
    ...issue('generate', 'is for scenarios only; name the records'),
    ...checkDraft(draft, contract.operations),
  ]
  if (issues.length || at === undefined) return { issues }
  const clock = Object.hasOwn(patch, 'clock') ? clockAt(at, frozen, real) : world.clock
  const change = differenceOf(draft, { ...fillDraft(draft, at), clock })
  return { issues, ...(change && { change: change.clock ? withExpired(world, change, at) : change }) }
}

/** The minimal change, without fields that stay the same. */
function differenceOf({ world, patch }: Draft, filled: Partial<WorldData>): WorldChange | undefined {
  const before: Record<string, unknown> = { ...world }
  for (const kind of kinds) {
    if (filled[kind])
      before[kind] = isObject(patch[kind]) ? pickRecords(world, kind, patch[kind]) : world[kind].toJSON()
  }
  const keys = Object.keys(filled)
  return diffPatch(pick(before, keys), filled) as WorldChange | undefined
}

function pickRecords(world: World, kind: Kind, ids: object): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const id of Object.keys(ids)) {
    const record = world[kind].get(id)
    if (record) found[id] = record
  }
  return found
}

function pick(records: object, keys: readonly string[]): Record<string, unknown> {
  const bag = records as Record<string, unknown>
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(bag, key)).map((key) => [key, bag[key]]))
}

/** A new time can expire sessions. Those of services in the patch are checked when they are read. */
function withExpired(world: World, change: WorldChange, now: Instant): WorldChange {
  const services: Record<string, PatchOf<Service> | null> = { ...expireSessions(world, now) }
  for (const [id, service] of Object.entries(change.services ?? {}))
    services[id] = service ? { ...services[id], ...service } : null
  return { ...change, ...(Object.keys(services).length > 0 && { services }) }
}
