import { addDuration, type ClockSetting, type Instant, toIsoString, isPast, lastDate } from '../world/time.ts'
import { applyPatch } from '../world/change.ts'
import { type PathIssue, prefixPaths } from '../lib/PathIssue.ts'
import { transitions, fillEntry } from '../service/index.ts'
import type { EntryMap } from '../world/entries.ts'
import type { FaultTarget } from '../faults/checkFaults.ts'
import type { EntryInput, World, WorldChange } from '../world/World.ts'
import { computeEffect, missingIssue } from './applyDue.ts'

/** Keys that an entry's patch can't contain. */
const forbiddenKeys = ['clock', 'timeline', 'history', 'generate']

/** The possible actions. Each entry has exactly one. */
const actions = ['patch', ...transitions] as const

type Patch = Readonly<Record<string, unknown>>

/**
 * Reports issues of timeline entries that don't depend on the world. An entry whose service no longer exists is skipped when due.
 * @param clock the account's clock; undefined if it isn't known yet
 * @param now the time of the clock; earlier entries are rejected
 * @param checkPatch returns the issues of a patch on any world
 * @param checksAll whether to check the patches of new entries, too, which `applicationIssues` checks otherwise
 */
export function timelineIssues(
  entries: EntryMap<EntryInput> = {},
  clock: ClockSetting | undefined,
  now: Instant,
  checkPatch: (patch: Patch) => readonly PathIssue[],
  checksAll = false,
): PathIssue[] {
  return Object.entries(entries).flatMap(([id, entry]) => {
    const issues = structureIssues(entry, clock, now)
    if (issues.length === 0 && entry.patch && (checksAll || !isAdded(entry)))
      issues.push(...prefixPaths(['patch'], checkPatch(entry.patch)))
    return prefixPaths(['timeline', id], issues)
  })
}

/** Reports issues of an entry that is added to a world, which must contain the records that the entry refers to. */
export function entryIssues(
  { id: _id, ...entry }: EntryInput,
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
  checkPatch: CheckPatch,
): PathIssue[] {
  const issues = structureIssues(entry, world.clock, now)
  if (issues.length > 0) return issues
  return applicationIssues({ 1: entry }, world, now, operations, checkPatch).map((issue) => ({
    ...issue,
    path: issue.path.slice(2),
  }))
}

type CheckPatch = (world: World, patch: Patch) => { change?: WorldChange; issues: readonly PathIssue[] }

/**
 * Reports issues of the entries of a new timeline. Each entry is checked against the world after the entries due before it,
 * each applied once. Entries with an id and a time were checked when they were added, and an export must load even if an
 * entry's service no longer exists.
 */
export function applicationIssues(
  entries: EntryMap<EntryInput> = {},
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
  checkPatch: CheckPatch,
): PathIssue[] {
  let worldBefore = world
  const sorted = Object.entries(entries)
    .map(([id, entry]) => ({ entry, id, due: fillEntry(entry, now) }))
    .toSorted((a, b) => Date.parse(a.due.at) - Date.parse(b.due.at) || Number(a.id) - Number(b.id))
  return sorted.flatMap(({ entry, id, due }) => {
    const missing = isAdded(entry) ? missingIssue(worldBefore, entry) : undefined
    const checked =
      isAdded(entry) && !missing && entry.patch ? checkPatch(worldBefore, entry.patch) : undefined
    const effect = checked ? (checked.change ?? '') : computeEffect(worldBefore, due, operations)
    if (typeof effect !== 'string') worldBefore = applyPatch(worldBefore, effect)
    return prefixPaths(['timeline', id], missing ? [missing] : prefixPaths(['patch'], checked?.issues ?? []))
  })
}

/** Whether an entry is new, and not from an export or an earlier change. */
function isAdded({ id, after }: EntryInput): boolean {
  return id === undefined || after !== undefined
}

function structureIssues(entry: EntryInput, clock: ClockSetting | undefined, now: Instant): PathIssue[] {
  const { at, after, every, times } = entry
  const issues: PathIssue[] = []
  const report = (path: string[], message: string): void => void issues.push({ path, message })
  if (at === undefined && after === undefined) report([], 'An entry needs either at or after')
  else if (at !== undefined && after !== undefined) report(['after'], 'Use either at or after, not both')
  else if (at !== undefined && isAdded(entry) && clock && isPast(clock, Date.parse(at), now))
    report(['at'], `${at} is before the clock, which shows ${toIsoString(now)}`)
  if (after !== undefined && addDuration(now, after) === undefined)
    report(['after'], `${after} ends after ${lastDate}`)
  const chosen = actions.filter((name) => entry[name] !== undefined)
  if (chosen.length === 0) report([], `An entry needs one of: ${actions.join(', ')}`)
  if (chosen.length > 1) report(chosen.slice(1, 2), `An entry can have only one of: ${actions.join(', ')}`)
  if (times !== undefined && every === undefined) report(['times'], 'times needs every')
  if (every !== undefined && times === undefined) report(['every'], 'every needs times')
  for (const key of Object.keys(entry.patch ?? {}))
    if (forbiddenKeys.includes(key))
      issues.push({ path: ['patch', key], message: `The timeline cannot change ${key}`, isKey: true })
  return issues
}
