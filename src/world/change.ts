import { Bindings } from './Bindings.ts'
import { diffPatch, inversePatch, mergePatch } from './mergePatch.ts'
import { Table } from './Table.ts'
import { defaultAssumptions } from './values.ts'
import { kinds, type Kind, type Records, type World, type WorldData } from './World.ts'
import type { WorldChange } from './WorldChange.ts'

/**
 * The world after a change: another value, which shares with the first all that the change doesn't touch. The cost
 * depends on the change, not on the size of the world.
 */
export function change(world: World, patch: WorldChange): World {
  const next: Record<string, unknown> = { ...world, version: world.version + 1 }
  for (const key of Object.keys(patch) as (keyof WorldChange)[]) {
    const value = patch[key]
    if (isKind(key)) next[key] = changed(world, key, value as never, next)
    else if (value === null) delete next[key]
    else next[key] = mergePatch(world[key], value)
  }
  return next as unknown as World
}

function changed<K extends Kind>(
  world: World,
  kind: K,
  patch: Record<string, unknown> | null,
  next: Record<string, unknown>,
): Table<Records[K]> {
  const table = world[kind] as Table<Records[K]>
  if (patch === null) {
    if (kind === 'services') next['bindings'] = Bindings.of([])
    return Table.of<Records[K]>()
  }
  const entries: [number, Records[K] | undefined][] = []
  for (const key of Object.keys(patch)) {
    const id = Number(key)
    const value = patch[key]
    entries.push([id, value === null ? undefined : (mergePatch(table.get(id), value) as Records[K])])
  }
  if (kind === 'services')
    next['bindings'] = world.bindings.with(
      (entries as [number, Records['services'] | undefined][]).map(([id, service]) => ({
        id,
        before: world.services.get(id)?.bindedip,
        after: service?.bindedip,
      })),
    )
  return table.with(watch ? entries.map(([id, record]) => [id, watch?.(record)] as never) : entries)
}

/** The patch that turns one world into another, but for its version; undefined if they are equal. */
export function difference(from: World, to: World): WorldChange | undefined {
  const patch: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)]) as Set<keyof World>) {
    if (key === 'version' || key === 'bindings' || from[key] === to[key]) continue
    if (!isKind(key)) {
      const [before, after] = [from[key], to[key]]
      const part = after === undefined ? null : diffPatch(before, after)
      if (part !== undefined) patch[key] = part
      continue
    }
    const records = differentRecords(from[key] as Table<object>, to[key] as Table<object>)
    if (records) patch[key] = records
  }
  return Object.keys(patch).length > 0 ? (patch as WorldChange) : undefined
}

/** Records that both share are the same object, so comparing 20,000 takes a millisecond. */
function differentRecords(from: Table<object>, to: Table<object>): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {}
  for (const id of from.keys()) if (!to.has(id)) patch[id] = null
  for (const [id, record] of to.entries()) {
    const before = from.get(id)
    const part = before === record ? undefined : diffPatch(before, record)
    if (part !== undefined) patch[id] = part
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}

/** The patch that undoes a change at exactly its paths: what was there before, null where nothing was. */
export function inverse(world: World, patch: WorldChange): WorldChange {
  const before: Record<string, unknown> = { ...world }
  for (const kind of kinds) {
    const records: object | null | undefined = patch[kind]
    if (records === null) before[kind] = world[kind].toJSON()
    else if (records) before[kind] = pickRecords(world[kind], Object.keys(records))
  }
  return inversePatch(before, patch) as WorldChange
}

/** Some records of a table, by id. */
export function pickRecords(table: Table<object>, ids: readonly string[]): Record<string, object> {
  const found: Record<string, object> = {}
  for (const id of ids) {
    const record = table.get(id)
    if (record) found[id] = record
  }
  return found
}

/** The world of JSON. What an older file lacks because it came later has its default. */
export function worldOf(data: WorldData): World {
  const tables = Object.fromEntries(
    kinds.map((kind) => [kind, Table.of(data[kind] as Record<string, object>)]),
  )
  const world = {
    ...data,
    ...tables,
    assumptions: { ...defaultAssumptions, ...data.assumptions },
  } as unknown as World
  return { ...world, bindings: Bindings.of(world.services.entries()) }
}

export function isKind(key: string): key is Kind {
  return kinds.some((kind) => kind === key)
}

let watch: (<T>(record: T) => T) | undefined

/** For tests: what each new record passes through, so that one that is changed afterwards is noticed. */
export function watchRecords(each: <T>(record: T) => T): void {
  watch = each
}
