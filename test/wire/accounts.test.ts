import { expect, test } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import { small, two } from '../support/scenario.ts'
import { start } from '../support/start.ts'

test('accounts are listed with the number of their records and of the faults in force', async () => {
  const { admin, call } = await start({ scenario: two })
  await admin('POST', '/faults?account=other', { operation: '*', delay: 1, times: 1 })
  await admin('POST', '/faults?account=other', { operation: '*', delay: 1 })
  await call('GET', '/api/clients', { login: 'other' }) // exhausts the first fault
  const { json } = await admin('GET', '/accounts')
  const counts = { clients: 1, products: 2, services: 2, invoices: 1, sessions: 1 }
  const clock = { now: '2026-01-15T12:00:00.000Z', frozen: true }
  expect(json).toMatchObject([
    { login: 'reseller', credit: 100, ...counts, faults: 0, clock },
    { login: 'other', credit: 5, ...counts, faults: 1, clock },
  ])
  await admin('POST', '/clock/advance?account=other', { by: 'PT10M' })
  expect((await admin('GET', '/accounts')).json).toMatchObject([{ sessions: 1 }, { sessions: 0 }])
})

test('an account keeps the label that it was created with', async () => {
  const { admin } = await start({ scenario: small })
  await admin('POST', '/accounts', { login: 'one', label: 'orders twice' })
  await admin('POST', '/reset?account=one')
  const { json } = await admin<object[]>('GET', '/accounts')
  expect(json[1]).toMatchObject({ login: 'one', label: 'orders twice' })
  expect(json[0]).not.toHaveProperty('label')
})

test.each(['my test', 'a*b', 'a+b', 'Zoë @ test/1', '100%'])(
  'the account %s can be selected in URLs',
  async (login) => {
    const { admin } = await start({ scenario: small })
    expect((await admin('POST', '/accounts', { login })).json).toMatchObject({ login })
    for (const query of [encodeURIComponent(login), new URLSearchParams({ login }).toString().slice(6)])
      expect((await admin('POST', `/reset?account=${query}`)).status, query).toBe(200)
    expect((await admin('GET', `/accounts/${encodeURIComponent(login)}`)).status).toBe(200)
  },
)

test('the last account can be deleted; the export then has none, and can be loaded', async () => {
  const { admin, call } = await start({ scenario: small })
  await admin('DELETE', '/accounts/reseller')
  const { json: exported } = await admin<{ accounts: object }>('GET', '/scenario')
  expect(exported.accounts).toEqual({})
  await admin('POST', '/reset')
  expect((await call('GET', '/api/clients')).status).toBe(200)
  const { status, text } = await admin('PUT', '/scenario', exported)
  expect(status, text).toBe(200)
  expect((await call('GET', '/api/clients')).status).toBe(401)
  expect((await admin('GET', '/scenario')).json).toEqual(exported)
  expect((await admin('GET', '/accounts')).json).toEqual([])

  const refused = await admin('POST', '/accounts', { login: 'new' })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('has no account')
  expect((await admin('POST', '/accounts', { login: 'new', scenario: 'default' })).status).toBe(201)
})

test('every call for one account requires that it exists, and a name if there are several', async () => {
  const { admin } = await start({ scenario: two })
  const { operations } = await adminContract()
  const bodies: Record<string, object> = {
    setClock: { frozen: true },
    advanceClock: { by: 'PT1S' },
    addFault: { operation: '*', delay: 1 },
    addToTimeline: { at: '2026-02-01T00:00:00Z', patch: { credit: 1 } },
    patchAccount: {},
  }
  for (const { operationId, method, path, schema } of operations) {
    const body = bodies[operationId]
    const parameters = (schema['parameters'] ?? []) as { name: string; required?: boolean }[]
    const account = parameters.find(({ name }) => name === 'account' || name === 'login')
    if (!account || operationId === 'streamEvents') continue
    for (const login of ['nobody', '__proto__']) {
      const named = path
        .replace('{login}', login)
        .replace(/\{\w+\}/, '1')
        .replace('/__admin', '')
      const query = account.name === 'account' ? `?account=${login}` : ''
      const { status, json } = await admin<{ error: string }>(method, named + query, body)
      expect(status, `${operationId} ${login}`).toBe(404)
      expect(json.error).toContain('Available: reseller, other')
    }
  }
  for (const path of ['/clock', '/faults', '/timeline'])
    expect(await admin('GET', path)).toMatchObject({
      status: 400,
      text: expect.stringContaining('reseller, other') as string,
    })
  expect((await admin('GET', '/clock?account=other')).status).toBe(200)
})
