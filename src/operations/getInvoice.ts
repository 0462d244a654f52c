import { refuse } from '../world/Refusal.ts'
import type { Operation } from './Operation.ts'
import type { Invoice } from '../world/World.ts'

export const getInvoice: Operation<'getInvoice'> = (input, world) => {
  // A malformed id is treated like an unknown one: assumption `unknownInvoice`.
  const isEmpty = world.assumptions.unknownInvoice === 'empty'
  if (isEmpty && input.invalidPath !== undefined) return { body: [] }
  const { id } = input.path()
  const invoice = world.invoices.get(id)
  if (invoice) return { body: [invoiceRecord(Number(id), invoice)] }
  if (isEmpty) return { body: [] }
  return refuse('unprocessable', `there is no invoice ${id}`)
}

/** An invoice as the API returns it, with its fields in the documented order. */
export function invoiceRecord(id: number, invoice: Invoice): Invoice & { id: number } {
  const { description, status, created_at, amount, date_refunded, date_paid, paymentmethod, serviceid } =
    invoice
  return {
    id,
    description,
    status,
    created_at,
    amount,
    ...(date_refunded !== undefined && { date_refunded }),
    ...(date_paid !== undefined && { date_paid }),
    paymentmethod,
    serviceid,
  }
}
