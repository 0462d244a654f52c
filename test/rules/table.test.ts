import { array, assert, boolean, integer, property, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { Table } from '../../src/world/Table.ts'

const changes = array(tuple(integer({ min: 0, max: 120 }), boolean()), { maxLength: 600, size: 'max' })

it('a table equals a sorted Map after any changes, and older tables stay unchanged', () => {
  assert(
    property(integer({ min: 0, max: 100 }), changes, (first, steps) => {
      const known = new Map(Array.from({ length: first }, (_, i) => [i, { text: 'start' }]))
      let table = Table.of<{ text: string }>(Object.fromEntries(known), ({ text }) => text)
      const versions = [getExpected(table, known)]
      for (const [i, [id, isRemoved]] of steps.entries()) {
        const record = isRemoved ? undefined : { text: `t${i % 7}` }
        if (record) known.set(id, record)
        else known.delete(id)
        table = table.with([[id, record]])
        expect([table.size, table.get(id), table.has(String(id))]).toEqual([known.size, record, !isRemoved])
        if (i % 50 === 0) versions.push(getExpected(table, known))
      }
      versions.push(getExpected(table, known))
      // All changes at once, which rebuilds the table if they are many.
      const last = new Map(steps.map(([id]) => [id, known.get(id)]))
      versions.push(getExpected((versions[0] as (typeof versions)[0]).version.with([...last]), known))
      for (const { version, entries } of versions) {
        expect([...version.entries()]).toEqual(entries)
        expect(version.lastId).toBe(entries.at(-1)?.[0])
        const keys = entries.map(([id, { text }]) => ({ key: text, id }))
        expect(version.firstInIndex).toEqual(keys.toSorted((a, b) => (a.key < b.key ? -1 : 1))[0])
        const same = keys.filter(({ key }) => key === 't3').map(({ id }) => id)
        expect(version.findIds('t3')).toEqual(same)
      }
    }),
    { numRuns: 60 },
  )
})

it('a table has no records for ids that are not numbers', () => {
  expect(Table.of({ 1: {} }).has('one')).toBe(false)
})

function getExpected(version: Table<{ text: string }>, known: Map<number, { text: string }>) {
  return { version, entries: [...known].toSorted(([a], [b]) => a - b) }
}
