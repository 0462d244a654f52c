import type { CoverageReport } from '../../../src/journal/Coverage.ts'
import type { JournalEntry } from '../../../src/journal/JournalEntry.ts'
import type { World } from '../../../src/world/World.ts'

export type { CoverageReport, JournalEntry }
export type { Fault, Invoice, Product, Service, StickySession } from '../../../src/world/World.ts'

/** A world as the control plane shows it: a scenario's account, with what its clock reads. */
export type WorldView = Omit<World, 'clock'> & { clock: ClockReading }

export interface ClockReading {
  /** ISO 8601 */
  now: string
  frozen: boolean
}

export interface ScenarioInfo {
  name: string
  description: string
}

export interface AccountInfo {
  login: string
  /** USD */
  credit: number
  clients: number
  products: number
  services: number
  invoices: number
  sessions: number
  faults: number
  clock: ClockReading
}

export interface Finding {
  finding: string
  account: string | null
  operation: string | null
  message: string
  /** Entries of the journal, the oldest first */
  requests: { id: number; time: string; method: string; path: string; status: number | null }[]
}

/** A gap of the document, as `x-assumptions` describes it. */
export interface Assumption {
  id: string
  gap: string
  operations: string[]
  document: string
  default: string | number
  alternatives: (string | number)[]
  meaning: Record<string, string>
}

export interface Snapshot {
  id: string
  /** ISO 8601, real time */
  time: string
  scenario: string
}

/** What a merge patch is made of. */
export type Patch = { [key: string]: unknown }
