import {
  assumptionValues,
  type billingCycles,
  type invoiceStatuses,
  type productTypes,
  type serviceStatuses,
} from './values.gen.ts'

/** The contract's enumerations, in its order, and the interpretations of its assumptions */
export * from './values.gen.ts'

export type ProductType = (typeof productTypes)[number]
export type ServiceStatus = (typeof serviceStatuses)[number]
export type BillingCycle = (typeof billingCycles)[number]
export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** How to read what the documentation leaves open; `x-assumptions` in openapi.yaml describes each. */
export type Assumptions = {
  -readonly [Id in keyof typeof assumptionValues]: (typeof assumptionValues)[Id][number]
}

export const defaultAssumptions = Object.fromEntries(
  Object.entries(assumptionValues).map(([id, [first]]) => [id, first]),
) as unknown as Assumptions

/** Whether a fault strikes before the operation is carried out, or after. */
export const faultPhases = ['before', 'after'] as const

export type FaultPhase = (typeof faultPhases)[number]

/** How a fault ends a connection; `src/faults/effects/drop.ts` implements each. */
export const drops = ['reset', 'empty', 'truncate'] as const

export type Drop = (typeof drops)[number]
