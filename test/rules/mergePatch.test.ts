import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffPatch, isObject, mergePatch } from '../../src/world/mergePatch.ts'

/** RFC 7386, appendix A: original, patch, result. */
const examples: [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

const key = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString')
/** Documents hold no null inside objects: a merge patch could not set one. */
const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 2 }))
const document = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).object
const patch = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.constant(null), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).object

/** RFC 7386, section 2, word by word. */
function byTheBook(target: unknown, change: unknown): unknown {
  if (!isObject(change)) return change
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(change))
    if (value === null) delete result[name]
    else result[name] = byTheBook(Object.hasOwn(result, name) ? result[name] : undefined, value)
  return result
}

describe('mergePatch', () => {
  it.each(examples)('%j patched with %j is %j', (original, change, result) => {
    expect(mergePatch(structuredClone(original), change)).toEqual(result)
  })

  it('does what RFC 7386 says, and leaves the patch alone', () => {
    fc.assert(
      fc.property(document, patch, (target, change) => {
        const kept = structuredClone(change)
        const expected = byTheBook(structuredClone(target), structuredClone(change))
        const result = mergePatch(structuredClone(target), change)
        expect(result).toEqual(expected)
        expect(change).toEqual(kept)
      }),
    )
  })

  it('pollutes no prototype', () => {
    const evil = JSON.parse('{"__proto__":{"evil":1},"constructor":{"prototype":{"evil":1}}}') as object
    mergePatch({}, evil)
    expect(({} as { evil?: unknown }).evil).toBeUndefined()
  })
})

it('diffPatch turns one document into the other, and is undefined if they are equal', () => {
  fc.assert(
    fc.property(document, document, (from, to) => {
      const difference = diffPatch(from, to)
      expect(difference === undefined ? from : mergePatch(from, difference)).toEqual(to)
      expect(diffPatch(to, structuredClone(to))).toBeUndefined()
    }),
  )
})
