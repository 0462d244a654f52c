import { listedFacts, type Fields } from '../facts.ts'
import { invoiceRecord, normalizeInvoice } from '../invoices.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'listInvoices'> = (_input, world) => ({
  body: world.invoices.map((invoice, id) => invoiceRecord(world, id, invoice)),
})

export const listInvoices: Operation<'listInvoices'> = {
  run,
  dependsOnTime: false,
  shows: ({ body }) => listedFacts('invoices', (body as Fields[]).map(normalizeInvoice), 'id'),
}
