import { describe, expect, test } from 'vitest'
import type { JournalEntry } from '../../src/contract/shapes.ts'
import type { ShownChange } from '../../src/world/shownChange.ts'
import { small } from '../support/scenario.ts'
import { cloneSimulator, createFolderWith, start, type TestSimulator } from '../support/start.ts'

// Faults, timeline and history: maps by id in changes, lists in responses, either in scenarios and patches.

interface Account {
  faults: { id: number }[]
  timeline: { id: number }[]
  history: object[]
}

const credit = (amount: number) => ({ at: '2026-01-15T13:00:00.000Z', patch: { credit: amount } })
const repeated = <T>(count: number, entry: T): T[] => Array.from({ length: count }, () => entry)
const startWith = (more: object) =>
  start({ scenario: { ...small, accounts: { reseller: { ...small.accounts.reseller, ...more } } } })
const account = async ({ admin }: TestSimulator) => (await admin<Account>('GET', '/accounts/reseller')).json
const patch = async ({ admin }: TestSimulator, body: object) => {
  const { status, text } = await admin('PATCH', '/accounts/reseller', body)
  expect([status, text]).toEqual([200, expect.any(String)])
}

test('in a map, null removes an entry, and an entry is replaced as a whole', async () => {
  const simulator = await startWith({
    timeline: [{ ...credit(1), description: 'one' }, credit(2), credit(3)],
    faults: [
      { operation: 'getCredit', delay: 1, after: 5 },
      { operation: 'getStats', delay: 2 },
    ],
  })
  await patch(simulator, {
    timeline: { 1: credit(4), 2: null, 7: credit(7), 99: null },
    faults: { 1: { operation: 'getCredit', delay: 9 }, 3: { operation: 'listClients', delay: 3 } },
    history: { 5: null },
  })
  const { timeline, faults } = await account(simulator)
  expect(timeline).toEqual([
    { id: 1, ...credit(4) },
    { id: 3, ...credit(3) },
    { id: 7, ...credit(7) },
  ])
  const counters = { phase: 'before', seen: 0, used: 0 }
  expect(faults).toEqual([
    { id: 1, operation: 'getCredit', delay: 9, ...counters },
    { id: 2, operation: 'getStats', delay: 2, ...counters },
    { id: 3, operation: 'listClients', delay: 3, ...counters },
  ])
  await patch(simulator, { timeline: [credit(5)], faults: null })
  expect(await account(simulator)).toMatchObject({ timeline: [{ patch: { credit: 5 } }], faults: [] })
  expect((await simulator.admin<{ id: number }>('POST', '/timeline', credit(6))).json.id).toBeGreaterThan(8)
})

test('a scenario changes single entries of the one that it extends, or replaces the list', async () => {
  const base = {
    ...small,
    accounts: {
      reseller: {
        ...small.accounts.reseller,
        timeline: [{ ...credit(1), description: 'one' }, credit(2)],
        faults: { 4: { operation: 'getCredit', delay: 1, after: 5 } },
      },
    },
  }
  const extend = (change: object) =>
    JSON.stringify({ description: 'x', extends: 'base', accounts: { reseller: change } })
  const folder = createFolderWith({
    'base.json': JSON.stringify(base),
    'map.json': extend({
      timeline: { 1: credit(4), 2: null, 8: null },
      faults: { 4: { operation: 'getCredit', delay: 9 } },
    }),
    'list.json': extend({ timeline: [credit(5)], faults: [] }),
    'wrong.json': extend({ timeline: { 2: { patch: { credit: 1 } } } }),
  })
  const simulator = await start({ scenarios: folder, scenario: 'map' })
  expect(await account(simulator)).toMatchObject({
    timeline: [{ id: 1, ...credit(4) }],
    faults: [{ id: 4, delay: 9 }],
  })
  expect((await account(simulator)).timeline).toEqual([{ id: 1, ...credit(4) }])
  expect((await account(simulator)).faults).toEqual([expect.not.objectContaining({ after: 5 })])
  await simulator.admin('POST', '/scenarios/list/load')
  expect(await account(simulator)).toMatchObject({ timeline: [{ id: 1, ...credit(5) }], faults: [] })
  const wrong = await simulator.admin('POST', '/scenarios/wrong/load')
  expect(wrong.json).toMatchObject({
    details: [{ path: 'accounts.reseller.timeline.2', file: expect.stringContaining('wrong.json') }],
  })
})

