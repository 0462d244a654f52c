import { describe, expect, it } from 'vitest'
import { jsonChunks } from '../../../src/storage/file/jsonChunks.ts'

const record = { text: 'x'.repeat(100), list: [1, { two: null }] }
const records = Object.fromEntries(Array.from({ length: 10_000 }, (_, id) => [id + 1, record]))
const state = { version: 1, gone: undefined, accounts: { one: { services: records, faults: [] }, two: {} } }

describe('jsonChunks', () => {
  it('gives the JSON in chunks', () => {
    expect([...jsonChunks(state, 4)].join('')).toBe(JSON.stringify(state))
    expect([...jsonChunks(state, 0)]).toEqual([JSON.stringify(state)])
    expect([...jsonChunks([state], 4)]).toEqual([JSON.stringify([state])])
  })

  it('gives small chunks, however deep the records are nested', () => {
    const lengths = [...jsonChunks(state, 4)].map(({ length }) => length)
    expect(lengths.length).toBeGreaterThan(10)
    expect(Math.max(...lengths)).toBeLessThan(100_000)
  })
})
