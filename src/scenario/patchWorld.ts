import { clockAt, forward, type Instant, instantOf, readClock, timeOf } from '../world/time.ts'
import { draftedChange } from '../world/defaults.ts'
import { timelineIssues } from '../timeline/timelineIssues.ts'
import { draftOf } from '../world/Draft.ts'
import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import { kinds, type World, type WorldChange } from '../world/World.ts'
import { maxPatchRecords } from './bounds.ts'
import { resolveClock } from './buildWorld.ts'
import { normalizeAccount } from './normalizeAccount.ts'
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
  given: unknown,
  { operations }: { operations: readonly FaultTarget[] },
  real: Instant,
): Patched {
  if (!isObject(given)) return { issues: [{ path: [], message: 'A merge patch is an object' }] }
  const patch = normalizeAccount(given)
  const large = sizeIssues(world, patch)
  if (large.length) return { issues: large }
  const draft = draftOf(world, patch, { ...world, clock: readClock(world.clock, real) })
  const named: Partial<ScenarioAccount> = draft.named
  const wrong = schemaIssues(accountPartSchema, named)
  if (wrong.length) return { issues: wrong }

  const setsClock = Object.hasOwn(patch, 'clock')
  const { now, frozen, rate } = resolveClock(named.clock, real)
  const at = setsClock ? forward(world.clock, now, real) : timeOf(world.clock, real)
  const issues = [
    ...checkDraft(draft, operations),
    ...timelineIssues(named.timeline ?? [], world.clock, timeOf(world.clock, real), patchIssues),
  ]
  const refuse = (key: string, message: string) => void issues.push({ path: [key], message })
  if (Object.hasOwn(patch, 'password') && named.password === undefined) refuse('password', 'Required')
  if (Object.hasOwn(patch, 'generate')) refuse('generate', 'For scenarios only. Name the records')
  if (at === undefined)
    refuse('clock', `The clock never goes back. It shows ${instantOf(timeOf(world.clock, real))}`)
  if (issues.length || at === undefined) return { issues }

  const clock = setsClock ? clockAt(at, frozen, real, rate) : world.clock
  const change = draftedChange(draft, at, { clock })
  return { issues, ...(change && { change }) }
}

/** What is wrong with a patch, whatever the world. */
export function patchIssues(patch: Readonly<Record<string, unknown>>): PathIssue[] {
  const named = mergePatch({}, normalizeAccount(patch))
  // What a record lacks, it may have already.
  return schemaIssues(accountPartSchema, named).filter(
    ({ path, message }) => message !== 'Required' || path.length !== 3,
  )
}

function sizeIssues(world: World, patch: Record<string, unknown>): PathIssue[] {
  const counts = kinds.map((kind) => {
    const records = patch[kind]
    return records === null ? world[kind].size : Object.keys(isObject(records) ? records : {}).length
  })
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= maxPatchRecords) return []
  const most = kinds[counts.indexOf(Math.max(...counts))] as string
  const message = `${total} records. A patch may have at most ${maxPatchRecords}: send several, or load a scenario`
  return [{ path: [most], message }]
}
