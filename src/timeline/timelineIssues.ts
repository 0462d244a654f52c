import { addDuration, type ClockSetting, type Instant, instantOf, isPast, lastDate } from '../world/time.ts'
import { change } from '../world/change.ts'
import { fillEntry } from '../service/defaults.ts'
import { under, type FaultTarget, type PathIssue } from '../service/invariants.ts'
import type { EntryInput, World } from '../world/World.ts'
import { missingIssues, applyDue } from './applyDue.ts'

/** What an entry's patch can't change, as it is about time itself. */
const ownKeys = ['clock', 'timeline', 'history', 'generate']

type Patch = Readonly<Record<string, unknown>>

/**
 * What is wrong with entries of a timeline, whatever the world is when they are due: one whose service is gone is skipped
 * then.
 * @param clock undefined: not known yet
 * @param now what it shows; entries before it are refused
 * @param checkPatch what is wrong with a patch on any world
 */
export function timelineIssues(
  entries: readonly EntryInput[],
  clock: ClockSetting | undefined,
  now: Instant,
  checkPatch: (patch: Patch) => readonly PathIssue[],
): PathIssue[] {
  return entries.flatMap((entry, i) => {
    const issues = formIssues(entry, clock, now)
    if (issues.length === 0) issues.push(...under(['patch'], checkPatch(entry.patch ?? {})))
    return under(['timeline', i], issues)
  })
}

type Check = (world: World, patch: Patch) => readonly PathIssue[]

/** The same for one that somebody adds, who is told as well if it can't apply: it is checked on the world as it will be. */
export function entryIssues(
  { id: _id, ...entry }: EntryInput,
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
  checkPatch: Check,
): PathIssue[] {
  const issues = formIssues(entry, world.clock, now)
  if (issues.length > 0) return issues
  return plannedIssues([entry], world, now, operations, checkPatch).map((issue) => ({
    ...issue,
    path: issue.path.slice(2),
  }))
}

/**
 * The same for a new world's, one after the other. An entry with an id was checked when it was added: an export loads
 * again even if the entry's service is gone since.
 */
export function plannedIssues(
  entries: readonly EntryInput[],
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
  checkPatch: Check,
): PathIssue[] {
  let then = world
  return entries
    .map((entry, i) => ({ entry, i, due: fillEntry(entry, now) }))
    .toSorted((a, b) => Date.parse(a.due.at) - Date.parse(b.due.at))
    .flatMap(({ entry, i, due }) => {
      then = applyDue(then, Date.parse(due.at), operations).world
      const isNew = entry.id === undefined
      const issues = isNew ? missingIssues(then, entry) : []
      if (isNew && issues.length === 0 && entry.patch)
        issues.push(...under(['patch'], checkPatch(then, entry.patch)))
      then = change(then, { timeline: { [i + 1]: due } })
      return under(['timeline', i], issues)
    })
}

function formIssues(entry: EntryInput, clock: ClockSetting | undefined, now: Instant): PathIssue[] {
  const { at, after, patch, add, every, times } = entry
  const issues: PathIssue[] = []
  const refuse = (path: string[], message: string): void => void issues.push({ path, message })
  if (at === undefined && after === undefined) refuse([], 'An entry has either at or after')
  else if (at !== undefined && after !== undefined) refuse(['after'], 'An entry has either at or after')
  else if (at !== undefined && clock && isPast(clock, Date.parse(at), now))
    refuse(['at'], `${at} is before the clock, which shows ${instantOf(now)}`)
  if (after !== undefined && addDuration(now, after) === undefined)
    refuse(['after'], `${after} leads past ${lastDate}`)
  if (patch === undefined && add === undefined) refuse([], 'An entry needs patch or add')
  if (times !== undefined && every === undefined) refuse(['times'], 'times needs every')
  if (every !== undefined && times === undefined) refuse(['every'], 'every needs times')
  for (const key of Object.keys(patch ?? {}))
    if (ownKeys.includes(key))
      issues.push({ path: ['patch', key], message: `the timeline cannot change ${key}`, isKey: true })
  return issues
}
