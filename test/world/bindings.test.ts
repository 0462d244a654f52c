import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyChange, serviceBoundTo } from '../../src/world/bindings.ts'
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
