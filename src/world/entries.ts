import type { PathIssue } from '../lib/PathIssue.ts'
import { isObject, type JsonObject, mergePatch } from './mergePatch.ts'
import { nextIdAfter } from './numbers.ts'

/**
 * The parts of an account that contain entries by id. Scenarios and patches may also list them. Entries are replaced as a whole:
 * merging would drop the nulls in a timeline entry's patch, but these nulls remove fields when the entry is due.
 */
export const entryParts = ['faults', 'timeline', 'history'] as const

export type EntryPart = (typeof entryParts)[number]

/** Entries by id. Null removes one. */
export type EntryMap<T = unknown> = Readonly<Record<string, T>>

/** The ids of the entries of those parts that were listed, in order */
export type ListIds = { readonly [Part in EntryPart]?: readonly number[] | undefined }

export function isEntryPart(name: unknown): name is EntryPart {
  return (entryParts as readonly unknown[]).includes(name)
}

/** The ids of listed entries: their own or, by their positions, the next free ones. Events of the history have no ids of their own. */
export function listIds(part: EntryPart, list: readonly unknown[], next = 1): number[] {
  const ids = list.map((entry) => (part === 'history' ? undefined : ownId(entry)))
  let free = ids.reduce<number>((id, own = 0) => nextIdAfter(id, own), next)
  const taken = new Set<number>()
  return ids.map((id) => {
    if (id === undefined || taken.has(id)) return free++ // a check will report the duplicate
    taken.add(id)
    return id
  })
}

function ownId(entry: unknown): number | undefined {
  const id = isObject(entry) ? entry['id'] : undefined
  return Number.isSafeInteger(id) && Number(id) > 0 ? Number(id) : undefined
}

/** Entries by id, as they were given: with their ids, except for those of a list that have none. */
export function toEntryMap(part: EntryPart, entries: unknown, ids?: readonly number[]): unknown {
  if (Array.isArray(entries)) {
    const all = ids ?? listIds(part, entries)
    return Object.fromEntries(entries.map((entry, i) => [all[i], entry as unknown]))
  }
  if (!isObject(entries) || part === 'history') return entries
  return Object.fromEntries(
    Object.entries(entries).map(([id, entry]) => [
      id,
      isObject(entry) ? { id: Number(id), ...entry } : entry,
    ]),
  )
}

/** Applies a merge patch to an account, in which entries are replaced as a whole, and a list replaces all entries. */
export function mergeAccount(account: unknown, patch: unknown): unknown {
  const merged = mergePatch(account, patch)
  if (!isObject(merged) || !isObject(patch)) return merged
  for (const part of entryParts) {
    const change = patch[part]
    if (!isObject(change)) continue
    const before = isObject(account) ? account[part] : undefined
    merged[part] = replaceEntries(Array.isArray(before) ? toEntryMap(part, before) : before, change)
  }
  return merged
}

function replaceEntries(entries: unknown, change: JsonObject): JsonObject {
  const result: JsonObject = isObject(entries) ? { ...entries } : {}
  for (const [id, entry] of Object.entries(change))
    if (entry === null) delete result[id]
    else result[id] = entry
  return result
}

/** Replaces the ids in paths of issues with positions, for the parts that were listed. */
export function toListPositions(lists: ListIds, issues: readonly PathIssue[]): PathIssue[] {
  return issues.map((issue) => {
    const [part, id, ...rest] = issue.path
    const ids = isEntryPart(part) ? lists[part] : undefined
    if (!ids || part === undefined || id === undefined) return issue
    return { ...issue, path: [part, ids.indexOf(Number(id)), ...rest] }
  })
}
