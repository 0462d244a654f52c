import { type Fields, recordFacts, type Shows } from './facts.ts'
import { normalizeInvoice } from './listInvoices.ts'

export const getInvoice: Shows = {
  reads: 'invoices',
  success({ id, body }) {
    const [invoice = {}] = body as Fields[]
    const { id: _, ...fields } = normalizeInvoice(invoice)
    return { shownFacts: recordFacts('invoices', id, fields) }
  },
}