test.each([
  [{ timeline: { 0: credit(1) } }, 'timeline.0'],
  [{ timeline: { 1: { ...credit(1), id: 2 } } }, 'timeline.1.id'],
  [{ timeline: { 1: 'x' } }, 'timeline.1'],
  [{ timeline: [credit(1), { ...credit(1), patch: { credit: -1 } }] }, 'timeline.1.patch.credit'],
  [{ faults: { 1: { operation: 'getCredit' } } }, 'faults.1'],
  [{ history: { 1: {} } }, 'history.1.id'],
])('a mistake is refused at its place: %j', async (body, path) => {
  const simulator = await startWith({})
  const before = await account(simulator)
  const { status, json } = await simulator.admin<{ details: { path: string }[] }>(
    'PATCH',
    '/accounts/reseller',
    body,
  )
  expect([status, json.details[0]?.path]).toEqual([400, path])
  expect(await account(simulator)).toEqual(before)
})

test('changes contain only what changed, and another account accepts them as they are', async () => {
  const many = Array.from({ length: 30 }, (_, i) => ({ operation: 'listClients', delay: 1, after: i }))
  const simulator = await startWith({
    limits: { renewal: true, activation: 60 },
    assumptions: { orderedService: 'Pending' },
    faults: [...many, { operation: 'getCredit', respond: { status: 503 }, times: 1 }],
    timeline: [
      { after: 'PT1M', patch: { credit: 50 } },
      { after: 'PT1H', patch: { clients: { 12: null } } },
    ],
  })
  const clone = await cloneSimulator(simulator)
  const changes: (ShownChange | null)[] = []
  simulator.simulation.store.on((event) => event.type === 'change' && changes.push(event.change))
  await simulator.call('GET', '/api/billing/credit')
  await simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await simulator.admin('POST', '/clock/advance', { by: 'PT2M' })
  await simulator.call('GET', '/api/billing/credit')
  const { requests } = (await simulator.admin<{ requests: JournalEntry[] }>('GET', '/requests')).json
  const order = requests[1]?.change as { timeline: object } | undefined
  expect(order?.timeline).toEqual({
    5: expect.objectContaining({ activate: 5003 }) as unknown,
    6: expect.objectContaining({ renew: 5003 }) as unknown,
  })
  const fault = {
    operation: 'getCredit',
    respond: { status: 503 },
    times: 1,
    phase: 'before',
    seen: 1,
    used: 1,
  }
  expect(changes.find((change) => change?.['faults'])).toEqual({ faults: { 31: fault } })
  for (const change of changes) if (change) await patch(clone, change)
  expect(await account(clone)).toEqual(await account(simulator))
})

test('entries are in the order of their ids, also after a rewind', async () => {
  const fault = (id: number) => ({ id, operation: 'getCredit', delay: 1 })
  const simulator = await startWith({
    faults: [fault(7), fault(2_000_000_000), fault(9_000_000_000), fault(3)],
  })
  const ids = async () => (await account(simulator)).faults.map(({ id }) => id)
  const all = [3, 7, 2_000_000_000, 9_000_000_000]
  expect(await ids()).toEqual(all)
  await simulator.call('GET', '/api/clients')
  await patch(simulator, { faults: { 7: null, 5: { operation: 'getStats', delay: 1 } } })
  expect(await ids()).toEqual([3, 5, ...all.slice(2)])
  expect((await simulator.admin('POST', '/requests/1/rewind')).status).toBe(200)
  expect(await ids()).toEqual(all)
})

