import { addDuration, forward, type Instant, instantOf, lastDate } from '../world/time.ts'
import { change } from '../world/change.ts'
import { fillEntry } from '../world/defaults.ts'
import { under, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import type { NamedEntry } from '../world/NamedWorld.ts'
import type { TimelineEntry, World } from '../world/World.ts'
import { missingIssues, mostAtOnce, settle, Unfolding } from './settle.ts'

/** What an entry's patch can't change, as it is about time itself. */
const ownKeys = ['clock', 'timeline', 'history', 'generate']

type CheckPatch = (world: World, patch: Readonly<Record<string, unknown>>) => readonly PathIssue[]

/**
 * What is wrong with entries of a timeline whose form was checked. Each is checked on the world as it will be then, as one
 * may be about what another one makes.
 * @param now what `after` counts from; entries before it are refused. Undefined: not known yet
 * @param checkPatch what is wrong with a patch on a world
 */
export function timelineIssues(
  entries: readonly NamedEntry[],
  world: World,
  now: Instant | undefined,
  operations: readonly FaultTarget[],
  checkPatch: CheckPatch,
): PathIssue[] {
  const issues = entries.flatMap((entry, i) => under(['timeline', i], formIssues(entry, world, now)))
  if (issues.length > 0 || entries.length === 0) return issues
  // By their places in the list for the time being
  const due = entries.map((entry, i): [number, TimelineEntry] => [i + 1, fillEntry(entry, now ?? 0)])
  const none = change(world, { timeline: null })
  const unfolding = new Unfolding(change(none, { timeline: Object.fromEntries(due) }), operations)
  const unchecked = new Set(entries.keys())
  for (let steps = 0; unchecked.size > 0 && steps < mostAtOnce; steps++) {
    const id = unfolding.due?.id ?? 1
    const entry = entries[id - 1] as NamedEntry
    if (unchecked.delete(id - 1))
      issues.push(...under(['timeline', id - 1], fitIssues(entry, unfolding.world, checkPatch)))
    unfolding.happen(id)
  }
  return issues
}

/** The same for one entry that is added to those of a world. */
export function entryIssues(
  entry: NamedEntry,
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
  checkPatch: CheckPatch,
): PathIssue[] {
  const issues = formIssues(entry, world, now)
  if (issues.length > 0) return issues
  const then = settle(world, Date.parse(fillEntry(entry, now).at), operations)
  return fitIssues(entry, then.world, checkPatch)
}

function formIssues(entry: NamedEntry, world: World, now: Instant | undefined): PathIssue[] {
  const { at, after, patch, add, every, times } = entry
  const issues: PathIssue[] = []
  const refuse = (path: string[], message: string): void => void issues.push({ path, message })
  const isLate = at !== undefined && now !== undefined && !forward(world.clock, Date.parse(at), now)
  if (at === undefined && after === undefined) refuse([], 'an entry has either at or after')
  else if (at !== undefined && after !== undefined) refuse(['after'], 'an entry has either at or after')
  else if (isLate) refuse(['at'], `${at} is before the clock, which shows ${instantOf(now)}`)
  if (after !== undefined && addDuration(now ?? 0, after) === undefined)
    refuse(['after'], `${after} leads past ${lastDate}`)
  if (patch === undefined && add === undefined) refuse([], 'an entry needs patch or add')
  if (times !== undefined && every === undefined) refuse(['times'], 'times needs every')
  if (every !== undefined && times === undefined) refuse(['every'], 'every needs times')
  for (const key of Object.keys(patch ?? {}))
    if (ownKeys.includes(key))
      issues.push({ path: ['patch', key], message: `the timeline cannot change ${key}`, isKey: true })
  return issues
}

function fitIssues(entry: NamedEntry, world: World, checkPatch: CheckPatch): PathIssue[] {
  const missing = missingIssues(world, entry)
  return missing.length > 0 || !entry.patch ? missing : under(['patch'], checkPatch(world, entry.patch))
}
