import { describe, expect, test } from 'vitest'
import { casesByOperation, type CaseName, type OperationId } from '../../src/contract/cases.gen.ts'
import { adminOf, small } from '../support/admin.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { startForAll } from '../support/start.ts'

type Given = [status: number, text: string]

/** The documentation's table of errors, to the letter; texts that depend on the operation are functions. */
const errors: Record<CaseName, Given | ((operation: OperationId) => Given)> = {
  unauthenticated: [401, 'Unauthenticated'],
  'invalid-authorization-header': [400, 'Invalid Authorization header'],
  'invalid-credentials-format': [400, 'Invalid credentials format'],
  'client-not-found': (operation) => [
    operation === 'orderService' ? 422 : 400,
    '{"error":"Unprocessable Entity. ClientID not found"}',
  ],
  unprocessable: [422, '{"error":"Unprocessable Entity "}'],
  'product-not-found': [422, '{"error":"Unprocessable Entity or product ID not found"}'],
  'insufficient-funds': [422, '{"error":"Unprocessed entity or not enough funds to order"}'],
  'incorrect-posted-data': [422, '{"error":"Unprocessable Entity. Incorrect posted data"}'],
  'invalid-ipv4': [422, '{"error":"Unprocessable Entity. Invalid IPv4 format"}'],
  'ip-already-bound': [422, '{"error":"Unprocessable Entity. IP already binded"}'],
  'update-list-throttled': [
    429,
    '{"error":"Too Many Attempts (updateList). Next update possible: 2026-01-15 13:00:00"}',
  ],
  'upstream-error': [422, '{"error":"Service not found"}'],
}

const pairs = Object.entries(casesByOperation).flatMap(([operation, cases]) =>
  cases.map((name): [OperationId, CaseName] => [operation as OperationId, name]),
)

describe.each(['before', 'after'] as const)('every case of every operation can be forced, %s', (phase) => {
  const simulator = startForAll({ scenario: small })
  const admin = adminOf(simulator)

  test.each(pairs)('%s: %s', async (operation, name) => {
    await admin('POST', '/reset')
    const armed = await admin('POST', '/faults', { operation, respond: name, phase, times: 1 })
    expect(armed.status, armed.text).toBe(201)
    const [method, path, body] = callByOperation[operation]
    const ask = () => simulator().call(method, path, body && { body })
    const { status, text, headers } = await ask()
    const given = errors[name]
    const [expected, words] = typeof given === 'function' ? given(operation) : given
    const type = words.startsWith('{') ? 'application/json' : 'text/plain'
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: expected,
      text: words,
      type: `${type}; charset=utf-8`,
    })
    expect(headers['sim-case']).toBe(name)
    expect(headers['sim-reason']).toContain('forced by fault 1')
    expect((await ask()).status, 'it is spent').toBe(200)
    const { json } = await admin<{ requests: object[] }>('GET', '/requests?limit=2')
    expect(json.requests).toMatchObject([
      { operation, status: 200, case: null, forced: false },
      { operation, status, case: name, forced: true, violations: [] },
    ])
    const { json: coverage } = await admin<{ covered: number }>('GET', '/coverage')
    expect(coverage.covered).toBe(2)
  })
})

test('the pairs are those of the contract', () => {
  expect(pairs).toHaveLength(85)
})
