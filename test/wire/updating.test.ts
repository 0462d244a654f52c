import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setClock, start, type TestSimulator, getState } from '../support/start.ts'
import { noon, scenarioWith } from '../support/scenario.ts'

const done = {
  setip: { success: 'IP address updated successfully' },
  update_list: { success: 'IP list updated successfully' },
  password: { success: 'Password updated successfully' },
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function update({ call }: TestSimulator, id: number, body?: unknown) {
  const { status, json, text, headers } = await call('PUT', `/api/service/${id}`, { body })
  return { status, json, text, case: headers['sim-case'] }
}

async function service(
  { call }: TestSimulator,
  id: number,
): Promise<{ bindedip?: string; password: string }> {
  return (await call<{ bindedip?: string; password: string }>('GET', `/api/service/${id}`)).json
}

async function list({ call }: TestSimulator, id: number): Promise<string> {
  return (await call('GET', `/api/iplist/http-ip/txt/${id}`)).text
}

describe('an update', () => {
  it('changes everything requested, and confirms each change', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    const body = { setip: '192.0.2.20', update_list: 'true', password: base64('n€w:pass') }
    const before = await list(simulator, 5001)
    expect(await update(simulator, 5001, body)).toMatchObject({ status: 200, json: done })
    expect(await service(simulator, 5001)).toMatchObject({ bindedip: '192.0.2.20', password: 'n€w:pass' })
    const after = await list(simulator, 5001)
    expect(after).not.toBe(before)
    expect(after.trimEnd().split('\n')).toHaveLength(2)
  })

  it.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['another field', { nothing: 1 }],
    ['an update_list of false', { update_list: 'false' }],
    ['an update_list of True', { update_list: 'True' }],
    ['an update_list of 1', { update_list: '1' }],
    ['an empty update_list', { update_list: '' }],
    ['the address that is bound already', { setip: '192.0.2.10' }],
  ])('of %s changes nothing', async (_what, body) => {
    const simulator = await start({ scenario: scenarioWith() })
    const before = getState(simulator)
    expect(await update(simulator, 5001, body)).toMatchObject({ status: 200 })
    expect(getState(simulator)).toEqual(before)
  })
})

/** Consecutive bindings: SERVICE ADDRESS, with ! if it is refused */
it.each([
  [
    'frees the previous address',
    '5006 192.0.2.10!, 5001 192.0.2.20, 5006 192.0.2.10, 5001 192.0.2.10!, 5006 192.0.2.16',
  ],
  ['respects the addresses of services that are not Active', '5001 192.0.2.13!'],
  ['respects the addresses of orders', '5001 192.0.2.77!'],
  ['accepts any IPv4 address', '5001 0.0.0.0, 5001 255.255.255.255, 5001 10.0.0.1'],
])('binding %s', async (_what, steps) => {
  const simulator = await start({ scenario: scenarioWith() })
  await simulator.call('POST', '/api/product/101', { body: { clientid: 11, setip: '192.0.2.77' } })
  for (const step of steps.split(', ')) {
    const [, id, setip, refused] = /^(\d+) ([\d.]+)(!?)$/.exec(step) ?? []
    expect((await update(simulator, Number(id), { setip })).case, step).toBe(
      refused ? 'ip-already-bound' : undefined,
    )
    const { bindedip } = await service(simulator, Number(id))
    expect(bindedip === setip, step).toBe(!refused)
  }
})

describe('the throttle', () => {
  const message = (at: string): string =>
    JSON.stringify({ error: `Too Many Attempts (updateList). Next update possible: ${at}` })

  it.each([
    [noon, '2026-01-15T12:59:59.999Z', '2026-01-15 13:00:00'],
    ['2026-01-15T12:00:00.001Z', '2026-01-15T13:00:00Z', '2026-01-15 13:00:01'], // fractions are rounded up
  ])(
    'that starts at %s returns, until %s, the second at which the next update works',
    async (clock, late, next) => {
      const simulator = await start({ scenario: scenarioWith({}, { clock }) })
      const ask = () => update(simulator, 5001, { update_list: 'true' })
      expect((await ask()).status).toBe(200)
      expect(await ask()).toMatchObject({ status: 429, text: message(next) })
      await setClock(simulator, late)
      expect(await ask()).toMatchObject({ status: 429, text: message(next) })
      await setClock(simulator, `${next.replace(' ', 'T')}Z`)
      expect((await ask()).status).toBe(200)
      expect((await ask()).status).toBe(429)
    },
  )

  it('is separate for each service and limits only list updates', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    await update(simulator, 5001, { update_list: 'true' })
    expect((await update(simulator, 5006, { update_list: 'true' })).status).toBe(200)
    expect((await update(simulator, 5001, { setip: '192.0.2.20' })).status).toBe(200)
  })

  it('does not count refused updates', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    await update(simulator, 5001, { update_list: 'true', password: '%' })
    expect((await update(simulator, 5001, { update_list: 'true' })).status).toBe(200)
  })

  it.each([
    ['limits', 600],
    ['assumptions', 60],
    ['assumptions', 86_400],
  ])('takes its interval from the %s: %d', async (part, updateListInterval) => {
    const simulator = await start({ scenario: scenarioWith({ [part]: { updateListInterval } }) })
    await update(simulator, 5001, { update_list: 'true' })
    const next = new Date(Date.parse(noon) + updateListInterval * 1000).toISOString()
    expect((await update(simulator, 5001, { update_list: 'true' })).text).toBe(
      message(next.slice(0, 19).replace('T', ' ')),
    )
  })
})

it('a password round-trips, whatever it contains', async () => {
  const simulator = await start({ scenario: scenarioWith() })
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  const password = text.filter((one) => Buffer.from(one).toString() === one && !/\p{Cc}/u.test(one))
  await fc.assert(
    fc.asyncProperty(password, async (one) => {
      expect((await update(simulator, 5001, { password: base64(one) })).status).toBe(200)
      expect((await service(simulator, 5001)).password).toBe(one)
    }),
    { numRuns: 100 },
  )
})
