import { getEventListeners } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { maxSpent } from '../../src/faults/selectFault.ts'
import { adminOf, small } from '../support/admin.ts'
import { rawRequest, readReply, sendRaw } from '../support/raw.ts'
import { start } from '../support/start.ts'

interface Armed {
  id: number
  seen: number
  used: number
  spent: boolean
}

async function setUp(scenario: object = small) {
  const simulator = await start({ scenario })
  const admin = adminOf(() => simulator)
  return {
    ...simulator,
    admin,
    arm: async (fault: object) => {
      const { status, json, text } = await admin<Armed>('POST', '/faults', fault)
      expect(status, text).toBe(201)
      return json
    },
    faults: async () => (await admin<Armed[]>('GET', '/faults')).json,
    statuses: async (count: number, path = '/api/billing/credit') => {
      const got: number[] = []
      for (let i = 0; i < count; i++) got.push((await simulator.call('GET', path)).status)
      return got
    },
    credit: () => simulator.simulation.store.peek('reseller')?.credit,
  }
}

const order = { body: { clientid: 11 } }

describe('faults are listed, added and removed', () => {
  test('with their ids and counters', async () => {
    const { admin, arm, faults, statuses } = await setUp()
    const first = await arm({ operation: 'getCredit', respond: 'unauthenticated', times: 1 })
    expect(first).toEqual({
      id: 1,
      operation: 'getCredit',
      phase: 'before',
      respond: 'unauthenticated',
      times: 1,
      seen: 0,
      used: 0,
      spent: false,
    })
    await arm({ operation: '*', delay: 0 })
    await statuses(2)
    expect(await faults()).toMatchObject([
      { id: 1, seen: 1, used: 1, spent: true },
      { id: 2, seen: 1, used: 1, spent: false },
    ])
    const { status, text } = await admin('DELETE', '/faults/1')
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(await faults()).toMatchObject([{ id: 2 }])
    expect((await admin('DELETE', '/faults')).status).toBe(204)
    expect(await faults()).toEqual([])
    expect(await arm({ operation: '*', delay: 0 })).toMatchObject({ id: 3 })
  })

  test('an unknown id is 404, and one that is taken 409', async () => {
    const { admin, arm, faults } = await setUp()
    await arm({ operation: '*', delay: 1, id: 7 })
    for (const id of ['1', 'x', '07', '__proto__'])
      expect((await admin('DELETE', `/faults/${id}`)).status).toBe(404)
    expect((await admin('POST', '/faults', { operation: '*', delay: 1, id: 7 })).status).toBe(409)
    expect(await faults()).toHaveLength(1)
    expect(await arm({ operation: '*', delay: 1 })).toMatchObject({ id: 8 })
  })
})

describe('spent faults', () => {
  const spent = { operation: 'getCredit', respond: { status: 500 }, times: 1, seen: 1, used: 1 }

  test('are kept for inspection up to a limit, and do not enlarge changes', async () => {
    const faults = Array.from({ length: 900 }, (_, i) => ({ id: i + 1, ...spent }))
    const {
      arm,
      call,
      faults: list,
      simulation,
      statuses,
    } = await setUp({
      ...small,
      accounts: { reseller: { ...small.accounts.reseller, faults } },
    })
    expect(await list()).toHaveLength(900)
    await arm({ operation: 'getCredit', respond: 'unauthenticated', times: 1 })
    const changes: unknown[] = []
    simulation.store.on((event) => event.type === 'change' && changes.push(event.change))
    expect(await statuses(2)).toEqual([401, 200])
    expect(changes).toHaveLength(1)
    expect((changes[0] as { faults: unknown[] }).faults).toHaveLength(maxSpent)
    expect(await list()).toHaveLength(maxSpent)
    expect((await list()).at(-1)).toMatchObject({ id: 901, used: 1, spent: true })
    await arm({ operation: '*', delay: 0 })
    expect((await list()).at(-1), 'no id is given twice').toMatchObject({ id: 902, spent: false })
    await call('GET', '/api/clients')
    expect((await list()).filter(({ id }) => id === 902)).toMatchObject([{ seen: 1 }])
  })

  test('do not push out an armed one', async () => {
    const { arm, faults, statuses } = await setUp()
    await arm({ operation: 'listClients', respond: 'unauthenticated', times: 2 })
    for (let i = 0; i <= maxSpent; i++) {
      await arm({ operation: 'getCredit', respond: 'unauthenticated', times: 1 })
      expect(await statuses(1)).toEqual([401])
    }
    const ids = (await faults()).map(({ id }) => id)
    expect(ids).toEqual([1, ...Array.from({ length: maxSpent }, (_, i) => i + 3)])
  })
})

