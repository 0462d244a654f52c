import { invoiceRecord } from '../invoices.ts'
import type { Operation } from './Operation.ts'

export const listInvoices: Operation<'listInvoices'> = (_input, world) => ({
  body: world.invoices.map((invoice, id) => invoiceRecord(world, id, invoice)),
})
