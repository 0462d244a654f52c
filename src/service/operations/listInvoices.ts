import { invoiceRecord } from '../invoices.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'listInvoices'> = (_input, world) => ({
  body: world.invoices.map((invoice, id) => invoiceRecord(world, id, invoice)),
})

export const listInvoices: Operation<'listInvoices'> = {
  run,
  dependsOnTime: false,
}
