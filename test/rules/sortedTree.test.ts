import { array, assert, boolean, integer, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedTree } from '../../src/world/SortedTree.ts'
import { Table } from '../../src/world/Table.ts'

const changes = array(tuple(integer({ min: 0, max: 120 }), boolean()), {
  maxLength: 600,
  size: 'max',
})

describe('SortedTree', () => {
  it('holds what a sorted Map holds, after any changes, and older trees stay as they were', () => {
    assert(
      property(integer({ min: 0, max: 100 }), changes, (first, steps) => {
        const known = new Map(Array.from({ length: first }, (_, i) => [i, -1]))
        let tree = SortedTree.of([...known])
        const versions = [expectedOf(tree, known)]
        for (const [i, [key, isRemoved]] of steps.entries()) {
          if (isRemoved) known.delete(key)
          else known.set(key, i)
          tree = isRemoved ? tree.delete(key) : tree.set(key, i)
          expect([tree.size, tree.get(key)]).toEqual([known.size, known.get(key)])
          if (i % 50 === 0) versions.push(expectedOf(tree, known))
        }
        versions.push(expectedOf(tree, known))
        for (const { version, entries } of versions) {
          expect([...version.entries()]).toEqual(entries)
          expect([version.first?.[0], version.lastKey]).toEqual([entries[0]?.[0], entries.at(-1)?.[0]])
          for (const [key, value] of entries) expect(version.get(key)).toBe(value)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('keeps texts in order', () => {
    const texts = Array.from({ length: 200 }, (_, i) => `10.0.${i * 7}.${i % 13}`)
    const tree = texts.reduce((all, text) => all.set(text, text.length), SortedTree.of<string, number>([]))
    expect([...tree.entries()].map(([text]) => text)).toEqual(texts.toSorted())
  })
})

function expectedOf(version: SortedTree<number, number>, known: Map<number, number>) {
  return { version, entries: [...known].toSorted(([a], [b]) => a - b) }
}

it('a table has its records in order of its index, and those of the same text by id', () => {
  const table = Table.of({ 1: { at: 'b' }, 2: { at: 'a' }, 3: { at: 'a' } }, ({ at }) => at)
  expect(table.first).toEqual({ text: 'a', id: 2 })
  const later = table.with([[1, { at: 'a' }]])
  expect([later.first, later.idsOf('a'), later.idsOf('b')]).toEqual([{ text: 'a', id: 1 }, [1, 2, 3], []])
  expect(Table.of({}).first).toBeUndefined()
})
