import { applyPatch, isKind, nextDue } from '../world/change.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import {
  withUsages,
  withoutUsages,
  renewalCycle,
  findTransition,
  describeMoved,
  createDraft,
  normalize,
  checkDraft,
  draftedChange,
  getFields,
  getNoun,
} from '../service/index.ts'
import type { Usages } from '../service/transitions.ts'
import { checkFaults, type FaultTarget } from '../faults/checkFaults.ts'
import { toListPositions } from '../world/entries.ts'
import { isObject } from '../world/mergePatch.ts'
import { addDuration, type Instant, toIsoString } from '../world/time.ts'
import type { TimelineEntry, World, WorldChange } from '../world/World.ts'

/** Maximum number of changes that may become due when a clock moves; a larger step is rejected. */
export const maxDue = 2000

/** Maximum number of past events in an account's history. */
const maxHistory = 100

/** A change by a timeline entry that came due. */
export interface DueChange {
  patch: WorldChange
  description: string
  /** The reason, if the entry was skipped */
  skipped?: string
}

/**
 * Applies the entries due by `now`, soonest first. Entries are part of the world, so the result depends only on the
 * world and the time, not on how often it is called.
 * @returns the new world, and the changes that led to it
 */
export function applyDue(
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
): { world: World; changes: DueChange[] } {
  const changes: DueChange[] = []
  const usages: Usages = new Map()
  let current = world
  for (;;) {
    const due = nextDue(current)
    if (!due || due.at > now) return { world: withUsages(current, usages), changes }
    if (!current.timeline.get(due.id)?.add) {
      current = withUsages(current, usages)
      usages.clear()
    }
    const result = applyEntry(current, due.id, operations, usages)
    changes.push(result)
    current = applyPatch(current, usages.size > 0 ? withoutUsages(result.patch) : result.patch)
  }
}

/** Counts the changes due by an instant, up to just over `maxDue`. */
export function countDue(world: World, by: Instant): number {
  let count = 0
  for (const entry of world.timeline.values()) {
    count += countOccurrences(world, entry, by)
    if (count > maxDue) return count
  }
  return count
}

/** Counts how many times an entry is due by an instant. */
function countOccurrences(world: World, entry: TimelineEntry, by: Instant): number {
  const { at, times = 1, first = at, done = 0 } = entry
  if (Date.parse(at) > by) return 0
  const every = entry.every ?? renewalCycle(world, entry)
  if (every === undefined) return 1
  const start = Date.parse(first)
  const isDue = (count: number): boolean => (addDuration(start, every, done + count - 1) ?? Infinity) <= by
  const most = entry.every === undefined ? maxDue : times
  // Most entries are due once, so the search begins there.
  let [low, high] = [1, Math.min(2, most)]
  while (high < most && isDue(high)) [low, high] = [high, Math.min(high * 2, most)]
  while (low < high) {
    const count = Math.ceil((low + high) / 2)
    if (isDue(count)) low = count
    else high = count - 1
  }
  return low
}

/** Returns the change of an entry, with its removal from the timeline or its next occurrence. Doesn't check whether it is due. */
function applyEntry(world: World, id: number, operations: readonly FaultTarget[], usages: Usages): DueChange {
  const entry = world.timeline.get(id) as TimelineEntry
  const { at, every, times = 1, first = at, done = 0 } = entry
  const { description = findTransition(entry)?.description ?? describePatch(entry) } = entry
  const result = computeEffect(world, entry, operations, usages)
  const [effect, reason] = typeof result === 'string' ? [{}, result] : [result, undefined]
  const nextAt =
    every !== undefined && times > 1 ? addDuration(Date.parse(first), every, done + 1) : undefined
  const next =
    nextAt === undefined
      ? null
      : { ...entry, at: toIsoString(nextAt), times: times - 1, first, done: done + 1 }
  const { history } = world
  const [oldest = 0] = history.keys()
  const moved = describeMoved(world, entry, effect)
  const event = {
    id,
    at,
    description,
    ...(reason !== undefined && { reason }),
    ...(moved !== undefined && { effect: moved }),
  }
  return {
    patch: {
      ...effect,
      timeline: { ...effect.timeline, [id]: next },
      history: {
        ...(history.size >= maxHistory && { [oldest]: null }),
        [(history.lastId ?? 0) + 1]: event,
      },
    },
    description,
    ...(reason !== undefined && { skipped: reason }),
  }
}

function describePatch({ patch = {} }: TimelineEntry): string {
  return `changed: ${Object.keys(patch).join(', ')}`
}

/** Computes the change that an entry makes, without its own rescheduling; returns the reason if it can't be applied. */
export function computeEffect(
  world: World,
  entry: TimelineEntry,
  operations: readonly FaultTarget[],
  usages: Usages = new Map(),
): WorldChange | string {
  const at = Date.parse(entry.at)
  const missing = missingIssue(world, entry)
  if (missing) return missing.message
  const transition = findTransition(entry)
  if (transition) return transition.apply(world, at, usages)
  const draft = createDraft(world, normalize(entry.patch ?? {}), at)
  const [issue] = toListPositions(draft.lists, [
    ...checkDraft(draft),
    ...checkFaults(draft.input.faults, operations),
  ])
  return issue ? `${issue.path.join('.')}: ${issue.message}` : (draftedChange(draft, at) ?? {})
}

/** Reports a record that an entry needs but the world doesn't have. */
export function missingIssue(world: World, entry: Partial<TimelineEntry>): PathIssue | undefined {
  for (const [kind, records] of Object.entries(entry.patch ?? {})) {
    if (!isKind(kind) || !isObject(records)) continue
    // A patch for a record that no longer exists lacks fields that a new record needs.
    const required = getFields(kind).filter(([, { isRequired }]) => isRequired)
    for (const [id, record] of Object.entries(records))
      if (isObject(record) && !world[kind].has(id) && required.some(([name]) => record[name] === undefined))
        return { path: ['patch'], message: `there is no ${getNoun(kind)} ${id}` }
  }
  return findTransition(entry)?.missing(world)
}
