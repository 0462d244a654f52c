import { diffPatch, isObject, mergePatch } from './mergePatch.ts'
import { type IndexedBy, Table } from './Table.ts'
import type { Instant } from './time.ts'
import { indexOf } from '../service/records.ts'
import { completed } from '../service/settings.ts'
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

type Bag = Record<string, unknown>

/**
 * The world after a change: a new value that shares the unchanged parts with the old one. The cost
 * depends on the change, not on the size of the world.
 */
export function change(world: World, patch: WorldChange): World {
  const next: Bag = { ...world, version: world.version + 1 }
  for (const key of Object.keys(patch) as (keyof WorldChange)[]) {
    const value = patch[key]
    next[key] = isTable(key) ? changedTable(world, key, value as Bag | null) : mergePatch(world[key], value)
  }
  return next as unknown as World
}

/**
 * The table after a change. Timeline entries are replaced as a whole, because merging would remove the nulls from their patches,
 * which say what to remove when the entry is due.
 */
function changedTable(world: World, name: TableName, patch: Bag | null): Table<unknown> {
  const table = world[name] as Table<unknown>
  if (patch === null) return table.with([...table.keys()].map((id) => [id, undefined]))
  return table.with(
    Object.entries(patch).map(([id, value]) => [
      Number(id),
      value === null ? undefined : name === 'timeline' ? value : mergePatch(table.get(id), value),
    ]),
  )
}

/** The patch between parts of two worlds, as JSON; undefined if they are equal. */
export function differenceOf(from: Partial<WorldData>, to: Partial<WorldData>): WorldChange | undefined {
  const patch = diffPatch(from, to) as Bag | undefined
  const entries = patch?.['timeline']
  if (isObject(entries)) for (const id of Object.keys(entries)) entries[id] = to.timeline?.[id] ?? null
  return patch
}

/** The patch between two worlds, without their versions; undefined if they are equal. */
export function difference(from: World, to: World): WorldChange | undefined {
  return differenceOf({ ...dataOf(from), version: 0 }, { ...dataOf(to), version: 0 })
}

/** The patch that undoes a change. */
export function inverse(world: World, patch: WorldChange): WorldChange {
  return differenceOf(touchedParts(change(world, patch), patch), touchedParts(world, patch)) ?? {}
}

/** The parts of a world that a patch changes, as JSON: single records, or whole tables if the patch removes or replaces them. */
export function touchedParts(world: object, patch: Readonly<Bag>): Bag {
  const parts: Bag = {}
  for (const key of Object.keys(patch)) {
    if (!Object.hasOwn(world, key)) continue
    const [part, touched] = [(world as Bag)[key], patch[key]]
    if (!isTable(key)) parts[key] = part
    else if (!isObject(touched)) parts[key] = (part as Table<object>).toJSON()
    else {
      const records = Object.keys(touched).map((id) => [id, (part as Table<object>).get(id)] as const)
      parts[key] = Object.fromEntries(records.filter(([, record]) => record !== undefined))
    }
  }
  return parts
}

const byTime: IndexedBy = ({ at }: TimelineEntry) => at

/** The world in JSON data. Fields missing from an older file get their defaults. */
export function worldOf(data: WorldData): World {
  const all = Object.fromEntries(
    tables.map((name) => {
      const index = isKind(name) ? indexOf(name) : name === 'timeline' ? byTime : undefined
      return [name, Table.of<object>(data[name], index)]
    }),
  ) as Pick<World, TableName>
  const settings = completed(data, (kind) => all[kind].lastId ?? 0)
  return {
    ...data,
    ...settings,
    confirmed: data.confirmed ?? [],
    faultCounts: data.faultCounts ?? {},
    ...all,
  }
}

/** A world as JSON. */
export function dataOf(world: World): WorldData {
  const records = Object.fromEntries(tables.map((name) => [name, world[name].toJSON()]))
  return { ...world, ...records } as unknown as WorldData
}

/** The next due entry, by time and then by id. */
export function nextDue({ timeline }: Pick<World, 'timeline'>): { id: number; at: Instant } | undefined {
  const { first } = timeline
  return first && { id: first.id, at: Date.parse(first.text) }
}

export function isKind(key: string): key is Kind {
  return (kinds as string[]).includes(key)
}

const tableNames: ReadonlySet<string> = new Set(tables)

function isTable(key: string): key is TableName {
  return tableNames.has(key)
}
