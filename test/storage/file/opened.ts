import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { Observations } from '../../../src/journal/Observations.ts'
import type { State } from '../../../src/state/State.ts'
import { LocalStore } from '../../../src/state/LocalStore.ts'
import { openFileStorage, type FileStorage } from '../../../src/storage/file/fileStorage.ts'
import type { World } from '../../../src/world/World.ts'
import { folder } from '../../support/start.ts'

const contract = await loadContract()

/** A small state; its changes are those of `touch`. */
export function smallState(): State {
  return {
    scenario: { name: 'small', document: { description: 'Small.', accounts: {} } },
    accounts: { a: { version: 0, credit: 0, services: {}, next: {} } as unknown as World },
  }
}

export interface Opened {
  storage: FileStorage
  store: LocalStore
  warnings: string[]
  /** Sets the credit, and adds a record of that number. */
  touch: (i: number) => void
}

/** A store on a file, without the rest of a simulator. */
export async function open(file: string, { minLogBytes = 1024 * 1024, fsync = false } = {}): Promise<Opened> {
  const warnings: string[] = []
  const storage = await openFileStorage(file, { fsync, minLogBytes, warn: (text) => warnings.push(text) })
  const store = new LocalStore(storage.found ?? smallState(), storage, {
    observe: () => new Observations(contract, 1000),
    history: 1000,
  })
  await store.flushed()
  const touch = (i: number): void => {
    const world = store.world('a') as World
    const record = { username: `u${i}`, password: 'x'.repeat(50) } as World['services'][string]
    store.change('a', world, { credit: i, services: { [i]: record, [i - 3]: null } })
  }
  return { storage, store, warnings, touch }
}

/** Copies the files as they are at this moment, as a kill would leave them. @returns the name of the state's file */
export function copyOf(source: string): string {
  const copy = folder()
  for (const name of files(source)) copyFileSync(join(source, name), join(copy, name))
  return join(copy, 'db.json')
}

/** The names of all files, without the socket of whoever has them. */
export function files(path: string): string[] {
  return readdirSync(path)
    .filter((name) => statSync(join(path, name), { throwIfNoEntry: false })?.isFile())
    .toSorted()
}

/** Name → bytes of all files. */
export function contents(path: string): Record<string, string> {
  return Object.fromEntries(files(path).map((name) => [name, readFileSync(join(path, name), 'latin1')]))
}

/** The one log beside a file. */
export function logOf(file: string): string {
  const logs = files(join(file, '..')).filter((name) => name.endsWith('.log'))
  if (logs.length !== 1) throw new Error(`${logs.length} logs: ${logs.join(', ')}`)
  return join(file, '..', logs[0] as string)
}
