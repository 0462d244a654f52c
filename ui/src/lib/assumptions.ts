import type { Assumption } from './types.ts'

/** Whether an assumption of the account differs from its default. */
export function isChanged({ value, default: defaultValue }: Assumption): boolean {
  return value !== undefined && value !== defaultValue
}
