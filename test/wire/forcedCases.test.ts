import { describe, expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { OperationId } from '../../src/contract/cases.gen.ts'
import { adminOf, small } from '../support/admin.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { startForAll } from '../support/start.ts'

const { operations } = await loadContract()
const pairs = operations.flatMap(({ operationId, cases }) =>
  cases.map((given) => ({ operation: operationId as OperationId, name: given.name, given })),
)

describe.each(['before', 'after'] as const)('every case of every operation can be forced, %s', (phase) => {
  const simulator = startForAll({ scenario: small })
  const admin = adminOf(simulator)

  test.each(pairs)('$operation: $name', async ({ operation, name, given }) => {
    await admin('POST', '/reset')
    const armed = await admin('POST', '/faults', { operation, respond: name, phase, times: 1 })
    expect(armed.status, armed.text).toBe(201)
    const [method, path, body] = callByOperation[operation]
    const ask = () => simulator().call(method, path, body && { body })
    const { status, text, headers } = await ask()
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: given.status,
      text: typeof given.value === 'string' ? given.value : JSON.stringify(given.value),
      type: `${given.type}; charset=utf-8`,
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