describe('which requests a fault strikes', () => {
  test('after a number of requests, a number of times', async () => {
    const { arm, statuses } = await setUp()
    await arm({ operation: 'getCredit', respond: 'unauthenticated', after: 2, times: 2 })
    expect(await statuses(6)).toEqual([200, 200, 401, 401, 200, 200])
  })

  test('of one operation, or of all', async () => {
    const { admin, arm, statuses } = await setUp()
    await arm({ operation: 'getCredit', respond: 'unauthenticated' })
    expect(await statuses(1, '/api/clients')).toEqual([200])
    await admin('DELETE', '/faults')
    await arm({ operation: '*', respond: 'unauthenticated' })
    expect([...(await statuses(1)), ...(await statuses(1, '/api/clients'))]).toEqual([401, 401])
  })

  test('that match its path and body', async () => {
    const { arm, call } = await setUp()
    await arm({ operation: 'getService', match: { path: { id: '5002' } }, respond: 'unprocessable' })
    await arm({
      operation: 'updateService',
      match: { path: { id: 5001 }, body: { setip: '192.0.2.9' } }, // a number too, as ids are elsewhere
      respond: 'ip-already-bound',
    })
    expect((await call('GET', '/api/service/5001')).status).toBe(200)
    expect((await call('GET', '/api/service/5002')).status).toBe(422)
    expect((await call('PUT', '/api/service/5001', { body: { setip: '192.0.2.8' } })).status).toBe(200)
    expect((await call('PUT', '/api/service/5001', { body: { setip: '192.0.2.9', other: 1 } })).status).toBe(
      422,
    )
  })

  test('by a probability that depends on the seed: the same after a reset, another with another seed', async () => {
    const { admin, arm, statuses } = await setUp()
    const draw = async (seed: number) => {
      await admin('POST', '/reset')
      await admin('PATCH', '/accounts/reseller', { seed })
      await arm({ operation: 'getCredit', respond: 'unauthenticated', probability: 0.5 })
      return statuses(40)
    }
    const drawn = await draw(1)
    const struck = drawn.filter((status) => status === 401).length
    expect(struck).toBeGreaterThan(8)
    expect(struck).toBeLessThan(32)
    expect(await draw(1)).toEqual(drawn)
    expect(await draw(2)).not.toEqual(drawn)
  })

  test('only those of its account', async () => {
    const { admin, arm, call, statuses } = await setUp()
    const { json } = await admin<{ authorization: string }>('POST', '/accounts', { login: 'other' })
    await admin('POST', '/faults?account=other', { operation: '*', respond: 'unauthenticated' })
    expect(await statuses(1)).toEqual([200])
    expect(
      (await call('GET', '/api/clients', { headers: { authorization: json.authorization } })).status,
    ).toBe(401)
    expect(arm).toBeDefined()
  })

  test('only one of many concurrent requests', async () => {
    const { arm, call, faults } = await setUp()
    await arm({ operation: 'orderService', respond: 'insufficient-funds', times: 1, delay: 20 })
    const all = await Promise.all(Array.from({ length: 30 }, () => call('POST', '/api/product/101', order)))
    expect(all.filter(({ headers }) => headers['sim-reason']?.includes('forced'))).toHaveLength(1)
    expect(await faults()).toMatchObject([{ used: 1, spent: true }])
  })
})

