import type { Simulation } from '../Simulation.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Account } from './findAccount.ts'

/** Applies a change, and waits until it lasts. @throws StorageError: then nothing changed */
export async function changeWorld(
  { store }: Simulation,
  { login, world }: Account,
  change: WorldChange,
): Promise<void> {
  store.change(login, world, change)
  await store.flushed()
}
