import { withFieldsInOrder } from './records.ts'
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
