import { expect, test } from 'vitest'
import type { Client, Service } from '../../src/world/World.ts'
import { newRecord } from '../../ui/src/world/newRecord.ts'

/** More than a call takes arguments, here and in browsers */
const count = 600_000

function many<T>(record: Partial<T>): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [i + 1, record as T]))
}

test('a record is added to 600,000 others', () => {
  const world = {
    clients: many<Client>({}),
    products: { 101: {} },
    services: many<Service>({}),
    invoices: {},
    next: { service: count + 1, invoice: 9001, order: 1, fault: 1 },
  } as unknown as Parameters<typeof newRecord>[1]
  expect(newRecord('clients', world).id).toBe('600001')
  expect(newRecord('products', world).id).toBe('102')
  expect(newRecord('services', world)).toMatchObject({ id: '600001', record: { client: 1, product: 101 } })
  expect(newRecord('invoices', world).id).toBe('9001')
})