test.each<[what: string, body: object]>([
  ['entries', { timeline: repeated(1001, credit(1)) }],
  [
    'removed entries and records',
    {
      timeline: Object.fromEntries(Array.from({ length: 999 }, (_, i) => [i + 1, null])),
      clients: { 1: {}, 2: {} },
    },
  ],
  [
    'records in the patches of entries',
    { timeline: repeated(501, { after: 'PT1H', patch: { clients: { 11: {}, 12: {} } } }) },
  ],
])('a patch of more than 1,000 records is refused: %s', async (_what, body) => {
  const simulator = await startWith({})
  const { status, text } = await simulator.admin('PATCH', '/accounts/reseller', body)
  expect([status, text]).toEqual([
    400,
    expect.stringMatching(/100[12] records\. A patch may have at most 1000/),
  ])
})

test('a patch that would remove more than 1,000 entries says so, and how to remove them', async () => {
  const simulator = await startWith({ timeline: repeated(1500, credit(1)) })
  const { status, text } = await simulator.admin('PATCH', '/accounts/reseller', { timeline: null })
  expect([status, text]).toEqual([
    400,
    expect.stringMatching(/1500 records\. .* with those that it removes: send several/),
  ])
  const some = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i + 1, null]))
  for (const timeline of [some, null])
    expect((await simulator.admin('PATCH', '/accounts/reseller', { timeline })).status).toBe(200)
})

const keyed = (count: number, key: (i: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [key(i), value]))
const day = (i: number) => new Date(Date.UTC(2000, 0, 1) + i * 86_400_000).toISOString().slice(0, 10)
const unknown = keyed(60_000, (i) => `f${i}`, 1)
const inService = (fields: object) => ({ services: { 5001: fields } })
const manyDays = inService({ usage: { stats: keyed(60_000, day, 1) } })

test.each<[what: string, path: string, body: object]>([
  ['days in the patch of an entry', '/timeline', { after: 'PT1H', patch: manyDays }],
  ['addresses', '/accounts/reseller', inService({ ips: repeated(20_000, '192.0.2.1') })],
  ['values to match', '/faults', { operation: 'orderService', match: { body: unknown }, drop: 'reset' }],
])('more than 16,000 values are refused: %s', async (_what, path, body) => {
  const { admin } = await startWith({})
  const { status, text } = await admin(path === '/accounts/reseller' ? 'PATCH' : 'POST', path, body)
  expect([status, text]).toEqual([
    400,
    expect.stringMatching(/\d{5} values\. At most 16000 are allowed at once/),
  ])
})

const active = inService({ status: 'Active' })
test('a patch that is checked while the account changes gives no id twice', async () => {
  const { admin } = await startWith({})
  const entry = { after: 'PT1H', patch: active }
  const progress = { isDone: false }
  const patched = admin('PATCH', '/accounts/reseller', {
    timeline: repeated(1000, { ...entry, description: 'listed' }),
  }).finally(() => (progress.isDone = true))
  const added: number[] = []
  while (!progress.isDone) added.push((await admin<{ id: number }>('POST', '/timeline', entry)).json.id)
  expect((await patched).status).toBe(200)
  const { json } = await admin<{ timeline: { id: number; description?: string }[] }>('GET', '/timeline')
  const listed = json.timeline.filter(({ description }) => description === 'listed').map(({ id }) => id)
  expect(listed.filter((id) => added.includes(id))).toEqual([])
  expect(listed.length).toBe(1000)
})

describe('with 2,000 services to renew', () => {
  test('an order costs what it changes, in journal, events and HAR', { timeout: 240_000 }, async () => {
    const simulator = await startWith({
      credit: 100_000,
      limits: { renewal: true },
      generate: { services: 2000 },
    })
    const { timeline } = await account(simulator)
    expect(timeline.length).toBeGreaterThan(1000)
    const events: string[] = []
    simulator.simulation.store.on((event) =>
      events.push(JSON.stringify(event.type === 'change' ? event.change : 0)),
    )
    for (let i = 0; i < 30; i++)
      expect((await simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })).status).toBe(200)
    expect(Math.max(...events.map(({ length }) => length))).toBeLessThan(2500)
    const { text } = await simulator.admin('GET', '/requests')
    expect(text.length).toBeLessThan(110_000)
    expect((await simulator.admin('GET', '/requests.har')).text.length).toBeLessThan(110_000)
  })
})
