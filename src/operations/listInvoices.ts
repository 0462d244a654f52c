import { mapById } from '../world/mapById.ts'
import { invoiceRecord } from '../world/invoiceRecord.ts'
import type { Operation } from './Operation.ts'

export const listInvoices: Operation<'listInvoices'> = (_input, world) => ({
  body: mapById(world.invoices, (invoice, id) => invoiceRecord(id, invoice)),
})
