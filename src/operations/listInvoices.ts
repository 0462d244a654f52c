import { entriesById } from '../world/entriesById.ts'
import { invoiceRecord } from '../world/invoiceRecord.ts'
import type { Operation } from './Operation.ts'

export const listInvoices: Operation<'listInvoices'> = (_input, world) => ({
  body: entriesById(world.invoices).map(([id, invoice]) => invoiceRecord(id, invoice)),
})
