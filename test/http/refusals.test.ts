import { describe, expect, it } from 'vitest'
import { start, startForAll, type CallOptions, stateOf } from '../support/start.ts'
import { reseller, scenarioWith } from '../support/scenario.ts'

const generic = 'Unprocessable Entity '
const noProduct = 'Unprocessable Entity or product ID not found'
const noFunds = 'Unprocessed entity or not enough funds to order'
const badData = 'Unprocessable Entity. Incorrect posted data'
const noClient = 'Unprocessable Entity. ClientID not found'

interface Row {
  /** Number of the endpoint in the document */
  of: number
  case: string
  status: number
  text: string
  ask: [method: string, path: string, options?: CallOptions]
  /** A part of the reason */
  reason: string
}

function row(
  of: number,
  status: number,
  caseName: string,
  text: string,
  ask: [string, string, CallOptions?],
  reason: string,
): Row {
  return { of, status, case: caseName, text, ask, reason }
}

/** Every row of the document's error tables, and the request of a client that meets it. */
const rows: Row[] = [
  row(2, 422, 'unprocessable', generic, ['GET', '/api/stats/9999'], 'there is no service 9999'),
  row(2, 422, 'unprocessable', generic, ['GET', '/api/stats/5001'], 'service 5001 is fpr'),
  row(3, 422, 'unprocessable', generic, ['GET', '/api/rate/9999'], 'there is no service 9999'),
  row(3, 422, 'unprocessable', generic, ['GET', '/api/rate/5001'], 'service 5001 is fpr'),
  row(4, 422, 'product-not-found', noProduct, ['GET', '/api/product/999'], 'there is no product 999'),
  row(
    5,
    422,
    'product-not-found',
    noProduct,
    ['POST', '/api/product/999', { body: { clientid: 11 } }],
    'there is no product 999',
  ),
  row(
    5,
    422,
    'insufficient-funds',
    noFunds,
    ['POST', '/api/product/102', { body: { clientid: 11 } }],
    'credit 12.40 is less than price 12.50',
  ),
  row(5, 422, 'incorrect-posted-data', badData, ['POST', '/api/product/101', { body: {} }], 'clientid'),
  row(
    5,
    422,
    'incorrect-posted-data',
    badData,
    ['POST', '/api/product/101', { raw: '{"clientid":' }],
    'the body is not valid JSON',
  ),
  row(
    5,
    422,
    'incorrect-posted-data',
    badData,
    ['POST', '/api/product/101', { body: { clientid: 11, setip: '192.0.2.10' } }],
    'setip 192.0.2.10 is bound to service 5001 already',
  ),
  row(
    5,
    422,
    'incorrect-posted-data',
    badData,
    ['POST', '/api/product/201', { body: { clientid: 11, setip: '192.0.2.77' } }],
    'setip is for fpr products only',
  ),
  row(
    5,
    422,
    'client-not-found',
    noClient,
    ['POST', '/api/product/101', { body: { clientid: 99 } }],
    'there is no client 99',
  ),
  row(
    5,
    422,
    'incorrect-posted-data',
    badData,
    ['POST', '/api/product/101', { body: {} }],
    'clientid is required',
  ),
  ...['99999999999', '007', '0', '1e3'].map((id) =>
    row(
      13,
      422,
      'unprocessable',
      generic,
      ['GET', `/api/service/${id}`],
      'id must be a positive integer of at most ten digits, without leading zeros',
    ),
  ),
  row(8, 400, 'client-not-found', noClient, ['GET', '/api/networkstatus/errors/5005'], 'client 99'),
  row(8, 422, 'unprocessable', generic, ['GET', '/api/networkstatus/errors/9999'], 'no service 9999'),
  row(9, 400, 'client-not-found', noClient, ['GET', '/api/networkstatus/inactive/5005'], 'client 99'),
  row(9, 422, 'unprocessable', generic, ['GET', '/api/networkstatus/inactive/9999'], 'no service 9999'),
  row(15, 400, 'client-not-found', noClient, ['PUT', '/api/service/5005', { body: {} }], 'client 99'),
  row(15, 422, 'unprocessable', generic, ['PUT', '/api/service/9999', { body: {} }], 'no service 9999'),
  row(
    15,
    422,
    'unprocessable',
    generic,
    ['PUT', '/api/service/5003', { body: {} }],
    'service 5003 is Suspended',
  ),
  row(
    15,
    422,
    'incorrect-posted-data',
    badData,
    ['PUT', '/api/service/5001', { body: { password: 'not base64' } }],
    'password is not base64',
  ),
  row(
    15,
    422,
    'incorrect-posted-data',
    badData,
    ['PUT', '/api/service/5002', { body: { setip: '192.0.2.77' } }],
    'setip is for fpr services only',
  ),
  row(
    15,
    422,
    'invalid-ipv4',
    'Unprocessable Entity. Invalid IPv4 format',
    ['PUT', '/api/service/5001', { body: { setip: '192.0.2.256' } }],
    'setip is not an IPv4 address',
  ),
  row(
    15,
    422,
    'ip-already-bound',
    'Unprocessable Entity. IP already binded',
    ['PUT', '/api/service/5001', { body: { setip: '192.0.2.16' } }],
    '192.0.2.16 is bound to service 5006 already',
  ),
  row(
    15,
    429,
    'update-list-throttled',
    'Too Many Attempts (updateList). Next update possible: 2026-01-15 12:30:00',
    ['PUT', '/api/service/5006', { body: { update_list: 'true' } }],
    'the interval is 3600 s, 1800 s are left',
  ),
  row(16, 422, 'unprocessable', generic, ['GET', '/api/iplist/http-ip/txt/9999'], 'no service 9999'),
  row(16, 422, 'unprocessable', generic, ['GET', '/api/iplist/http-ip/txt/5003'], 'Suspended'),
  row(16, 422, 'unprocessable', generic, ['GET', '/api/iplist/ppr-http/txt/5001'], 'for ppr services'),
  row(16, 422, 'unprocessable', generic, ['GET', '/api/iplist/http-ip/xml/5001'], 'formatl'),
  row(17, 422, 'upstream-error', 'Service not found', ['GET', '/api/sticky/list/9999'], 'no service 9999'),
  row(18, 422, 'unprocessable', generic, ['GET', '/api/sticky/rotate/9999/us1/abc'], 'no service 9999'),
  row(18, 422, 'unprocessable', generic, ['GET', '/api/sticky/rotate/5002/us1/xyz'], 'no live session xyz'),
  row(18, 422, 'unprocessable', generic, ['GET', '/api/sticky/rotate/5001/us1/abc'], 'service 5001 is fpr'),
  row(18, 422, 'unprocessable', generic, ['GET', '/api/sticky/rotate/5004/us1/abc'], 'Suspended'),
  row(19, 422, 'unprocessable', generic, ['GET', '/api/sticky/changettl/5002/4'], 'ttl'),
  row(19, 422, 'unprocessable', generic, ['GET', '/api/sticky/changettl/9999/5'], 'no service 9999'),
  row(20, 422, 'unprocessable', generic, ['GET', '/api/sticky/resetall/9999'], 'no service 9999'),
]

