import type { Assumptions, BillingCycle, InvoiceStatus, ProductType, ServiceStatus } from './World.ts'

/** The document's enumerations, in its order. A test compares them with openapi.yaml. */
export const productTypes = ['fpr', 'ppr'] as const satisfies readonly ProductType[]

export const serviceStatuses = [
  'Active',
  'Pending',
  'Suspended',
  'Terminated',
  'Cancelled',
  'Fraud',
] as const satisfies readonly ServiceStatus[]

export const billingCycles = [
  'Free',
  'Monthly',
  'Quarterly',
  'Semi-Annually',
  'Annually',
  'Biennially',
  'Triennially',
] as const satisfies readonly BillingCycle[]

export const invoiceStatuses = [
  'Unpaid',
  'Paid',
  'Cancelled',
  'Refunded',
  'Collections',
  'Payment Pending',
  'Pending',
] as const satisfies readonly InvoiceStatus[]

type Choices = { readonly [K in keyof Assumptions]: readonly [Assumptions[K], ...Assumptions[K][]] }

/** Every reading of every assumption, the default first; a test compares them with `x-assumptions`. */
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
} as const satisfies Choices

/** The default reading of each gap. */
export const defaultAssumptions = Object.fromEntries(
  Object.entries(assumptionValues).map(([id, [first]]) => [id, first]),
) as unknown as Assumptions

/** Seconds between two IP-list updates: the document names none, so an hour. */
export const defaultUpdateListInterval = 3600