describe('what a fault does', () => {
  test('before: the operation is not carried out', async () => {
    const { arm, call, credit } = await setUp()
    await arm({ operation: 'orderService', respond: { status: 500, body: { error: 'Server Error' } } })
    const { status, json } = await call('POST', '/api/product/101', order)
    expect({ status, json }).toEqual({ status: 500, json: { error: 'Server Error' } })
    expect(credit()).toBe(100)
  })

  test('after: the order is paid for, but the client never gets the response', async () => {
    const { admin, arm, call, credit } = await setUp()
    await arm({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
    await expect(call('POST', '/api/product/101', order)).rejects.toThrow(/ECONNRESET|hang up/)
    expect(credit()).toBe(80)
    const { json } = await admin<{ requests: object[] }>('GET', '/requests')
    expect(json.requests).toMatchObject([
      {
        operation: 'orderService',
        status: null,
        forced: true,
        change: { credit: 80, services: { 5003: { client: 11 } } },
      },
    ])
  })

  test('after: a delay leaves a refusal as it is', async () => {
    const { arm, call } = await setUp()
    await arm({ operation: 'orderService', phase: 'after', delay: 1 })
    const { headers } = await call('POST', '/api/product/999', order)
    expect(headers['sim-case']).toBe('product-not-found')
  })

  test('a response that breaks the contract is sent anyway; the journal has the violations', async () => {
    const { admin, arm, call } = await setUp()
    await arm({ operation: 'getCredit', respond: { status: 200, body: { credit: 'oops' } } })
    expect((await call('GET', '/api/billing/credit')).text).toBe('{"credit":"oops"}')
    const { json } = await admin<{ requests: { violations: string[] }[] }>('GET', '/requests?limit=1')
    expect(json.requests[0]?.violations).toEqual(['credit must be number'])
  })

  test('a fault without `times` says how often it has struck', async () => {
    const { arm, call } = await setUp()
    await arm({ operation: 'getCredit', respond: 'unauthenticated' })
    for (const often of ['triggered 1 time', 'triggered 2 times'])
      expect((await call('GET', '/api/billing/credit')).headers['sim-reason']).toContain(`; ${often})`)
  })

  test('respond: text, JSON, no body, and headers', async () => {
    const { admin, arm, call } = await setUp()
    const ask = async (respond: object) => {
      await admin('DELETE', '/faults')
      await arm({ operation: 'getCredit', respond })
      const { status, text, headers } = await call('GET', '/api/billing/credit')
      return { status, text, type: headers['content-type'], header: headers['x-mine'] }
    }
    expect(
      await ask({
        status: 502,
        body: '<h1>Bad Gateway</h1>',
        headers: { 'Content-Type': 'text/html', 'X-Mine': 'yes' },
      }),
    ).toEqual({ status: 502, text: '<h1>Bad Gateway</h1>', type: 'text/html', header: 'yes' })
    expect(await ask({ status: 200, body: 'zażółć' })).toEqual({
      status: 200,
      text: 'zażółć',
      type: 'text/plain; charset=utf-8',
      header: undefined,
    })
    expect(await ask({ status: 418, body: [null] })).toMatchObject({
      status: 418,
      text: '[null]',
      type: 'application/json; charset=utf-8',
    })
    expect(await ask({ status: 599 })).toMatchObject({ status: 599, text: '', type: undefined })
    expect(await ask({ status: 204, body: { lost: true } })).toMatchObject({ status: 204, text: '' })
    expect(await ask({ status: 304, body: 'x' })).toMatchObject({ status: 304, text: '' })
    await admin('DELETE', '/faults')
    expect((await call('GET', '/api/billing/credit')).json).toEqual({ credit: 100 })
  })

  test.each([204, 304])('a %i has neither content nor a content length', async (status) => {
    const { arm, port, authorization } = await setUp()
    await arm({ operation: 'getCredit', respond: { status, body: { lost: true } } })
    const reply = readReply(
      await sendRaw(port, rawRequest('GET', '/api/billing/credit', [`Authorization: ${authorization()}`])),
    )
    expect(reply).toMatchObject({ status, body: '' })
    expect(reply.head).not.toMatch(/^(content-(length|type)|transfer-encoding):/im)
  })

  test.each([
    { respond: { status: 200, body: '<script>alert(1)</script>', headers: { 'content-type': 'text/html' } } },
    {
      respond: {
        status: 500,
        headers: { 'Content-Security-Policy': 'script-src *', 'X-Content-Type-Options': 'sniff' },
      },
    },
    { respond: 'unauthenticated' },
    { respond: { status: 204 } },
    { phase: 'after', respond: { status: 200, body: 'x' } },
  ])('browsers never run the response of a fault as a page: %j', async (fault) => {
    const { arm, call } = await setUp()
    await arm({ operation: 'getCredit', ...fault })
    const { headers } = await call('GET', '/api/billing/credit')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
  })

  test('a delay leaks nothing', async () => {
    const { arm, statuses, simulation } = await setUp()
    await arm({ operation: 'getCredit', delay: 0 })
    await statuses(20)
    const { signal } = simulation.stopping
    // Where AbortSignal.any keeps dependent signals, for as long as the signal lives
    const kept = Object.getOwnPropertySymbols(signal)
      .filter(({ description }) => description === 'kDependantSignals')
      .map((symbol) => (signal as unknown as Record<symbol, Set<unknown> | undefined>)[symbol]?.size ?? 0)
    expect(kept.filter((count) => count > 0)).toEqual([])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('delay: in real time, even if the clock is frozen', async () => {
    const { arm, call, faults } = await setUp()
    await arm({ operation: 'getCredit', delay: 60 })
    const began = performance.now()
    const { status, headers } = await call('GET', '/api/billing/credit')
    expect(performance.now() - began).toBeGreaterThanOrEqual(55)
    expect(status).toBe(200)
    expect(headers.date).toBe('Thu, 15 Jan 2026 12:00:00 GMT')
    expect(await faults()).toMatchObject([{ used: 1 }])
  })

  test('a delay ends when the simulator stops', async () => {
    const simulator = await setUp()
    await simulator.arm({ operation: 'getCredit', delay: 60_000 })
    const struck = new Promise<void>((resolve) => {
      simulator.simulation.store.on(({ type }) => type === 'change' && resolve())
    })
    const waiting = simulator.call('GET', '/api/billing/credit').catch(() => undefined)
    await struck
    const began = performance.now()
    await simulator.close()
    await waiting
    expect(performance.now() - began).toBeLessThan(4000)
  })

  /** How a connection ends, and what was received before. */
  function ending(port: number, authorization: string): Promise<{ end: string; text: string }> {
    return new Promise((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          `GET /api/clients HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`,
        )
      })
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      socket.on('error', (error: NodeJS.ErrnoException) => resolve({ end: error.code ?? '', text }))
      socket.on('end', () => resolve({ end: 'end', text }))
    })
  }

  test('drop: reset, closed without a response, or closed halfway through it', async () => {
    const { admin, arm, port, authorization } = await setUp()
    const drop = async (how: string) => {
      await admin('DELETE', '/faults')
      await arm({ operation: 'listClients', phase: 'after', drop: how })
      return ending(port, authorization())
    }
    expect(await drop('reset')).toEqual({ end: 'ECONNRESET', text: '' })
    expect(await drop('empty')).toEqual({ end: 'end', text: '' })
    const { end, text } = await drop('truncate')
    expect(end).toBe('end')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    expect(body.length).toBeGreaterThan(0)
    expect(body.length).toBeLessThan(length)
    const { json } = await admin<{ requests: { status: number | null }[] }>(
      'GET',
      '/requests?operation=listClients',
    )
    expect(json.requests.map(({ status }) => status)).toEqual([200, null, null])
  })

  test.each([{ status: 503 }, { status: 204 }])(
    'a truncated %j without a body is never a whole answer',
    async (respond) => {
      const { arm, call } = await setUp()
      await arm({ operation: 'listClients', respond, drop: 'truncate' })
      await expect(call('GET', '/api/clients')).rejects.toThrow(/socket hang up|aborted|ECONNRESET/)
    },
  )
})

test('counters come back with a reset or a restore', async () => {
  const scenario = {
    ...small,
    accounts: {
      reseller: {
        ...small.accounts.reseller,
        faults: [{ operation: 'getCredit', respond: 'unauthenticated', after: 1, times: 2 }],
      },
    },
  }
  const { admin, faults, statuses } = await setUp(scenario)
  expect(await statuses(2)).toEqual([200, 401])
  const { json } = await admin<{ id: string }>('POST', '/snapshots')
  expect(await statuses(3)).toEqual([401, 200, 200])
  await admin('POST', `/snapshots/${json.id}/restore`)
  expect(await faults()).toMatchObject([{ id: 1, seen: 2, used: 1, spent: false }])
  expect(await statuses(2)).toEqual([401, 200])
  await admin('POST', '/reset')
  expect(await statuses(5)).toEqual([200, 401, 401, 200, 200])
})
