import { type Fields, listedFacts, type Shows } from './facts.ts'

export const listInvoices: Shows = {
  success: ({ body }) => listedFacts('invoices', (body as Fields[]).map(normalizeInvoice), 'id'),
}

/** Sets unset dates of an invoice to null, however the service represents them. */
export function normalizeInvoice(fields: Fields): Fields {
  const dates = ['date_paid', 'date_refunded'].map((name) => {
    const isUnset = [undefined, null, '', '0000-00-00'].includes(fields[name] as never)
    return [name, isUnset ? null : fields[name]]
  })
  return { ...fields, ...Object.fromEntries(dates) }
}
