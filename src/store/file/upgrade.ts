import { isObject, mergePatch } from '../../world/mergePatch.ts'
import type { World, WorldChange, WorldData } from '../../world/World.ts'

/*
 * State files of format 6: faults were a list, with their counters in another part, and changes of a clock were merged.
 */

type Fields = Readonly<Record<string, unknown>>
type OldFault = { id: number } & Fields

/** A world of format 6 as one of the present format. */
export function upgradeWorld({ faults = [], faultCounts = {}, ...data }: Fields): WorldData {
  return { ...data, faults: toMap(faults as OldFault[], faultCounts as Fields) } as unknown as WorldData
}

/** A change of format 6 as one of the present format. @param world the world before it */
export function upgradeChange(world: World, change: Fields): WorldChange {
  const { faults: list, faultCounts, clock, ...rest } = change
  const result: Record<string, unknown> = { ...rest }
  if (isObject(clock)) result['clock'] = mergePatch(world.clock, clock)
  if (list !== undefined || faultCounts !== undefined) {
    const old = [...world.faults.entries()]
    const counts = Object.fromEntries(old.map(([id, { seen, used }]) => [id, { seen, used }]))
    const all = (list ?? old.map(([id, fault]) => ({ id, ...fault }))) as OldFault[]
    const removed = Object.fromEntries(old.map(([id]) => [id, null]))
    result['faults'] = { ...removed, ...toMap(all, mergePatch(counts, faultCounts ?? {}) as Fields) }
  }
  return result
}

function toMap(faults: readonly OldFault[], counts: Fields): Fields {
  const initial = { seen: 0, used: 0 }
  return Object.fromEntries(
    faults.map(({ id, ...fault }) => [id, { ...fault, ...initial, ...Object(counts[id]) }]),
  )
}
