import { describe, expect, it } from 'vitest'
import { adminOf, small, two, type Admin } from '../support/admin.ts'
import { start, type Started } from '../support/start.ts'

interface Entry {
  id: number
  account: string | null
  version: number | null
}

async function newest(admin: Admin): Promise<Entry> {
  const { json } = await admin<{ requests: Entry[] }>('GET', '/requests?limit=1')
  return json.requests[0] as Entry
}

const order = (simulator: Started, options = {}) =>
  simulator.call('POST', '/api/product/101', { body: { clientid: 11 }, ...options })

describe('versions', () => {
  it('start at 0 after a load and increase with every change', async () => {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    const versionMet = async () => {
      await simulator.call('GET', '/api/billing/credit')
      return (await newest(admin)).version
    }
    expect(await versionMet()).toBe(0)
    await order(simulator)
    expect((await newest(admin)).version).toBe(0)
    expect(await versionMet()).toBe(1)
    await admin('PATCH', '/accounts/reseller', { credit: 7 })
    expect(await versionMet()).toBe(2)
    await admin('PATCH', '/accounts/reseller', { credit: 7 })
    expect(await versionMet()).toBe(2) // it changed nothing
    await admin('POST', '/faults', { operation: 'getCredit', delay: 1, times: 1 })
    expect(await versionMet()).toBe(3)
    expect(await versionMet()).toBe(4) // the fault's counter moved
    await admin('POST', '/clock/advance', { by: 'PT1H' })
    expect(await versionMet()).toBe(5)
    await simulator.call('GET', '/api/clients', { login: null })
    expect(await newest(admin)).toMatchObject({ account: null, version: null })
    await admin('POST', '/reset')
    expect(await versionMet()).toBe(0)
  })
})

describe('rewinding', () => {
  it('restores the world just before a request, without affecting others', async () => {
    const simulator = await start({ scenario: two })
    const admin = adminOf(() => simulator)
    await order(simulator)
    const before = (await admin('GET', '/accounts/reseller')).text
    await order(simulator)
    const { id } = await newest(admin)
    await order(simulator, { login: 'other' })
    const other = (await admin('GET', '/accounts/other')).text
    await simulator.call('PUT', '/api/service/5001', { body: { update_list: 'true', setip: '192.0.2.77' } })
    const { total } = (await admin<{ total: number }>('GET', '/requests')).json
    expect((await admin('POST', `/requests/${id}/rewind`)).json).toEqual({ account: 'reseller', version: 4 })
    expect((await admin('GET', '/accounts/reseller')).text).toBe(before)
    expect((await admin('GET', '/accounts/other')).text).toBe(other)
    expect((await admin<{ total: number }>('GET', '/requests')).json.total).toBe(total)
    // and the freed address can be bound again
    expect((await simulator.call('PUT', '/api/service/5001', { body: { setip: '192.0.2.77' } })).status).toBe(
      200,
    )
  })

  it('marks the requests that it undid, until it is undone itself', async () => {
    const simulator = await start({ scenario: two })
    const admin = adminOf(() => simulator)
    const rewound = async () => {
      const { requests } = (await admin<{ requests: (Entry & { rewound?: true })[] }>('GET', '/requests'))
        .json
      return requests.filter((entry) => entry.rewound).map(({ id }) => id)
    }
    const credit = () => simulator.call('GET', '/api/billing/credit')
    await order(simulator)
    await credit() // 2: found what is undone first at the end
    await order(simulator)
    await credit()
    await order(simulator, { login: 'other' })
    expect(await rewound()).toEqual([])
    await admin('POST', '/requests/3/rewind')
    expect(await rewound()).toEqual([4, 3])
    await order(simulator)
    await credit()
    expect(await rewound()).toEqual([4, 3])
    await admin('POST', '/requests/6/rewind')
    expect(await rewound()).toEqual([7, 6, 4, 3])
    await admin('POST', '/requests/4/rewind') // the order of request 3 holds again
    expect(await rewound()).toEqual([7, 6])
    await admin('POST', '/requests/1/rewind')
    expect(await rewound()).toEqual([7, 6, 4, 3, 2, 1])
    await admin('POST', '/reset')
    await order(simulator)
    expect(await rewound()).toEqual([])
  })

  it('brings back the counters of faults and the setting of the clock', async () => {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    await admin('POST', '/faults', { operation: 'getCredit', respond: { status: 503 }, times: 1 })
    expect((await simulator.call('GET', '/api/billing/credit')).status).toBe(503)
    const { id } = await newest(admin)
    await admin('PUT', '/clock', { frozen: false })
    expect((await simulator.call('GET', '/api/billing/credit')).status).toBe(200)
    await admin('POST', `/requests/${id}/rewind`)
    expect((await admin('GET', '/clock')).json).toMatchObject({
      now: '2026-01-15T12:00:00.000Z',
      frozen: true,
    })
    expect((await admin('GET', '/faults')).json).toMatchObject([{ seen: 0, used: 0 }])
    expect((await simulator.call('GET', '/api/billing/credit')).status).toBe(503)
  })

  it('refuses requests that are unknown, dropped or without an account, and changes nothing', async () => {
    const simulator = await start({ scenario: two, journal: 3 })
    const admin = adminOf(() => simulator)
    for (let i = 0; i < 3; i++) await order(simulator)
    await simulator.call('GET', '/api/clients', { login: null })
    await order(simulator)
    await order(simulator, { login: 'other' }) // kept now: 4 (no account), 5, 6; of changes: those of 3, 5 and 6
    const before = (await admin('GET', '/scenario')).text
    const refusals: [path: string, status: number, error: string][] = [
      ['/requests/99/rewind', 404, 'No request 99 in the journal. It has 4 to 6.'],
      ['/requests/x/rewind', 404, 'No request x in the journal. It has 4 to 6.'],
      [
        '/requests/1/rewind',
        409,
        'Request 1 is no longer in the journal. The oldest request that can be rewound is 5.',
      ],
      ['/requests/0/rewind', 404, 'No request 0 in the journal. It has 4 to 6.'],
      ['/requests/5/rewind?account=nobody', 404, 'There is no account "nobody". There are: reseller, other.'],
      ['/requests/5/rewind?account=other', 404, 'No request 5 of "other" in the journal. It has 6.'],
      [
        '/requests/4/rewind',
        409,
        'Request 4 was refused before it reached an account, so there is no state to go back to.',
      ],
    ]
    for (const [path, status, error] of refusals)
      expect(await admin('POST', path), path).toMatchObject({ status, json: { error } })
    expect((await admin('GET', '/scenario')).text).toBe(before)
  })

  it('stops at a load, a restore, and a deleted account with the same login', async () => {
    const simulator = await start({ scenario: two })
    const admin = adminOf(() => simulator)
    await admin('POST', '/snapshots')
    await order(simulator)
    const { id } = await newest(admin)
    await admin('POST', '/snapshots/s1/restore')
    expect((await admin('POST', `/requests/${id}/rewind`)).status).toBe(409)
    await admin('DELETE', '/accounts/reseller')
    expect((await admin('POST', `/requests/${id}/rewind`)).status).toBe(409)
    await admin('POST', '/accounts', { login: 'reseller' })
    expect((await admin('POST', `/requests/${id}/rewind`)).status).toBe(409)
  })
})
