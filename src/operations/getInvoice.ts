import { invoiceRecord } from '../world/invoiceRecord.ts'
import { own } from '../world/own.ts'
import { refuse } from '../world/Refusal.ts'
import type { Operation } from './Operation.ts'

export const getInvoice: Operation<'getInvoice'> = (input, world) => {
  const { id } = input.path()
  const invoice = own(world.invoices, id)
  if (invoice) return { body: [invoiceRecord(id, invoice)] }
  if (world.assumptions.unknownInvoice === 'empty') return { body: [] }
  return refuse('unprocessable', `there is no invoice ${id}`)
}
