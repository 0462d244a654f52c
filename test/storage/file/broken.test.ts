import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { streamEvents } from '../../../src/admin/events.ts'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { stateOf } from '../../../src/Simulation.ts'
import { openFileStorage } from '../../../src/store/file/FileLog.ts'
import { LocalStore } from '../../../src/store/LocalStore.ts'
import type { Store } from '../../../src/store/Store.ts'
import { newFolder } from '../support/simulators.ts'

const contract = await loadContract()

/** A store whose log another program has changed, so that nothing can be written. */
async function openBroken(more: object = {}): Promise<Store> {
  const file = join(newFolder(), 'db.json')
  const log = await openFileStorage(file, { warn: () => {} })
  const account = { password: 'secret', credit: 100, clients: {}, products: {}, ...more }
  const document = {
    description: 'Broken.',
    clock: '2026-01-15T12:00:00Z',
    accounts: { reseller: account },
  } as Parameters<typeof stateOf>[0]['document']
  const settings = { contract, journal: 10, log }
  const store = await LocalStore.open(await stateOf({ name: 'broken', document }), settings)
  onTestFinished(() => store.close().catch(() => {}))
  appendFileSync(`${file}.log`, 'not ours')
  return store
}

test('who reads what then cannot be written is answered from what is', async () => {
  const store = await openBroken()
  const change = store.transact('reseller', () => ({ value: 'done', change: { credit: 1 } }))
  const read = store.transact('reseller', (world) => ({ value: world?.credit }))
  const all = store.state()
  await expect(change).rejects.toThrow('another program')
  expect(await read).toBe(100)
  expect((await all).accounts.get('reseller')?.credit).toBe(100)
})

test('what is due and cannot be written ends nothing while somebody follows the events', async () => {
  const store = await openBroken({ timeline: [{ after: 'PT0S', patch: { credit: 5 } }] })
  const unhandled = vi.fn<() => void>()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const leaving = new AbortController()
  const input = { query: {}, signal: () => leaving.signal } as never
  const followed = await streamEvents(input, { store, contract } as never)
  if ('stream' in followed) followed.stream(() => {})
  vi.advanceTimersByTime(100)
  leaving.abort()
  await expect(store.world('reseller')).rejects.toThrow('another program')
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).not.toHaveBeenCalled()
})
