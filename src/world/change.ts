import { diffPatch, inversePatch, isObject, mergePatch } from './mergePatch.ts'
import { SortedKeys, Table } from './Table.ts'
import { defaultAssumptions } from './values.ts'
import {
  type Kind,
  kinds,
  type Service,
  type TableName,
  tables,
  type TimelineEntry,
  type World,
  type WorldChange,
  type WorldData,
} from './World.ts'
import type { Instant } from './time.ts'

/**
 * The world after a change: another value, which shares with the first all that the change doesn't touch. The cost
 * depends on the change, not on the size of the world.
 */
export function change(world: World, patch: WorldChange): World {
  const next: Record<string, unknown> = { ...world, version: world.version + 1 }
  for (const key of Object.keys(patch) as (keyof WorldChange)[]) {
    const value = patch[key]
    if (isTable(key)) changeTable(world, key, value as never, next)
    else if (value === null) delete next[key]
    else next[key] = mergePatch(world[key], value)
  }
  return next as unknown as World
}

/** Which index is derived from which table */
const indexed: { readonly [K in TableName]?: keyof typeof keysOf } = {
  services: 'bindings',
  timeline: 'agenda',
}

function changeTable(
  world: World,
  name: TableName,
  patch: Record<string, unknown> | null,
  next: Record<string, unknown>,
): void {
  const table = world[name] as Table<unknown>
  const index = indexed[name]
  if (patch === null) {
    next[name] = Table.of()
    if (index) next[index] = indexOf([], () => [])
    return
  }
  const removed: string[] = []
  const added: string[] = []
  const keys = index && (keysOf[index] as (record: unknown, id: number) => string[])
  const entries: [number, unknown][] = []
  for (const digits of Object.keys(patch)) {
    const id = Number(digits)
    const value = patch[digits]
    const before = table.get(id)
    const after = value === null ? undefined : watched(isAtomic(name) ? value : mergePatch(before, value))
    entries.push([id, after])
    if (!keys) continue
    const [old, now] = [
      before === undefined ? [] : keys(before, id),
      after === undefined ? [] : keys(after, id),
    ]
    removed.push(...old.filter((key) => !now.includes(key)))
    added.push(...now.filter((key) => !old.includes(key)))
  }
  next[name] = table.with(entries)
  if (index) next[index] = world[index].with(removed, added)
}

/**
 * An entry of the timeline is replaced whole: merged, the patch that it has would lose its nulls, which say what is to be
 * removed then.
 */
export function isAtomic(name: TableName): boolean {
  return name === 'timeline'
}

/** The patch that turns one world into another, but for its version; undefined if they are equal. */
export function difference(from: World, to: World): WorldChange | undefined {
  const patch: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)]) as Set<keyof World>) {
    if (key === 'version' || key === 'bindings' || key === 'agenda' || from[key] === to[key]) continue
    if (!isTable(key)) {
      const [before, after] = [from[key], to[key]]
      const part = after === undefined ? null : diffPatch(before, after)
      if (part !== undefined) patch[key] = part
      continue
    }
    const records = differentRecords(key, from[key], to[key])
    if (records) patch[key] = records
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}

/** Records that both share are the same object, so comparing 20,000 takes a millisecond. */
function differentRecords(
  name: TableName,
  from: Table<object>,
  to: Table<object>,
): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {}
  for (const id of from.keys()) if (!to.has(id)) patch[id] = null
  for (const [id, record] of to.entries()) {
    const before = from.get(id)
    const part = before === record ? undefined : diffPatch(before, record)
    if (part !== undefined) patch[id] = isAtomic(name) ? record : part
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}

/** The patch that undoes a change at exactly its paths: what was there before, null where nothing was. */
export function inverse(world: World, patch: WorldChange): WorldChange {
  const before: Record<string, unknown> = { ...world }
  for (const name of tables)
    if (Object.hasOwn(patch, name)) before[name] = touchedRecords(world[name], patch[name])
  const undo = inversePatch(before, patch)
  for (const name of tables)
    if (isAtomic(name) && isObject(patch[name]))
      undo[name] = Object.fromEntries(Object.keys(patch[name]).map((id) => [id, world[name].get(id) ?? null]))
  return undo
}

/** The records that a patch touches: all of them, unless it names them one by one. */
export function touchedRecords(table: Table<object>, patch: unknown): Record<string, object> {
  if (!isObject(patch)) return table.toJSON()
  const found: Record<string, object> = {}
  for (const id of Object.keys(patch)) {
    const record = table.get(id)
    if (record) found[id] = record
  }
  return found
}

/** The world of JSON. What an older file lacks because it came later has its default. */
export function worldOf(data: WorldData): World {
  const world = {
    ...data,
    assumptions: { ...defaultAssumptions, ...data.assumptions },
    ...Object.fromEntries(tables.map((name) => [name, Table.of<object>(data[name])])),
  } as unknown as World
  return {
    ...world,
    bindings: indexOf(world.services.entries(), keysOf.bindings),
    agenda: indexOf(world.timeline.entries(), keysOf.agenda),
  }
}

/** A world as JSON. */
export function dataOf({ bindings: _bindings, agenda: _agenda, ...world }: World): WorldData {
  return {
    ...world,
    ...Object.fromEntries(tables.map((name) => [name, world[name].toJSON()])),
  } as unknown as WorldData
}

export function isKind(key: string): key is Kind {
  return kinds.some((kind) => kind === key)
}

export function isTable(key: string): key is TableName {
  return tables.some((name) => name === key)
}

let watch: (<T>(record: T) => T) | undefined

function watched<T>(record: T): T {
  return watch ? watch(record) : record
}

/** For tests: what each new record passes through, so that one that is changed afterwards is noticed. */
export function watchRecords(each: <T>(record: T) => T): void {
  watch = each
}

/*
 * What is derived from the records of a world, and is a part of the value like them: kept up by `change`, not written out.
 */

/** What makes an index: the keys of a record in it */
export const keysOf = {
  /** `192.0.2.10 5001`: which services an address is bound to */
  bindings: ({ bindedip }: Pick<Service, 'bindedip'>, id: number): string[] =>
    bindedip ? [`${bindedip} ${id}`] : [],
  /** `2026-02-01T00:00:00.000Z 3`: what is due, soonest first; of the same instant, in the order of the ids */
  agenda: ({ at }: Pick<TimelineEntry, 'at'>, id: number): string[] => [
    `${at} ${String(id).padStart(10, '0')}`,
  ],
} as const

/** The services that an address is bound to. */
export function* servicesBoundTo({ bindings }: Pick<World, 'bindings'>, ip: string): Generator<number> {
  for (const key of bindings.startingWith(`${ip} `)) yield idIn(key)
}

/** What is due next. */
export function nextDue({ agenda }: Pick<World, 'agenda'>): { id: number; at: Instant } | undefined {
  const { first } = agenda
  return first === undefined ? undefined : { id: idIn(first), at: Date.parse(first.slice(0, 24)) }
}

function idIn(key: string): number {
  return Number(key.slice(key.indexOf(' ') + 1))
}

/** An index over records. */
export function indexOf<T>(
  records: Iterable<readonly [number, T]>,
  keys: (record: T, id: number) => readonly string[],
): SortedKeys {
  const all: string[] = []
  for (const [id, record] of records) all.push(...keys(record, id))
  return SortedKeys.of(all)
}
