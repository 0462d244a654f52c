import { applyPatch } from '../world/change.ts'
import { clockAt, advanceTo, type Instant, toIsoString, readClock, getAccountTime } from '../world/time.ts'
import { missingField } from '../lib/Issue.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { normalize, createDraft, checkDraft, draftedChange, withEntryMaps } from '../service/index.ts'
import { countDue, maxDue } from '../timeline/applyDue.ts'
import { timelineIssues, applicationIssues } from '../timeline/timelineIssues.ts'
import { checkFaults, type FaultTarget } from '../faults/checkFaults.ts'
import type { Draft } from '../service/draft.ts'
import { isEntryPart, mergeAccount, toListPositions } from '../world/entries.ts'
import { isObject } from '../world/mergePatch.ts'
import type { World, WorldChange } from '../world/World.ts'
import { patchSizeIssues } from './bounds.ts'
import { resolveClock } from './buildWorld.ts'
import type { ScenarioAccount } from './ScenarioDocument.ts'
import { accountPartSchema } from './schema.ts'
import { removalIssues, schemaIssues } from './schemaIssues.ts'
import { expandShorthand } from './expandShorthand.ts'

/** The change that a patch makes, or its issues. Without either, the patch changes nothing. */
export interface PatchResult {
  change?: WorldChange
  issues: PathIssue[]
}

/**
 * Applies a JSON Merge Patch to a world, in the format of scenario accounts. The changed parts are checked and completed
 * like a scenario's records. The cost depends on the patch, not on the size of the world. Each step looks at what the steps
 * before it accepted, and the first one that finds issues ends it.
 */
export function patchWorld(
  world: World,
  input: unknown,
  { operations }: { operations: readonly FaultTarget[] },
  real: Instant,
): PatchResult {
  // Size
  if (!isObject(input)) return { issues: [{ path: [], message: 'A merge patch must be an object' }] }
  const tooMany = patchSizeIssues(world, input)
  if (tooMany.length > 0) return { issues: tooMany }

  // Draft: the patched parts of the account, with entries by id
  const before = getAccountTime(world.clock, real)
  const shown = { ...world, clock: readClock(world.clock, real) }
  const draft = createDraft(world, normalize(expandShorthand(input)), before, shown)
  const { patch, lists } = draft
  const account = draft.input as Omit<Draft['input'], 'clock'> & Pick<ScenarioAccount, 'clock'>
  const refuse = (issues: PathIssue[]): PatchResult => ({ issues: toListPositions(lists, issues) })

  // Shape
  const misshapen = [...schemaIssues(accountPartSchema, account), ...removalIssues(accountPartSchema, patch)]
  if (misshapen.length > 0) return refuse(misshapen)

  // Rules
  const setsClock = Object.hasOwn(patch, 'clock')
  const { now: requested, frozen, rate } = resolveClock(account.clock, real)
  const now = setsClock ? advanceTo(world.clock, requested, real) : before
  const { faults } = patch as WorldChange
  const faultCount = faults ? applyPatch(world, { faults }).faults.size : 0
  const broken = [
    ...checkDraft(draft),
    ...checkFaults(account.faults, operations, faultCount),
    ...timelineIssues(account.timeline, world.clock, before, patchIssues),
    ...unpatchableIssues(patch),
  ]
  if (now === undefined)
    return refuse([
      ...broken,
      { path: ['clock'], message: `The clock never goes back. It shows ${toIsoString(before)}` },
    ])
  if (broken.length > 0) return refuse(broken)

  // Change
  const clock = setsClock ? clockAt(now, frozen, real, rate) : world.clock
  const change = draftedChange(draft, now, { clock })
  if (!change) return { issues: [] }

  // Timeline: its entries must fit the world that the change leaves, as in a scenario
  if ((setsClock || account.timeline) && countDue(applyPatch(world, change), now) > maxDue) {
    const message = `More than ${maxDue} changes are due by ${toIsoString(now)}. Advance in smaller steps`
    return refuse([{ path: [setsClock ? 'clock' : 'timeline'], message }])
  }
  const { timeline: _entries, ...immediate } = change
  const check = (worldAtEntry: World, entryPatch: object): PatchResult =>
    patchWorld(worldAtEntry, entryPatch, { operations }, real)
  const planned = account.timeline ? applyPatch(world, immediate) : world
  const inapplicable = applicationIssues(account.timeline, planned, now, operations, check)
  return inapplicable.length > 0 ? refuse(inapplicable) : { issues: [], change }
}

/** Issues of keys that a scenario's account has and a patch can't change or remove. */
function unpatchableIssues(patch: Draft['patch']): PathIssue[] {
  const issues: PathIssue[] = []
  if (patch['password'] === null) issues.push({ path: ['password'], message: missingField })
  if (Object.hasOwn(patch, 'generate'))
    issues.push({
      path: ['generate'],
      message: 'Only scenarios can generate records. List the records instead',
    })
  return issues
}

/** Issues of a patch that don't depend on the world. */
export function patchIssues(patch: Readonly<Record<string, unknown>>): PathIssue[] {
  const { patch: normalized, lists } = withEntryMaps(normalize(patch))
  const account = mergeAccount({}, normalized)
  // Required fields may be missing in a patch, because the record may already have them.
  const issues = schemaIssues(accountPartSchema, account).filter(
    ({ isMissing, path }) => !isMissing || path.length !== 3 || isEntryPart(path[0]),
  )
  return toListPositions(lists, [...issues, ...removalIssues(accountPartSchema, normalized)])
}
