import { describe, expect, it } from 'vitest'
import { setClock, start, type Started, stateOf } from '../support/start.ts'
import { assuming, scenarioWith } from '../support/scenario.ts'

interface Session {
  server: string
  session: string
  ip: string
  ttl: number
  expires_at: string
}

async function sessions({ call }: Started): Promise<Session[]> {
  return (await call<Session[]>('GET', '/api/sticky/list/5002')).json
}

describe('a sticky session', () => {
  it('expires exactly at the end of its TTL', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    await setClock(simulator, `2026-01-15T12:09:59.999Z`)
    expect(await sessions(simulator)).toHaveLength(2)
    await setClock(simulator, `2026-01-15T12:10:00Z`)
    expect(await sessions(simulator)).toEqual([])
    const { status, headers } = await simulator.call('GET', '/api/sticky/rotate/5002/us1/abc')
    expect(status).toBe(422)
    expect(headers['sim-reason']).toContain('no live session abc')
  })

  it('gets another address and a new TTL when it is rotated; others do not', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    await setClock(simulator, `2026-01-15T12:06:00Z`)
    const { status, json } = await simulator.call<Session>('GET', '/api/sticky/rotate/5002/us1/abc')
    expect(status).toBe(200)
    expect(json).toEqual({
      server: 'us1',
      session: 'abc',
      ip: expect.stringMatching(/^198\.18\./),
      ttl: 10,
      expires_at: '2026-01-15 12:16:00',
    })
    expect(json.ip).not.toBe('198.18.0.1')
    await setClock(simulator, `2026-01-15T12:12:00Z`)
    expect(await sessions(simulator)).toEqual([json])
  })

  it('may have any name', async () => {
    const names = ['ü/&?#%', '..', '__proto__', '5002', ' ']
    const services = {
      5002: {
        client: 11,
        product: 201,
        sticky: { ttl: 5, sessions: names.map((name) => ({ server: name, session: name })) },
      },
    }
    const { call } = await start({ scenario: scenarioWith({ services }) })
    for (const name of names) {
      const part = encodeURIComponent(name)
      const { status, json } = await call<Session>('GET', `/api/sticky/rotate/5002/${part}/${part}`)
      expect({ status, name: json.session }).toEqual({ status: 200, name })
    }
  })
})

describe('the TTL', () => {
  it.each([1, 2, 3, 5, 10, 15])('can be %d, and counts from now', async (ttl) => {
    const simulator = await start({ scenario: scenarioWith() })
    await setClock(simulator, `2026-01-15T12:09:00Z`)
    const { json } = await simulator.call('GET', `/api/sticky/changettl/5002/${ttl}`)
    expect(json).toEqual({ success: 'TTL changed successfully' })
    const minutes = String(9 + ttl).padStart(2, '0')
    for (const session of await sessions(simulator))
      expect(session).toMatchObject({ ttl, expires_at: `2026-01-15 12:${minutes}:00` })
    await setClock(simulator, `2026-01-15T12:${minutes}:00Z`)
    expect(await sessions(simulator)).toEqual([])
  })
})

describe('a reset of all', () => {
  it('ends all sessions of the service', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    const { json } = await simulator.call('GET', '/api/sticky/resetall/5002')
    expect(json).toEqual({ success: 'Sticky sessions reset successfully' })
    expect(await sessions(simulator)).toEqual([])
    expect((await simulator.call('GET', '/api/sticky/resetall/5002')).status).toBe(200)
  })
})

describe('on a static service, and on one that is not Active', () => {
  it.each([5001, 5003, 5004])('17 and 20 return an empty array for %d, 19 returns nothing', async (id) => {
    const { call, simulation } = await start({ scenario: scenarioWith() })
    const before = stateOf({ simulation })
    expect(await call('GET', `/api/sticky/list/${id}`)).toMatchObject({ status: 200, text: '[]' })
    expect(await call('GET', `/api/sticky/resetall/${id}`)).toMatchObject({ status: 200, text: '[]' })
    const changed = await call('GET', `/api/sticky/changettl/${id}/10`)
    expect(changed).toMatchObject({ status: 200, text: '' })
    expect(changed.headers['content-length']).toBe('0')
    expect(stateOf({ simulation })).toEqual(before)
  })

  it('inactiveTtlBody array: 19 returns an empty array', async () => {
    const { call } = await start({ scenario: assuming({ inactiveTtlBody: 'array' }) })
    const { status, text, headers } = await call('GET', '/api/sticky/changettl/5004/10')
    expect({ status, text }).toEqual({ status: 200, text: '[]' })
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })
})
