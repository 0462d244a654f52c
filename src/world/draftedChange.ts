import { fillDraft } from './defaults.ts'
import type { Draft } from './Draft.ts'
import { diffPatch, isObject } from './mergePatch.ts'
import { tables, type TableName, type World, type WorldData } from './World.ts'
import type { Instant } from './time.ts'
import type { WorldChange } from './WorldChange.ts'

/**
 * The change that a checked draft makes, with defaults filled in and without fields that stay the same; undefined if it
 * changes nothing.
 * @param besides settings that the caller decides on
 */
export function draftedChange(
  draft: Draft,
  now: Instant,
  besides: Partial<WorldData> = {},
): WorldChange | undefined {
  const { world, patch } = draft
  const filled = { ...fillDraft(draft, now), ...besides }
  const before: Record<string, unknown> = {}
  for (const key of Object.keys(filled) as (keyof WorldData)[])
    before[key] = isTableName(key) ? touchedRecords(world, key, patch[key]) : world[key]
  const change = diffPatch(before, filled) as WorldChange | undefined
  for (const [id, entry] of Object.entries(change?.timeline ?? {}))
    if (entry !== null) Object.assign(change?.timeline ?? {}, { [id]: filled.timeline?.[id] }) // they are replaced whole
  return change
}

function isTableName(key: string): key is TableName {
  return tables.some((name) => name === key)
}

/** The records that a patch touches: all of them, unless it names them one by one. */
function touchedRecords(world: World, name: TableName, patch: unknown): Record<string, unknown> {
  if (!isObject(patch)) return world[name].toJSON()
  const found: Record<string, unknown> = {}
  for (const id of Object.keys(patch)) {
    const record = world[name].get(id)
    if (record) found[id] = record
  }
  return found
}
