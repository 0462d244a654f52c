import { describe, expect, it } from 'vitest'
import { jsonChunks, stateChunks } from '../../../src/jsonChunks.ts'
import { applyChange } from '../../../src/world/bindings.ts'
import { copyWorld } from '../../../src/world/sharing.ts'
import type { World } from '../../../src/world/World.ts'

const record = { text: 'x'.repeat(100), list: [1, { two: null }] }
const records = Object.fromEntries(Array.from({ length: 10_000 }, (_, id) => [id + 1, record]))
const state = { version: 1, gone: undefined, accounts: { one: { services: records, faults: [] }, two: {} } }

describe('jsonChunks', () => {
  it('gives the JSON in chunks', () => {
    expect([...jsonChunks(state, 4)].join('')).toBe(JSON.stringify(state))
    expect([...jsonChunks(state, 0)]).toEqual([JSON.stringify(state)])
    expect([...jsonChunks([state], 0)]).toEqual([JSON.stringify([state])])
  })

  it('gives small chunks of a list, whose items may be made on demand', () => {
    for (const list of [Object.values(records), [], [null, [1, '2']]])
      for (const items of [list, list.values()]) {
        const chunks = [...jsonChunks({ total: 1, list: items, dropped: 0 }, 2)]
        expect(chunks.join('')).toBe(JSON.stringify({ total: 1, list, dropped: 0 }))
        expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(140_000)
      }
  })

  it('gives small chunks, however deep the records are nested', () => {
    const lengths = [...jsonChunks(state, 4)].map(({ length }) => length)
    expect(lengths.length).toBeGreaterThan(10)
    expect(Math.max(...lengths)).toBeLessThan(100_000)
  })

  it('gives small chunks of a scenario and of accounts alike', () => {
    const accounts = { one: { services: records, credit: 3 }, two: { services: {} } }
    const whole = { scenario: { name: 'x', document: { description: 'x', accounts } }, accounts }
    for (const one of [whole, { accounts: { one: null } }, {}, { scenario: null, accounts: null }]) {
      const chunks = [...stateChunks(one)]
      expect(chunks.join('')).toBe(JSON.stringify(one))
      expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(140_000)
    }
  })

  it('gives what a world has after a part that it shared was changed', () => {
    const world = { credit: 1, services: { 1: record }, clients: { 2: { email: 'a' } } } as unknown as World
    const copy = copyWorld(world)
    for (let round = 0; round < 3; round++) {
      expect([...jsonChunks(world, 2)].join('')).toBe(JSON.stringify(world))
      expect([...jsonChunks(copy, 2)].join('')).toBe(JSON.stringify(copy))
      applyChange(round === 1 ? world : copy, { services: { [5 + round]: { status: 'Active' } } })
    }
    expect(JSON.stringify(copy)).not.toBe(JSON.stringify(world))
  })
})
