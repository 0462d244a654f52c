/** The documentation's enumerations, in its order. A test compares them with openapi.yaml. */
export const productTypes = ['fpr', 'ppr'] as const
export type ProductType = (typeof productTypes)[number]

export const serviceStatuses = ['Active', 'Pending', 'Suspended', 'Terminated', 'Cancelled', 'Fraud'] as const
export type ServiceStatus = (typeof serviceStatuses)[number]

export const billingCycles = [
  'Free',
  'Monthly',
  'Quarterly',
  'Semi-Annually',
  'Annually',
  'Biennially',
  'Triennially',
] as const
export type BillingCycle = (typeof billingCycles)[number]

export const invoiceStatuses = [
  'Unpaid',
  'Paid',
  'Cancelled',
  'Refunded',
  'Collections',
  'Payment Pending',
  'Pending',
] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** All readings of each assumption, the default first; a test compares them with `x-assumptions`. */
export const assumptionValues = {
  productSort: ['asc', 'desc'],
  unknownSortField: ['unprocessable', 'ignore'],
  updateResult: ['requested', 'all'],
  inactiveTtlBody: ['none', 'array'],
  orderedService: ['Active', 'Pending'],
  orderedInvoice: ['Paid', 'Unpaid', 'Payment Pending', 'Pending'],
  unknownInvoice: ['empty', 'unprocessable'],
  unknownService: ['unprocessable', 'empty'],
  ipListJson: ['strings', 'objects'],
  geo: ['code', 'object'],
  stickyAuth: ['enforced', 'open'],
  hiddenProducts: ['unlisted', 'listed'],
  rebindOwn: ['allowed', 'refused'],
  emptyBind: ['absent', 'empty'],
  usageOfFpr: ['unprocessable', 'empty'],
  ipListLayout: ['full', 'addresses'],
  heldAddress: ['held', 'released'],
} as const satisfies Record<string, readonly [string, ...string[]]>

/** How to read what the documentation leaves open; `x-assumptions` in openapi.yaml describes each. */
export type Assumptions = {
  -readonly [Id in keyof typeof assumptionValues]: (typeof assumptionValues)[Id][number]
}

export const defaultAssumptions = Object.fromEntries(
  Object.entries(assumptionValues).map(([id, [first]]) => [id, first]),
) as unknown as Assumptions

/** Seconds between two IP-list updates. The documentation gives no value; we use an hour. */
export const defaultUpdateListInterval = 3600

/** Whether a fault strikes before the operation is carried out, or after. */
export const faultPhases = ['before', 'after'] as const

export type FaultPhase = (typeof faultPhases)[number]

/** How a fault ends a connection; `src/faults/effects/drop.ts` implements each. */
export const drops = ['reset', 'empty', 'truncate'] as const

export type Drop = (typeof drops)[number]