const { services } = reseller
const scenario = scenarioWith({
  credit: 12.4,
  services: { ...services, 5006: { ...services[5006], list_updated_at: '2026-01-15T11:30:00Z' } },
})

describe('every row of the error tables, met by a plain request', () => {
  const simulator = startForAll({ scenario })

  it.each(rows)('$of: $status $case, because $reason', async (expected) => {
    const { call, simulation } = simulator()
    const before = JSON.stringify(stateOf({ simulation }))
    const { status, headers, text } = await call(...expected.ask)
    expect(text).toBe(JSON.stringify({ error: expected.text }))
    expect(status).toBe(expected.status)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['sim-case']).toBe(expected.case)
    expect(headers['sim-reason']).toContain(expected.reason)
    expect(JSON.stringify(stateOf({ simulation }))).toBe(before)
  })

  it('leaves out no case of the contract but those of authentication', () => {
    const { contract } = simulator().simulation
    const met = new Set(rows.map((one) => `${one.ask[0]} ${one.case} ${one.status}`))
    const missing = contract.operations.flatMap(({ operationId, method, cases }) =>
      cases
        .filter(({ type, name, status }) => type !== 'text/plain' && !met.has(`${method} ${name} ${status}`))
        .map(({ name }) => `${operationId} ${name}`),
    )
    expect(missing).toEqual([])
  })
})

describe('without explanations', () => {
  it('says what the API says, and no more', async () => {
    const { call } = await start({ scenario, explain: false })
    for (const { ask, text } of rows) {
      const { headers, text: body } = await call(...ask)
      expect(body).toBe(JSON.stringify({ error: text }))
      expect(Object.keys(headers).filter((name) => name.startsWith('sim-'))).toEqual([])
    }
    const { headers, status } = await call('GET', '/api/credit', { login: null })
    expect(status).toBe(401)
    expect(Object.keys(headers).filter((name) => name.startsWith('sim-'))).toEqual([])
  })
})

describe('the order of the checks', () => {
  const simulator = startForAll({ scenario })
  const broken = { raw: '{broken' }

  it('asks for credentials first: before the path, the method and the body', async () => {
    for (const [method, path] of [
      ['GET', '/api/service/abc'],
      ['GET', '/api/nothing'],
      ['DELETE', '/api/services'],
      ['POST', '/api/product/101'],
    ] as const) {
      const { status, text } = await simulator().call(method, path, { login: null, ...broken })
      expect({ status, text }).toEqual({ status: 401, text: 'Unauthenticated' })
    }
  })

  it('looks at the path before the body', async () => {
    const { call } = simulator()
    const odd = ['abc', '999', '__proto__', 'constructor', '1e3']
    for (const id of odd)
      for (const options of [broken, { raw: 'x', headers: { 'content-type': 'text/plain' } }, {}]) {
        const ordered = await call('POST', `/api/product/${id}`, options)
        expect(ordered.headers['sim-case']).toBe('product-not-found')
        const updated = await call('PUT', `/api/service/${id}`, options)
        expect(updated.headers['sim-case']).toBe('unprocessable')
      }
  })

  it('looks at the body before client, binding and credit', async () => {
    const { call } = simulator()
    const { headers } = await call('POST', '/api/product/201', { body: { clientid: 99, setip: 5 } })
    expect(headers['sim-case']).toBe('incorrect-posted-data')
  })
})
