import type { Patch, WorldView } from '../lib/types.ts'
import type { RecordKind } from './fields.ts'

/** A record with what it cannot do without; the simulator fills in the rest. */
export function newRecord(kind: RecordKind, world: WorldView): { id: string; record: Patch } {
  const { clients, products, services, next } = world
  const free = (records: object) =>
    String(1 + Object.keys(records).reduce((most, id) => Math.max(most, Number(id)), 0))
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
        id: String(next.service),
        record: { client: first(clients), product: first(products) },
      }
    case 'invoices':
      return {
        id: String(next.invoice),
        record: { serviceid: first(services), status: 'Unpaid' },
      }
  }
}
