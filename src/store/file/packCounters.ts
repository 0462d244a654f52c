import type { Table } from '../../world/Table.ts'
import type { StoredFault, World, WorldChange } from '../../world/World.ts'

/*
 * Each request that a fault counts changes its entry, which may contain a large response. In the log, a fault that only counts
 * is the pair of its counters.
 */

type Counters = readonly [seen: number, used: number]

/** @param before the world before the change */
export function packCounters(patch: WorldChange, before: World): WorldChange {
  if (!patch.faults) return patch
  const entries = Object.entries(patch.faults as Record<string, StoredFault | null>)
  const packed = entries.map(([id, fault]) => [
    id,
    fault && onlyCounts(fault, before.faults.get(id)) ? [fault.seen, fault.used] : fault,
  ])
  return { ...patch, faults: Object.fromEntries(packed) as WorldChange['faults'] & object }
}

function onlyCounts(fault: StoredFault, before: StoredFault | undefined): boolean {
  if (!before) return false
  const fields = new Set([...Object.keys(fault), ...Object.keys(before)]) as Set<keyof StoredFault>
  return [...fields].every((name) => name === 'seen' || name === 'used' || fault[name] === before[name])
}

/** @param world the world before the change */
export function unpackCounters(patch: WorldChange, world: World): WorldChange {
  if (!patch.faults) return patch
  const entries = Object.entries(patch.faults as Record<string, unknown>)
  const unpacked = entries.map(([id, fault]) => [
    id,
    Array.isArray(fault) ? withCounters(world.faults, id, fault as unknown as Counters) : fault,
  ])
  return { ...patch, faults: Object.fromEntries(unpacked) as WorldChange['faults'] & object }
}

function withCounters(faults: Table<StoredFault>, id: string, [seen, used]: Counters): StoredFault {
  return { ...(faults.get(id) as StoredFault), seen, used }
}
