import { clockAt, forward, readClock, timeOf } from '../world/clock.ts'
import { draftedChange } from '../world/draftedChange.ts'
import { timelineIssues } from '../timeline/timelineIssues.ts'
import { touched, type Draft } from '../world/Draft.ts'
import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import { expireSessions } from '../world/sticky.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { Service, World } from '../world/World.ts'
import type { PatchOf, WorldChange } from '../world/WorldChange.ts'
import { resolveClock } from './buildWorld.ts'
import { faultsSense } from './faultIssues.ts'
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
  const present = { ...world, clock: readClock(world.clock, real), timeline: undefined, history: undefined }
  const named: Partial<ScenarioAccount> = touched(present, patch)
  const wrong = schemaIssues(accountPartSchema, named)
  if (wrong.length)
    return {
      issues: [
        ...wrong,
        ...faultsSense(
          named,
          wrong.map(({ path }) => path),
          contract.operations,
        ),
      ],
    }
  const issue = (key: string, message: string): PathIssue[] =>
    Object.hasOwn(patch, key) ? [{ path: [key], message }] : []
  const { now, frozen, rate } = resolveClock(named.clock, real)
  const at = Object.hasOwn(patch, 'clock') ? forward(world.clock, now, real) : timeOf(world.clock, real)
  const draft: Draft = { world, patch, named, isNew: false }
  const issues = [
    ...(at === undefined
      ? issue('clock', `the clock never goes back: it shows ${instantOf(timeOf(world.clock, real))}`)
      : []),
    ...(named.password === undefined ? issue('password', 'is required') : []),
    ...issue('generate', 'is for scenarios only; name the records'),
    ...checkDraft(draft, contract.operations),
    ...timelineIssues(
      named.timeline ?? [],
      world,
      timeOf(world.clock, real),
      contract.operations,
      (then, due) => patchWorld(then, due, contract, real).issues,
    ),
  ]
  if (issues.length || at === undefined) return { issues }
  const clock = Object.hasOwn(patch, 'clock') ? clockAt(at, frozen, real, rate) : world.clock
  const change = draftedChange(draft, at, { clock })
  return { issues, ...(change && { change: change.clock ? withExpired(world, change, at) : change }) }
}

/** A new time can expire sessions. Those of services in the patch are checked when they are read. */
function withExpired(world: World, change: WorldChange, now: Instant): WorldChange {
  const services: Record<string, PatchOf<Service> | null> = { ...expireSessions(world, now) }
  for (const [id, service] of Object.entries(change.services ?? {}))
    services[id] = service ? { ...services[id], ...service } : null
  return { ...change, ...(Object.keys(services).length > 0 && { services }) }
}
