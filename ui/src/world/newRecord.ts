import type { Patch, WorldView } from '../lib/types.ts'
import type { RecordKind } from './fields.ts'

/** A record with what it cannot do without; the simulator fills in the rest. */
export function newRecord(kind: RecordKind, world: WorldView): { id: string; record: Patch } {
  const { clients, products, services, next } = world
  const free = (records: object, from = 1) =>
    String(Math.max(from, 1 + Math.max(0, ...Object.keys(records).map(Number))))
  const first = (records: object) => Number(Object.keys(records)[0] ?? 1)
  switch (kind) {
    case 'clients':
      return { id: free(clients), record: {} }
    case 'products':
      return {
        id: free(products),
        record: { productName: 'New product', price: 10, product_type: 'fpr' },
      }
    case 'services':
      return {
        id: free(services, next.service),
        record: { client: first(clients), product: first(products) },
      }
    case 'invoices':
      return {
        id: free(world.invoices, next.invoice),
        record: { serviceid: first(services), status: 'Unpaid' },
      }
  }
}
