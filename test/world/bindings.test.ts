import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyChange, contentOf, serviceBoundTo } from '../../src/world/bindings.ts'
import { copyWorld } from '../../src/world/sharing.ts'
import type { Service, World } from '../../src/world/World.ts'

const id = fc.constantFrom('1', '2', '3', '4')
const ip = fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4')

it('the index of bound addresses agrees with a scan of all services', () => {
  const step = fc.record({ id, ip: fc.oneof(ip, fc.constantFrom('', null, undefined)), whole: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = { services: { 1: { bindedip: '192.0.2.1' } } } as unknown as World
      for (const { id: service, ip: address, whole } of steps) {
        const holder = Object.entries(world.services).find(([, one]) => one.bindedip === address)?.[0]
        // rules refuse what is bound already, so no change takes an address from another service
        const isTaken = Boolean(address) && holder !== undefined && holder !== service
        if (isTaken) continue
        const record = { bindedip: address } as unknown as Service
        applyChange(world, { services: { [service]: whole && address === null ? null : record } })
        for (const one of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'])
          expect(serviceBoundTo(world, one)).toBe(
            Object.entries(world.services).find(([, { bindedip }]) => bindedip === one)?.[0],
          )
      }
    }),
  )
})

it('every content of a world has a number of its own, also after a change was taken back', () => {
  const world = { credit: 1, services: {} } as unknown as World
  const seen = [contentOf(world), contentOf(copyWorld(world))]
  expect(contentOf(world)).toBe(seen[0])
  for (const credit of [2, 1, 2]) {
    applyChange(world, { credit })
    seen.push(contentOf(world))
  }
  expect(new Set(seen).size).toBe(seen.length)
})
