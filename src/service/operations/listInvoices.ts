import { inOrder } from '../records.ts'
import type { Operation } from './Operation.ts'

export const listInvoices: Operation<'listInvoices'> = (_input, world) => ({
  body: world.invoices.map((invoice, id) => ({ id, ...inOrder('invoices', invoice) })),
})
