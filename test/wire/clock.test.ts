import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ClockReading } from '../../src/contract/shapes.ts'
import { small } from '../support/scenario.ts'
import { start } from '../support/start.ts'

const running = { ...small, clock: { now: '2026-01-15T12:00:00Z', frozen: false } }

describe('the clock', () => {
  test('can be set, frozen and resumed', async () => {
    const { admin } = await start({ scenario: small })
    const steps: [object, object][] = [
      [{ now: '2026-02-01T10:00:00+02:00' }, { now: '2026-02-01T08:00:00.000Z', frozen: true }],
      [{ frozen: false }, { now: '2026-02-01T08:00:00.000Z', frozen: false }],
      [
        { now: '2026-03-01T00:00:00Z', frozen: true },
        { now: '2026-03-01T00:00:00.000Z', frozen: true },
      ],
    ]
    for (const [body, clock] of steps)
      expect(await admin('PUT', '/clock', body)).toMatchObject({ status: 200, json: clock })
    expect((await admin('GET', '/clock')).json).toMatchObject(steps[2]?.[1] ?? {})
  })

  test('determines Date headers, dates, the message of the throttle and times in the journal', async () => {
    const { admin, call } = await start({ scenario: small })
    await admin('POST', '/clock/advance', { by: 'P1M' })
    const ordered = await call('POST', '/api/product/101', { body: { clientid: 11 } })
    expect(ordered.headers.date).toBe('Sun, 15 Feb 2026 12:00:00 GMT')
    expect((await call('GET', '/api/service/5003')).json).toMatchObject({
      regdate: '2026-02-15',
      nextduedate: '2026-03-15',
    })
    await call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    const throttled = await call<{ error: string }>('PUT', '/api/service/5001', {
      body: { update_list: 'true' },
    })
    expect(throttled.json.error).toBe(
      'Too Many Attempts (updateList). Next update possible: 2026-02-15 13:00:00',
    )
    const { json } = await admin<{ requests: { time: string }[] }>('GET', '/requests?limit=1')
    expect(json.requests[0]?.time).toBe('2026-02-15T12:00:00.000Z')
  })

  test('does not go back if the machine’s clock does', async () => {
    const rate = 100_000
    const { admin } = await start({ scenario: { ...running, clock: { ...running.clock, rate } } })
    const now = async (): Promise<string> => (await admin<ClockReading>('GET', '/clock')).json.now
    const real = Date.now() + 5
    vi.useFakeTimers({ toFake: ['Date'], now: real })
    onTestFinished(() => void vi.useRealTimers())
    const first = await now()
    vi.setSystemTime(real - 3_600_000)
    expect(await now()).toBe(first)
    vi.setSystemTime(real + 5)
    expect(Date.parse(await now()) - Date.parse(first)).toBe(5 * rate)
  })

  test('keeps running after an advance', async () => {
    const { admin } = await start({ scenario: running })
    const { json } = await admin<ClockReading>('POST', '/clock/advance', { by: 'PT1H' })
    expect(json.frozen).toBe(false)
    expect(Date.parse(json.now)).toBeGreaterThanOrEqual(Date.parse('2026-01-15T13:00:00Z'))
    expect(Date.parse(json.now)).toBeLessThan(Date.parse('2026-01-15T13:01:00Z'))
  })

  test('can be frozen at the time that was just read', async () => {
    const { admin } = await start({ scenario: running })
    const { json } = await admin<ClockReading>('GET', '/clock')
    const { status, json: frozen } = await admin<ClockReading>('PUT', '/clock', {
      now: json.now,
      frozen: true,
    })
    expect(status).toBe(200)
    expect(Date.parse(frozen.now)).toBeGreaterThanOrEqual(Date.parse(json.now))
  })
})

test('a running clock can’t be set back by a day', async () => {
  const { admin } = await start({ scenario: running })
  expect((await admin('PUT', '/clock', { now: '2026-01-14T12:00:00Z' })).status).toBe(400)
})
