import {
  assumptionValues,
  type billingCycles,
  type invoiceStatuses,
  openAssumptions,
  type productTypes,
  type serviceStatuses,
} from './values.gen.ts'

/** The contract's enumerations, in its order, and the interpretations of its assumptions */
export * from './values.gen.ts'

export type ProductType = (typeof productTypes)[number]
export type ServiceStatus = (typeof serviceStatuses)[number]
export type BillingCycle = (typeof billingCycles)[number]
export type InvoiceStatus = (typeof invoiceStatuses)[number]

type EnumeratedAssumptions = typeof assumptionValues
type FreeFormAssumptions = Omit<typeof openAssumptions, 'updateListInterval'> // `updateListInterval` is stored in an account's `limits`

/** Interpretations of gaps in the documentation; `x-assumptions` in openapi.yaml describes each. */
export type Assumptions = {
  -readonly [Id in keyof EnumeratedAssumptions]: EnumeratedAssumptions[Id][number]
} & {
  -readonly [Id in keyof FreeFormAssumptions]: string
}

const defaults: Readonly<Record<string, string | number>> = Object.fromEntries([
  ...Object.entries(assumptionValues).map(([id, [first]]) => [id, first]),
  ...Object.entries(openAssumptions).map(([id, { default: fallback }]) => [id, fallback]),
])

/** The ids of all assumptions */
export const assumptionIds = Object.keys(defaults)

const { updateListInterval: _interval, ...accountAssumptions } = defaults

export const defaultAssumptions = accountAssumptions as unknown as Assumptions

export const defaultUpdateListInterval = openAssumptions.updateListInterval.default

/**
 * Converts the value of an assumption to the contract's type. Both `402` and `"402"` are accepted: the command line passes
 * only strings, and quotes are easily forgotten in YAML.
 */
export function coerceInterpretation(id: string, value: unknown): unknown {
  const fallback = defaults[id]
  if (typeof fallback === 'string' && typeof value === 'number') return String(value)
  const isNumeral = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value)
  return typeof fallback === 'number' && isNumeral ? Number(value) : value
}
