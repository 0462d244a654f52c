import { expect, test } from 'vitest'
import { adminOf, small, two } from '../support/admin.ts'
import { start } from '../support/start.ts'

interface Snapshot {
  id: string
  time: string
  scenario: string
}

async function setUp(scenario: object = small) {
  const simulator = await start({ scenario })
  return { ...simulator, admin: adminOf(() => simulator) }
}

test('a snapshot can be restored completely, any number of times', async () => {
  const { admin, call } = await setUp(two)
  await call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
  const { status, json } = await admin<Snapshot>('POST', '/snapshots')
  expect(status).toBe(201)
  expect(json).toMatchObject({ id: 's1', scenario: 'test' })
  const { json: before } = await admin('GET', '/scenario')
  for (let i = 0; i < 2; i++) {
    await call('POST', '/api/product/101', { body: { clientid: 11 } })
    await admin('POST', '/clock/advance?account=reseller', { by: 'PT2H' })
    await admin('DELETE', '/accounts/other')
    await admin('POST', '/scenarios/low-funds/load')
    const restored = await admin('POST', `/snapshots/${json.id}/restore`)
    expect(restored).toMatchObject({ status: 200, json: { id: 's1', scenario: 'test' } })
    expect((await admin('GET', '/scenario')).json).toEqual(before)
    expect((await call('PUT', '/api/service/5001', { body: { update_list: 'true' } })).status).toBe(429)
  }
  await admin('POST', '/reset')
  expect((await admin('GET', '/health')).json).toMatchObject({ scenario: 'test' })
})

test('a restore keeps the journal', async () => {
  const { admin, call } = await setUp()
  await admin('POST', '/snapshots')
  await call('GET', '/api/clients')
  await admin('POST', '/snapshots/s1/restore')
  expect((await admin('GET', '/requests')).json).toMatchObject({ total: 1 })
})

test('the oldest is dropped beyond the limit, and an unknown one is 404 with the existing ones', async () => {
  const { admin } = await setUp()
  for (let i = 0; i < 52; i++) await admin('POST', '/snapshots')
  const { json } = await admin<Snapshot[]>('GET', '/snapshots')
  expect(json).toHaveLength(50)
  expect(json[0]?.id).toBe('s3')
  const { status, text } = await admin('POST', '/snapshots/s1/restore')
  expect(status).toBe(404)
  expect(text).toContain('s3')
})
