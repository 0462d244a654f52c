import type { ClockReading } from '../../../src/world/time.ts'
import type { Fault, Happened, TimelineEntry, WorldData } from '../../../src/world/World.ts'

export type { Fault, Invoice, Service, Sticky } from '../../../src/world/World.ts'

type Kept =
  | 'seed'
  | 'password'
  | 'credit'
  | 'clients'
  | 'products'
  | 'services'
  | 'invoices'
  | 'limits'
  | 'next'

/** An account as `GET /__admin/scenario` has it. The model keeps its own in the same form. */
export interface Account extends Pick<WorldData, Kept> {
  tokens: string[]
  assumptions: Record<string, string>
  faults: Fault[]
  clock: ClockReading
  timeline: Entry[]
  history: Happened[]
}

export type Entry = TimelineEntry & { id: number }

export type Patch = Record<string, unknown>

/** Stands for what no rule fixes (names, addresses, texts that are generated): the model takes it from the server. */
export const generated = '(generated)' as never

/** The expected value with what is generated filled in from the actual one. */
export function filled<T>(expected: T, actual: unknown): T {
  if ((expected as unknown) === generated) return actual as T
  if (Array.isArray(expected))
    return expected.map((item, i) => filled(item, (actual as unknown[] | undefined)?.[i])) as T
  if (typeof expected !== 'object' || expected === null) return expected
  const given = (actual ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(expected)
      .map(([key, value]) => [key, filled(value, given[key])])
      .filter(([, value]) => value !== undefined),
  ) as T
}
