import { kinds, type World, type WorldChange } from '../world/World.ts'

/** The ids and order ids of the records that a change adds. */
export function assignedIds(before: World, change: WorldChange): string[] {
  return kinds.flatMap((kind) =>
    Object.entries(change[kind] ?? {}).flatMap(([id, record]) =>
      before[kind].has(id) ? [] : [id, String((record as { orderid?: number } | null)?.orderid ?? id)],
    ),
  )
}
