import type { Invoice } from './World.ts'

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
