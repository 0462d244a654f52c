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
 * like a scenario's records. The cost depends on the patch, not on the size of the world.
 */
export function patchWorld(
  world: World,
  input: unknown,
  contract: { operations: readonly FaultTarget[] },
  real: Instant,
): PatchResult {
  if (!isObject(input)) return { issues: [{ path: [], message: 'A merge patch must be an object' }] }
  const sizeIssues = patchSizeIssues(world, input)
  if (sizeIssues.length > 0) return { issues: sizeIssues }
  const patch = normalize(expandShorthand(input))
  const shown = { ...world, clock: readClock(world.clock, real) }
  const draft = createDraft(world, patch, getAccountTime(world.clock, real), shown)
  const { issues, ...result } = checkedChange(draft, contract, real)
  return { ...result, issues: toListPositions(draft.lists, issues) }
}

/** The change that a draft makes, or its issues, with the ids of entries in their paths. */
function checkedChange(
  draft: Draft,
  { operations }: { operations: readonly FaultTarget[] },
  real: Instant,
): PatchResult {
  const { world, patch } = draft
  const account = draft.input as Omit<Draft['input'], 'clock'> & Pick<ScenarioAccount, 'clock'>
  const schemaFieldIssues = [
    ...schemaIssues(accountPartSchema, account),
    ...removalIssues(accountPartSchema, patch),
  ]
  if (schemaFieldIssues.length > 0) return { issues: schemaFieldIssues }

  const before = getAccountTime(world.clock, real)
  const { now: requested, frozen, rate } = resolveClock(account.clock, real)
  const now = Object.hasOwn(patch, 'clock') ? advanceTo(world.clock, requested, real) : before
  const { faults } = patch as WorldChange
  const faultCount = faults ? applyPatch(world, { faults }).faults.size : 0
  const issues = [
    ...checkDraft(draft),
    ...checkFaults(account.faults, operations, faultCount),
    ...timelineIssues(account.timeline, world.clock, before, patchIssues),
  ]
  const addIssue = (key: string, message: string) => void issues.push({ path: [key], message })
  if (patch['password'] === null) addIssue('password', missingField)
  if (Object.hasOwn(patch, 'generate'))
    addIssue('generate', 'Only scenarios can generate records. List the records instead')
  if (now === undefined) addIssue('clock', `The clock never goes back. It shows ${toIsoString(before)}`)
  if (issues.length > 0 || now === undefined) return { issues }
  const clock = Object.hasOwn(patch, 'clock') ? clockAt(now, frozen, real, rate) : world.clock
  const change = draftedChange(draft, now, { clock })
  if (!change) return { issues }
  if (
    (Object.hasOwn(patch, 'clock') || account.timeline) &&
    countDue(applyPatch(world, change), now) > maxDue
  )
    addIssue(
      Object.hasOwn(patch, 'clock') ? 'clock' : 'timeline',
      `More than ${maxDue} changes are due by ${toIsoString(now)}. Advance in smaller steps`,
    )
  if (issues.length > 0) return { issues }
  if (!account.timeline) return { issues, change }
  // An entry that can't be applied is rejected, as in a scenario.
  const { timeline: _entries, ...immediate } = change
  const check = (worldAtEntry: World, entryPatch: object): PatchResult =>
    patchWorld(worldAtEntry, entryPatch, { operations }, real)
  const planned = applyPatch(world, immediate)
  const inapplicable = applicationIssues(account.timeline, planned, now, operations, check)
  return inapplicable.length > 0 ? { issues: inapplicable } : { issues, change }
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
