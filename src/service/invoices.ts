import { withFieldsInOrder } from './records.ts'
import type { Fields } from './facts.ts'
import type { Invoice, World } from '../world/World.ts'

/** The date of an invoice that isn't paid or refunded. The documentation doesn't specify it: assumption `unsetDates`. */
const unsetDate = { absent: undefined, null: null, empty: '', zero: '0000-00-00' } as const

/** An invoice in the API's form. */
export function invoiceRecord({ assumptions }: World, id: number, invoice: Invoice) {
  const record = withFieldsInOrder('invoices', invoice)
  const unset = unsetDate[assumptions.unsetDates]
  if (unset === undefined) return { id, ...record }
  const { date_refunded = unset, date_paid = unset, paymentmethod, serviceid, ...rest } = record
  return { id, ...rest, date_refunded, date_paid, paymentmethod, serviceid }
}

/** Sets unset dates of an invoice to null, however the service represents them. */
export function normalizeInvoice(fields: Fields): Fields {
  const dates = ['date_paid', 'date_refunded'].map((name) => {
    const isBroken = Object.hasOwn(fields, name) && fields[name] === undefined
    const isUnset = [undefined, null, '', '0000-00-00'].includes(fields[name] as never)
    return [name, isBroken ? undefined : isUnset ? null : fields[name]]
  })
  return { ...fields, ...Object.fromEntries(dates) }
}
