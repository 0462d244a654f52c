import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { effects } from '../../src/faults/effects/effects.ts'
import { mishaps, namedFaults } from '../../src/faults/namedFaults.ts'
import { selectFault } from '../../src/faults/selectFault.ts'
import { faultWords } from '../../src/faults/strike.ts'
import { drops, faultPhases } from '../../src/world/values.ts'
import type { World } from '../../src/world/World.ts'
import { adminOf, small } from '../support/admin.ts'
import { start } from '../support/start.ts'

test('admin.openapi.yaml has the effects, phases and drops of the program', async () => {
  const contract = await adminContract()
  const { schemas } = contract.document['components'] as {
    schemas: Record<string, { properties: Record<string, { enum?: string[] }> }>
  }
  for (const name of ['Fault', 'ArmedFault']) {
    const properties = schemas[name]?.properties ?? {}
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(effects)))
    expect(properties['phase']?.enum).toEqual(faultPhases)
    expect(properties['drop']?.enum).toEqual(drops)
  }
})

describe('named faults', async () => {
  const { operations } = await loadContract()

  test('are the documented cases of the operation, and the general ones', () => {
    const order = operations.filter(({ operationId }) => operationId === 'orderService')
    expect(order.flatMap(namedFaults).map(({ name }) => name)).toEqual([
      ...order.flatMap(({ cases }) => cases.map(({ name }) => name)),
      ...mishaps.map(({ name }) => name),
    ])
    const documented = order.flatMap(namedFaults).filter(({ fault }) => typeof fault.respond === 'string')
    for (const one of documented) expect(one).toMatchObject({ changesState: false, onlyWhenNamed: false })
    expect(mishaps.filter((one) => one.changesState).map(({ name }) => name)).toEqual(['lost'])
    expect(mishaps.filter((one) => one.onlyWhenNamed).map(({ name }) => name)).toEqual(['slow'])
  })

  test('include lost only for operations that change state', () => {
    const losing = operations.filter((one) => namedFaults(one).some(({ name }) => name === 'lost'))
    expect(losing).toEqual(operations.filter(({ changesState }) => changesState))
    expect(losing.map(({ operationId }) => operationId)).toContain('resetStickySessions')
  })

  test('can be armed for each of their operations', async () => {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    for (const one of operations) {
      const faults = namedFaults(one).map(({ fault }) => ({ operation: one.operationId, ...fault }))
      const { status, text } = await admin('PATCH', '/accounts/reseller', { faults })
      expect(status, `${one.operationId}: ${text}`).toBe(200)
    }
  })

  test('describe what they do', () => {
    expect(mishaps.map(({ name, words }) => [name, words])).toEqual([
      ['503', 'responds with 503'],
      ['bad-gateway', 'responds with 502'],
      ['too-many-requests', 'responds with 429'],
      ['not-json', 'responds with 200'],
      ['reset', 'resets the connection'],
      ['empty', 'closes the connection without a response'],
      ['truncate', 'closes the connection halfway through the response'],
      ['lost', 'resets the connection, after the operation was carried out'],
      ['slow', 'waits 5000 ms'],
    ])
  })
})

test.each<[words: string, fault: Parameters<typeof faultWords>[0]]>([
  ['waits 5 ms, then responds with unprocessable', { respond: 'unprocessable', delay: 5 }],
  ['waits 0 ms, then resets the connection', { drop: 'reset', delay: 0, phase: 'before' }],
  ['responds with 418, after the operation was carried out', { respond: { status: 418 }, phase: 'after' }],
  [
    'responds with 204, then closes the connection without a response',
    { respond: { status: 204 }, drop: 'empty' },
  ],
])('says what it does: %s', (words, fault) => {
  expect(faultWords(fault)).toBe(words)
})

test.each<[isStruck: boolean, wanted: unknown, sent: unknown]>([
  [true, { a: 1 }, { a: 1, b: 2 }],
  [false, { a: 1 }, { a: '1' }],
  [false, { a: 1 }, { b: 1 }],
  [false, { a: 1, b: 2 }, { a: 1 }],
  [true, {}, { a: 1 }],
  [true, { a: null }, { a: null }],
  [false, { a: null }, {}],
  [false, { a: { b: 1 } }, { a: null }],
  [false, { a: { b: 1 } }, { a: 1 }],
  [true, { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
  [true, { a: [1, { b: 2 }] }, { a: [1, { b: 2, c: 3 }] }],
  [false, { a: [1, 2] }, { a: [2, 1] }],
  [false, { a: [1] }, { a: [1, 2] }],
  [false, { a: [] }, { a: {} }],
  [false, { a: [1] }, { a: { 0: 1, length: 1 } }],
  [false, { toString: 'x' }, {}],
  [false, { a: 1 }, undefined],
  [false, {}, 'text'],
])(
  'whether it is struck is %s if it matches a body with %j and one with %j comes',
  (isStruck, wanted, sent) => {
    const fault = {
      id: 1,
      operation: 'updateService',
      phase: 'before',
      match: { body: wanted },
      seen: 0,
      used: 0,
    }
    const world = { faults: [fault], seed: 1 } as unknown as World
    const selected = selectFault(world, { operation: 'updateService', path: {}, body: sent })
    expect(selected.fault?.id).toBe(isStruck ? 1 : undefined)
    expect(selected.faults).toEqual(isStruck ? [{ ...fault, seen: 1, used: 1 }] : undefined)
  },
)

test('are all listed on the page about sweep', () => {
  const page = readFileSync('docs/sweep.md', 'utf8')
  expect(mishaps.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([])
})
