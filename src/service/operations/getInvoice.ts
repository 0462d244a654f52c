import { invoiceRecord } from '../invoices.ts'
import { refuseWith, type Refuse } from '../refuse.ts'
import type { Operation, Run } from './Operation.ts'

const refuse: Refuse<'getInvoice'> = refuseWith

const run: Run<'getInvoice'> = (input, world) => {
  // A malformed id is treated like an unknown one: assumption `unknownInvoice`.
  const returnsEmpty = world.assumptions.unknownInvoice === 'empty'
  if (returnsEmpty && input.pathViolation !== undefined) return { body: [] }
  const { id } = input.requirePath()
  const invoice = world.invoices.get(id)
  if (invoice) return { body: [invoiceRecord(world, Number(id), invoice)] }
  return returnsEmpty ? { body: [] } : refuse('unprocessable', `there is no invoice ${id}`)
}

export const getInvoice: Operation<'getInvoice'> = {
  run,
  dependsOnTime: false,
}
