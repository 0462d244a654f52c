import { expect, it } from 'vitest'
import type { ResponseBodyOf } from '../../src/service/operations/Operation.ts'
import { setClock, start, type TestSimulator, getState, getWorld } from '../support/start.ts'
import { scenarioWith } from '../support/scenario.ts'

async function sessions({ call }: TestSimulator): Promise<ResponseBodyOf<'listStickySessions'>> {
  return (await call<ResponseBodyOf<'listStickySessions'>>('GET', '/api/sticky/list/5002')).json
}

it('a session expires exactly at the end of its TTL', async () => {
  const simulator = await start({ scenario: scenarioWith() })
  await setClock(simulator, `2026-01-15T12:09:59.999Z`)
  expect(await sessions(simulator)).toHaveLength(2)
  await setClock(simulator, `2026-01-15T12:10:00Z`)
  expect(await sessions(simulator)).toEqual([])
  const { status, headers } = await simulator.call('GET', '/api/sticky/rotate/5002/us1/abc')
  expect(status).toBe(422)
  expect(headers['sim-reason']).toContain('no live session abc')
})

it('a rotation gives another address and a new TTL only to its session', async () => {
  const simulator = await start({ scenario: scenarioWith() })
  await setClock(simulator, `2026-01-15T12:06:00Z`)
  const { status, json } = await simulator.call<ResponseBodyOf<'rotateStickySession'>>(
    'GET',
    '/api/sticky/rotate/5002/us1/abc',
  )
  expect(status).toBe(200)
  expect(json).toEqual({
    server: 'us1',
    session: 'abc',
    ip: expect.stringMatching(/^198\.18\.(?!0\.1$)/),
    ttl: 10,
    expires_at: '2026-01-15 12:16:00',
  })
  await setClock(simulator, `2026-01-15T12:12:00Z`)
  expect(await sessions(simulator)).toEqual([json])
})

it('sessions may have any name', async () => {
  const names = ['ü/&?#%', '..', '__proto__', '5002', ' ']
  const sticky = { ttl: 5, sessions: names.map((name) => ({ server: name, session: name })) }
  const services = { 5002: { client: 11, product: 201, sticky } }
  const { call } = await start({ scenario: scenarioWith({ services }) })
  for (const name of names) {
    const part = encodeURIComponent(name)
    const { status, json } = await call<ResponseBodyOf<'rotateStickySession'>>(
      'GET',
      `/api/sticky/rotate/5002/${part}/${part}`,
    )
    expect({ status, name: json.session }).toEqual({ status: 200, name })
  }
})

it.each([1, 2, 3, 5, 10, 15])('the TTL can be %d, and counts from now', async (ttl) => {
  const simulator = await start({ scenario: scenarioWith() })
  await setClock(simulator, `2026-01-15T12:09:00Z`)
  const { json } = await simulator.call('GET', `/api/sticky/changettl/5002/${ttl}`)
  expect(json).toEqual({ success: 'TTL changed successfully' })
  const minutes = String(9 + ttl).padStart(2, '0')
  const expected = { ttl, expires_at: `2026-01-15 12:${minutes}:00` }
  expect(await sessions(simulator)).toMatchObject([expected, expected])
  await setClock(simulator, `2026-01-15T12:${minutes}:00Z`)
  expect(await sessions(simulator)).toEqual([])
})

it('resetall ends all sessions of the service', async () => {
  const simulator = await start({ scenario: scenarioWith() })
  const { json } = await simulator.call('GET', '/api/sticky/resetall/5002')
  expect(json).toEqual({ success: 'Sticky sessions reset successfully' })
  expect(await sessions(simulator)).toEqual([])
  expect(getWorld(simulator).services[5002]?.sticky?.sessions).toEqual([])
  expect((await simulator.call('GET', '/api/sticky/resetall/5002')).status).toBe(200)
})

it.each([5001, 5003, 5004])(
  'for %d, which is static or not Active, list and resetall return an empty array, changettl an empty body',
  async (id) => {
    const { call, simulation } = await start({ scenario: scenarioWith() })
    const before = getState({ simulation })
    expect(await call('GET', `/api/sticky/list/${id}`)).toMatchObject({ status: 200, text: '[]' })
    expect(await call('GET', `/api/sticky/resetall/${id}`)).toMatchObject({ status: 200, text: '[]' })
    const changed = await call('GET', `/api/sticky/changettl/${id}/10`)
    expect(changed).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } })
    expect(getState({ simulation })).toEqual(before)
  },
)

it.each<[how: string, change: (simulator: TestSimulator) => Promise<{ status: number }>]>([
  ['by a call', ({ call }) => call('GET', '/api/sticky/changettl/5002/15')],
  [
    'by a patch',
    ({ admin }) => admin('PATCH', '/accounts/reseller', { services: { 5002: { sticky: { ttl: 15 } } } }),
  ],
])('a longer TTL, %s, revives no session that has expired', async (_how, change) => {
  const simulator = await start({ scenario: scenarioWith() })
  await setClock(simulator, '2026-01-15T12:10:00Z')
  expect((await change(simulator)).status).toBe(200)
  expect(await sessions(simulator)).toEqual([])
})
