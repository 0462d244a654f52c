import { expandFault } from '../faults/presets.ts'
import { isoDuration } from '../lib/duration.ts'
import { isObject } from '../world/mergePatch.ts'

/**
 * Replaces what the command line takes, too, in an account or a patch of it: names of faults (`lost`), and short durations of
 * timeline entries (`10s`).
 */
export function expandShorthand<T extends object>(account: T): T {
  const { faults, timeline } = account as Record<string, unknown>
  return {
    ...account,
    ...(isEntries(faults) && { faults: mapEntries(faults, expandFault) }),
    ...(isEntries(timeline) && { timeline: mapEntries(timeline, expandEntry) }),
  }
}

/** Replaces short durations in a timeline entry, and the shorthand in its patch. */
export function expandEntry(entry: unknown): unknown {
  if (!isObject(entry)) return entry
  const { after, every, patch } = entry
  return {
    ...entry,
    ...(typeof after === 'string' && { after: isoDuration(after) }),
    ...(typeof every === 'string' && { every: isoDuration(every) }),
    ...(isObject(patch) && { patch: expandShorthand(patch) }),
  }
}

/** Entries are a list, or a map by id. */
function isEntries(value: unknown): value is unknown[] | Record<string, unknown> {
  return Array.isArray(value) || isObject(value)
}

function mapEntries(
  entries: unknown[] | Record<string, unknown>,
  map: (entry: unknown) => unknown,
): unknown[] | Record<string, unknown> {
  return Array.isArray(entries)
    ? entries.map(map)
    : Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, map(entry)]))
}
