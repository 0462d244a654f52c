import { entryParts, isEntryPart } from './entries.ts'
import { diffPatch, isObject, type JsonObject, mergePatch } from './mergePatch.ts'
import { type IndexedBy, Table } from './Table.ts'
import type { Instant } from './time.ts'
import { getIndexField } from '../service/records.ts'
import { completeSettings } from '../service/settings.ts'
import {
  type Kind,
  kinds,
  type TableName,
  tables,
  type TimelineEntry,
  type World,
  type WorldChange,
  type WorldData,
} from './World.ts'

/**
 * Returns the world after a change: a new value that shares the unchanged parts with the old one. The cost
 * depends on the change, not on the size of the world.
 */
export function applyPatch(world: World, patch: WorldChange): World {
  const next: JsonObject = { ...world, version: world.version + 1 }
  for (const key of Object.keys(patch) as (keyof WorldChange)[]) {
    const value = patch[key]
    next[key] = isTableName(key)
      ? patchTable(world, key, value as JsonObject | null)
      : key === 'clock'
        ? value // a clock is a single value: merging would mix a frozen with a running one
        : mergePatch(world[key], value)
  }
  return next as unknown as World
}

function patchTable(world: World, name: TableName, patch: JsonObject | null): Table<unknown> {
  const table = world[name] as Table<unknown>
  if (patch === null) return table.with([...table.keys()].map((id) => [id, undefined]))
  return table.with(
    Object.entries(patch).map(([id, value]) => [
      Number(id),
      value === null ? undefined : isEntryPart(name) ? value : mergePatch(table.get(id), value),
    ]),
  )
}

/** The patch between parts of two worlds, as JSON; undefined if they are equal. */
export function diffParts(from: Partial<WorldData>, to: Partial<WorldData>): WorldChange | undefined {
  const patch = diffPatch(from, to) as JsonObject | undefined
  if (!patch) return undefined
  if (patch['clock']) patch['clock'] = to.clock
  for (const part of entryParts) {
    const entries = patch[part]
    if (isObject(entries)) for (const id of Object.keys(entries)) entries[id] = to[part]?.[id] ?? null
  }
  return patch
}

/** The patch between two worlds, without their versions; undefined if they are equal. */
export function diffWorlds(from: World, to: World): WorldChange | undefined {
  return diffParts({ ...worldToJson(from), version: 0 }, { ...worldToJson(to), version: 0 })
}

/** The patch that undoes a change. */
export function inverse(world: World, patch: WorldChange): WorldChange {
  return diffParts(touchedParts(applyPatch(world, patch), patch), touchedParts(world, patch)) ?? {}
}

/** The parts of a world that a patch changes, as JSON: single records, or whole tables if the patch removes or replaces them. */
export function touchedParts(world: object, patch: Readonly<JsonObject>): JsonObject {
  const parts: JsonObject = {}
  for (const key of Object.keys(patch)) {
    if (!Object.hasOwn(world, key)) continue
    const [part, change] = [(world as JsonObject)[key], patch[key]]
    if (!isTableName(key)) parts[key] = part
    else if (!isObject(change)) parts[key] = (part as Table<object>).toJSON()
    else {
      const records = Object.keys(change).map((id) => [id, (part as Table<object>).get(id)] as const)
      parts[key] = Object.fromEntries(records.filter(([, record]) => record !== undefined))
    }
  }
  return parts
}

const byTime: IndexedBy = ({ at }: TimelineEntry) => at

/** Builds a world from JSON. Fields missing from older files get their defaults. */
export function worldFromJson(data: WorldData): World {
  const tablesByName = Object.fromEntries(
    tables.map((name) => {
      const index = isKind(name) ? getIndexField(name) : name === 'timeline' ? byTime : undefined
      return [name, Table.of<object>(data[name], index)]
    }),
  ) as Pick<World, TableName>
  const settings = completeSettings(data, (kind) => tablesByName[kind].lastId ?? 0)
  return {
    ...data,
    ...settings,
    confirmed: data.confirmed ?? [],
    ...tablesByName,
  }
}

export function worldToJson(world: World): WorldData {
  const records = Object.fromEntries(tables.map((name) => [name, world[name].toJSON()]))
  return { ...world, ...records } as unknown as WorldData
}

/** The next due entry, by time and then by id. */
export function nextDue({ timeline }: Pick<World, 'timeline'>): { id: number; at: Instant } | undefined {
  const first = timeline.firstInIndex
  return first && { id: first.id, at: Date.parse(first.key) }
}

export function isKind(key: string): key is Kind {
  return (kinds as string[]).includes(key)
}

const tableNames: ReadonlySet<string> = new Set(tables)

function isTableName(key: string): key is TableName {
  return tableNames.has(key)
}
