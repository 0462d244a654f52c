import type { Invoice } from './World.ts'

/** An invoice as the API shows it. */
export function invoiceRecord(id: string, invoice: Invoice): Invoice & { id: number } {
  return { id: Number(id), ...invoice }
}
