import { expect, test } from 'vitest'
import type { JournalEntry, RequestPage } from '../../src/contract/shapes.ts'
import { small, two } from '../support/scenario.ts'
import { start, type StartOptions } from '../support/start.ts'

async function setUp(options: StartOptions = { scenario: two }) {
  const simulator = await start(options)
  const { admin } = simulator
  const requests = async () => (await admin<RequestPage>('GET', '/requests')).json.requests
  return {
    ...simulator,
    requests,
    newest: async () => (await requests())[0] as JournalEntry,
    text: async (path: string) => (await admin('GET', path)).text,
    credit: () => simulator.call('GET', '/api/billing/credit'),
    order: (login = 'reseller') =>
      simulator.call('POST', '/api/product/101', { body: { clientid: 11 }, login }),
    rewind: (id: number) => admin('POST', `/requests/${id}/rewind`),
  }
}

test('versions start at 0 after a load and increase with every change', async () => {
  const { admin, call, credit, newest, order } = await setUp({ scenario: small })
  const versionMet = async () => {
    await credit()
    return (await newest()).version
  }
  expect(await versionMet()).toBe(0)
  await order()
  expect((await newest()).version).toBe(0)
  expect(await versionMet()).toBe(1)
  const changes: [version: number, change: () => Promise<unknown>][] = [
    [2, () => admin('PATCH', '/accounts/reseller', { credit: 7 })],
    [2, () => admin('PATCH', '/accounts/reseller', { credit: 7 })], // changes nothing
    [3, () => admin('POST', '/faults', { operation: 'getCredit', delay: 1, times: 1 })],
    [4, () => Promise.resolve()], // the previous request increased the fault's counter
    [5, () => admin('POST', '/clock/advance', { by: 'PT1H' })],
    [0, () => admin('POST', '/reset')],
  ]
  for (const [version, change] of changes) {
    await change()
    expect(await versionMet()).toBe(version)
  }
  await call('GET', '/api/clients', { login: null })
  expect(await newest()).toMatchObject({ account: null, version: null })
})

test('requests undone by a rewind are marked until the rewind is undone', async () => {
  const { admin, credit, order, requests, rewind } = await setUp()
  const rewound = async () => (await requests()).filter((entry) => entry.rewound).map(({ id }) => id)
  await order()
  await credit() // request 2 is undone last
  await order()
  await credit()
  await order('other')
  expect(await rewound()).toEqual([])
  await rewind(3)
  expect(await rewound()).toEqual([4, 3])
  await order()
  await credit()
  expect(await rewound()).toEqual([4, 3])
  const further: [id: number, undone: number[]][] = [
    [6, [7, 6, 4, 3]],
    [4, [7, 6, 4]], // which restores the order of request 3; request 4 changed nothing
    [1, [7, 6, 4, 3, 2, 1]],
  ]
  for (const [id, undone] of further) {
    await rewind(id)
    expect(await rewound()).toEqual(undone)
  }
  await admin('POST', '/reset')
  await order()
  expect(await rewound()).toEqual([])
})

test('unknown and dropped requests and those without an account can’t be rewound, and nothing changes', async () => {
  const { admin, call, order, text } = await setUp({ scenario: two, journal: 3 })
  for (let i = 0; i < 3; i++) await order()
  await call('GET', '/api/clients', { login: null })
  await order()
  await order('other') // the journal now has 4 (no account), 5 and 6, and the changes of 3, 5 and 6
  const before = await text('/scenario')
  const refusals: [path: string, status: number, error: string][] = [
    ['99/rewind', 404, 'No request 99 in the journal. It has 4 to 6.'],
    ['x/rewind', 404, 'No request x in the journal. It has 4 to 6.'],
    ['0/rewind', 404, 'No request 0 in the journal. It has 4 to 6.'],
    ['1/rewind', 409, 'Request 1 is no longer in the journal. The oldest request that can be rewound is 5.'],
    ['5/rewind?account=nobody', 404, 'Unknown account "nobody". Available: reseller, other.'],
    ['5/rewind?account=other', 404, 'No request 5 of "other" in the journal. It has 6.'],
    [
      '4/rewind',
      409,
      'Request 4 was refused before it reached an account, so there is no state to go back to.',
    ],
  ]
  for (const [path, status, error] of refusals)
    expect(await admin('POST', `/requests/${path}`), path).toMatchObject({ status, json: { error } })
  expect(await text('/scenario')).toBe(before)
})
