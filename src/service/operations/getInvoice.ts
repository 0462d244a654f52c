import { invoiceRecord } from '../invoices.ts'
import { refuse } from '../../world/Refusal.ts'
import type { Operation } from './Operation.ts'

export const getInvoice: Operation<'getInvoice'> = (input, world) => {
  // A malformed id is treated like an unknown one: assumption `unknownInvoice`.
  const isEmpty = world.assumptions.unknownInvoice === 'empty'
  if (isEmpty && input.invalidPath !== undefined) return { body: [] }
  const { id } = input.path()
  const invoice = world.invoices.get(id)
  if (invoice) return { body: [invoiceRecord(world, Number(id), invoice)] }
  return isEmpty ? { body: [] } : refuse('unprocessable', `there is no invoice ${id}`)
}
