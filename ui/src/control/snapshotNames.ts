import type { Snapshot } from '../lib/types.ts'

/** The simulator numbers its snapshots, from 1 at each start; with its time, a number is of one snapshot alone. */
function keyOf({ id, time }: Snapshot): string {
  return `proxysim-snapshot ${id} ${time}`
}

export function snapshotName(snapshot: Snapshot): string {
  return localStorage.getItem(keyOf(snapshot)) ?? ''
}

/** Keeps a name in this browser; an empty one is none. */
export function nameSnapshot(snapshot: Snapshot, name: string): void {
  if (name === '') localStorage.removeItem(keyOf(snapshot))
  else localStorage.setItem(keyOf(snapshot), name)
}
