import { addDuration, forward, type Instant, instantOf, lastDate } from '../world/time.ts'
import { dataOf, nextDue, worldOf } from '../world/change.ts'
import { fillEntry } from '../world/defaults.ts'
import { under, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import type { NamedEntry } from '../world/NamedWorld.ts'
import type { TimelineEntry, World } from '../world/World.ts'
import { mostAtOnce, missingIssues, settle, skipToNext } from './settle.ts'

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
  let then = worldOf({ ...dataOf(world), timeline: Object.fromEntries(due) })
  const unchecked = new Set(entries.keys())
  for (let steps = 0; unchecked.size > 0 && steps < mostAtOnce; steps++) {
    const place = (nextDue(then)?.id ?? 1) - 1
    if (unchecked.delete(place))
      issues.push(...under(['timeline', place], fitIssues(entries[place] as NamedEntry, then, checkPatch)))
    then = skipToNext(then, operations)
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
  const { at, after, patch, every, times } = entry
  const issues: PathIssue[] = []
  if ((at === undefined) === (after === undefined))
    issues.push({ path: at === undefined ? [] : ['after'], message: 'an entry has either at or after' })
  else if (at !== undefined && now !== undefined && forward(world.clock, Date.parse(at), now) === undefined)
    issues.push({ path: ['at'], message: `${at} is before the clock, which shows ${instantOf(now)}` })
  if (after !== undefined && addDuration(now ?? 0, after) === undefined)
    issues.push({ path: ['after'], message: `${after} leads past ${lastDate}` })
  if (patch === undefined && entry.add === undefined)
    issues.push({ path: [], message: 'an entry needs patch or add' })
  if ((every === undefined) !== (times === undefined))
    issues.push({
      path: [every === undefined ? 'times' : 'every'],
      message: every === undefined ? 'times needs every' : 'every needs times',
    })
  const own = Object.keys(patch ?? {}).filter((key) => ownKeys.includes(key))
  issues.push(
    ...own.map((key) => ({
      path: ['patch', key],
      message: `the timeline cannot change ${key}`,
      isKey: true,
    })),
  )
  return issues
}

function fitIssues(entry: NamedEntry, world: World, checkPatch: CheckPatch): PathIssue[] {
  const missing = missingIssues(world, entry)
  return missing.length > 0 || !entry.patch ? missing : under(['patch'], checkPatch(world, entry.patch))
}
