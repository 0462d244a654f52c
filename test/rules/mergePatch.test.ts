import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffPatch, isObject, mergePatch } from '../../src/world/mergePatch.ts'

const key = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString')
/** Documents contain no null inside objects, because a merge patch can't set one. */
const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 2 }))
const document = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).object
/** Any JSON: RFC 7386 accepts objects and any other value */
const anything = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constant(null), leaf, { weight: 4, arbitrary: tie('object') }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).value

/** The algorithm in RFC 7386, section 2, word by word. */
function byTheBook(target: unknown, change: unknown): unknown {
  if (!isObject(change)) return change
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(change))
    if (value === null) delete result[name]
    else result[name] = byTheBook(Object.hasOwn(result, name) ? result[name] : undefined, value)
  return result
}

describe('mergePatch', () => {
  it('follows RFC 7386, and does not change its arguments', () => {
    fc.assert(
      fc.property(anything, anything, (target, change) => {
        const given = structuredClone([target, change])
        expect(mergePatch(target, change)).toEqual(byTheBook(target, change))
        expect([target, change]).toEqual(given)
      }),
      { numRuns: 1000 },
    )
  })

  it('pollutes no prototype', () => {
    const evil = JSON.parse('{"__proto__":{"evil":1},"constructor":{"prototype":{"evil":1}}}') as object
    for (const target of [{}, undefined])
      expect(Object.getPrototypeOf(mergePatch(target, evil))).toBe(Object.prototype)
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
