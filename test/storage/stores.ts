import { loadContract } from '../../src/contract/loadContract.ts'
import { Observations } from '../../src/journal/Observations.ts'
import type { RawRecord } from '../../src/journal/RawRecord.ts'
import { buildWorlds } from '../../src/scenario/buildWorld.ts'
import { openScenarioLibrary } from '../../src/scenario/ScenarioLibrary.ts'
import { LocalStore } from '../../src/state/LocalStore.ts'
import type { State } from '../../src/state/State.ts'
import type { Step } from '../../src/state/Store.ts'
import { openFileStorage } from '../../src/storage/file/fileStorage.ts'
import { memoryStorage } from '../../src/storage/memoryStorage.ts'
import { openSharedStore } from '../../src/storage/shared/openSharedStore.ts'
import type { SharedStore, SharedStoreSettings } from '../../src/storage/shared/SharedStore.ts'
import { order, type Ordered } from '../../src/world/ordering.ts'
import { Refusal } from '../../src/world/Refusal.ts'
import type { World } from '../../src/world/World.ts'

export const contract = await loadContract()
const library = await openScenarioLibrary(contract)
const scenario = await library.load('default')
const [template] = Object.values(
  await buildWorlds(scenario.document, Date.parse('2026-01-15T00:00:00Z')),
) as [World]

/** A world of the default scenario. */
export function newWorld(changes: Partial<World> = {}): World {
  return { ...structuredClone(template), ...changes }
}

/** Accounts of the default scenario, all alike. */
export function stateOf(...logins: string[]): State {
  return {
    scenario: structuredClone(scenario),
    accounts: Object.fromEntries(logins.map((login) => [login, newWorld()])),
  }
}

/** In memory, or with a file. */
export async function openLocal(
  state: State,
  { file, journal = 1000 }: { file?: string; journal?: number },
): Promise<LocalStore> {
  const storage =
    file === undefined ? memoryStorage : await openFileStorage(file, { fsync: false, warn: () => {} })
  const store = new LocalStore(state, storage, {
    observe: () => new Observations(contract, journal),
    history: journal,
  })
  await store.flushed()
  return store
}

/** One replica; what it warns of is collected. */
export async function openReplica(
  url: string,
  state: State = stateOf('ana', 'ben'),
  settings: Partial<SharedStoreSettings> = {},
): Promise<{ store: SharedStore; joined: boolean; warnings: string[] }> {
  const warnings: string[] = []
  const opened = await openSharedStore(
    { url, prefix: 'test', contract, journal: 1000, warn: (text) => warnings.push(text), ...settings },
    async () => state,
  )
  return { ...opened, warnings }
}

/** A product of the default scenario, and what it costs. */
export const product = 201
export const price = template.products[product]?.price as number

/** Orders a product, or says why not; it leaves a record. */
export function ordering(login: string): Step<Ordered | string> {
  return (world, real) => {
    if (!world) return { value: 'no account', record: recordOf(null, undefined) }
    try {
      const { ordered, change } = order(world, String(product), { clientid: 11 }, real)
      return { value: ordered, change, record: recordOf(login, world, { change }) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { value: error.case, record: recordOf(login, world, { status: 402, case: error.case }) }
    }
  }
}

/** Looks at a world; it leaves a record. */
export function looking(login: string): Step<number | undefined> {
  return (world) => ({ value: world?.version, record: recordOf(world ? login : null, world) })
}

/** Sets the credit. */
export function paying(credit: number): Step<number> {
  return (world) => ({ value: (world?.version ?? 0) + 1, change: { credit } })
}

/** A record as the pipeline makes them. */
export function recordOf(
  account: string | null,
  world: World | undefined,
  more: Partial<RawRecord> = {},
): RawRecord {
  return {
    id: 0,
    birth: 0,
    era: 0,
    version: world?.version ?? null,
    time: 0,
    account,
    operation: 'orderService',
    method: 'POST',
    path: `/api/order/${product}`,
    status: 200,
    case: null,
    reason: null,
    forced: false,
    durationMs: 1,
    requestHeaders: { host: 'localhost', authorization: 'Basic YW5hOnNlY3JldA==' },
    requestBody: '{"clientid":11}',
    responseHeaders: { 'content-type': 'application/json' },
    responseBody: '{}',
    change: undefined,
    violations: [],
    secrets: world && [world.password, world.tokens],
    at: Date.now(),
    lost: false,
    evidence: undefined,
    ...more,
  }
}
