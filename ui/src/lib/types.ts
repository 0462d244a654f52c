export type {
  AccountSummary,
  Assumption,
  ClockReading,
  CoverageReport,
  Finding,
  Health,
  JournalEntry,
  JournalPage,
  ScenarioInfo,
  Snapshot,
  WorldView,
} from '../../../src/admin/shapes.ts'
export type { Fault, Service, StickySession } from '../../../src/world/World.ts'

/** What a merge patch is made of. */
export type Patch = { [key: string]: unknown }
