import { describe, expect, test } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import { adminOf, small, two } from '../support/admin.ts'
import { start } from '../support/start.ts'

interface Created {
  login: string
  password: string
  token: string
  authorization: string
}

interface Summary {
  login: string
  credit: number
}

async function setUp(scenario: object = small) {
  const simulator = await start({ scenario })
  return { ...simulator, admin: adminOf(() => simulator) }
}

test('accounts are listed with the number of their records', async () => {
  const { admin } = await setUp(two)
  await admin('POST', '/faults?account=other', { operation: '*', delay: 1 })
  const { status, json } = await admin('GET', '/accounts')
  expect(status).toBe(200)
  const counts = { clients: 1, products: 2, services: 2, invoices: 1, sessions: 1 }
  const clock = { now: '2026-01-15T12:00:00.000Z', frozen: true }
  expect(json).toMatchObject([
    { login: 'reseller', credit: 100, ...counts, faults: 0, clock },
    { login: 'other', credit: 5, ...counts, faults: 1, clock },
  ])
})

test.each(['my test', 'a*b', 'a+b', 'Zoë @ test/1', '100%'])(
  'the account %s can be picked',
  async (login) => {
    const { admin } = await setUp()
    expect((await admin('POST', '/accounts', { login })).json).toMatchObject({ login })
    for (const query of [encodeURIComponent(login), new URLSearchParams({ login }).toString().slice(6)])
      expect((await admin('POST', `/reset?account=${query}`)).status, query).toBe(200)
    expect((await admin('GET', `/accounts/${encodeURIComponent(login)}`)).status).toBe(200)
  },
)

describe('a new account', () => {
  test('is new, isolated and immediately usable', async () => {
    const { admin, call } = await setUp()
    const { status, json } = await admin<Created>('POST', '/accounts')
    expect(status).toBe(201)
    expect(json.token).toMatch(/^tok_[\w-]{20,}$/)
    const { authorization, login } = json
    const ordered = await call('POST', '/api/product/101', {
      body: { clientid: 11 },
      headers: { authorization },
    })
    expect(ordered.status).toBe(200)
    const { json: accounts } = await admin<Summary[]>('GET', '/accounts')
    expect(accounts).toMatchObject([
      { login: 'reseller', credit: 100 },
      { login, credit: 80 },
    ])
    for (const secret of [json.password, json.token, 'tok_first']) {
      const basic = `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`
      expect((await call('GET', '/api/clients', { headers: { authorization: basic } })).status, secret).toBe(
        200,
      )
    }
  })

  test('shares nothing that can be seen with those made at the same time', async () => {
    const { admin, call } = await setUp()
    const { json } = await admin<Created>('POST', '/accounts', { login: 'changed' })
    await admin('POST', '/accounts', { login: 'twin' })
    const worldOf = async (login: string) => {
      const { json: world } = await admin<Record<string, unknown>>('GET', `/accounts/${login}`)
      return { ...world, login: '', tokens: [], password: '', origin: {} }
    }
    const before = await worldOf('twin')
    expect(await worldOf('changed')).toEqual(before)
    const headers = { authorization: json.authorization }
    const update = { setip: '203.0.113.7', update_list: 'true' }
    const patch = { products: { 101: { price: 1 } }, assumptions: { geo: 'object' } }
    const answers = [
      await call('POST', '/api/product/101', { body: { clientid: 11 }, headers }),
      await call('PUT', '/api/service/5001', { body: update, headers }),
      await admin('PATCH', '/accounts/changed', patch),
      await admin('POST', '/clock/advance?account=changed', { by: 'PT1H' }),
      await admin('POST', '/faults?account=changed', { operation: '*', delay: 1 }),
    ]
    expect(answers.map(({ status, text }) => (status < 300 ? '' : text))).toEqual(answers.map(() => ''))
    expect(await worldOf('twin')).toEqual(before)
    await admin('POST', '/accounts', { login: 'later' })
    expect(await worldOf('later')).toEqual(before)
  })

  test('begins as the given scenario does', async () => {
    const { admin, call } = await setUp()
    const { json } = await admin<Created>('POST', '/accounts', { scenario: 'low-funds' })
    const headers = { authorization: json.authorization }
    const ordered = await call('POST', '/api/product/101', { body: { clientid: 11 }, headers })
    expect(ordered.headers['sim-case']).toBe('insufficient-funds')
  })

  test('can only be created once per login, even concurrently', async () => {
    const { admin } = await setUp()
    const tries = await Promise.all(
      Array.from({ length: 10 }, () => admin('POST', '/accounts', { login: 'one', scenario: 'default' })),
    )
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ])
  })
})

describe('an account', () => {
  test('can be deleted, and a reset brings it back', async () => {
    const { admin, call } = await setUp(two)
    const headers = { authorization: `Basic ${btoa('other:battery staple')}` }
    const { status, text } = await admin('DELETE', '/accounts/other')
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect((await admin('GET', '/accounts/other')).status).toBe(404)
    expect((await call('GET', '/api/clients', { headers })).status).toBe(401)
    await admin('POST', '/reset')
    expect((await call('GET', '/api/clients', { headers })).status).toBe(200)
  })

  test('can be deleted even if it is the last: the export has none, and can be loaded', async () => {
    const { admin, call } = await setUp()
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

  test('must exist, and be named if there are several: for every call that is about one', async () => {
    const { admin } = await setUp(two)
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
        expect(json.error).toContain('There are: reseller, other')
      }
    }
    for (const path of ['/clock', '/faults', '/timeline'])
      expect(await admin('GET', path)).toMatchObject({
        status: 400,
        text: expect.stringContaining('reseller, other') as string,
      })
    expect((await admin('GET', '/clock?account=other')).status).toBe(200)
  })
})

test('a generated token is accepted in addition to the password and earlier tokens', async () => {
  const { admin, call } = await setUp()
  const { status, json } = await admin<{ token: string }>('POST', '/accounts/reseller/tokens')
  expect(status).toBe(201)
  for (const secret of [json.token, 'tok_first', 'correct horse']) {
    const authorization = `Basic ${btoa(`reseller:${secret}`)}`
    expect((await call('GET', '/api/clients', { headers: { authorization } })).status).toBe(200)
  }
})
