import { Coverage, type CoverageReport } from '../journal/Coverage.ts'
import { findings, type Finding } from '../journal/findings.ts'
import { Journal } from '../journal/Journal.ts'
import type { JournalEntry } from '../journal/JournalEntry.ts'
import type { Simulation } from '../Simulation.ts'

/** Sees everything that a command asks, over all the resets and loads that it makes. */
export class Observer {
  readonly #simulation: Simulation
  readonly #coverage: Coverage
  readonly #journal: Journal

  constructor(simulation: Simulation, journal: number) {
    this.#simulation = simulation
    this.#coverage = new Coverage(simulation.contract)
    this.#journal = new Journal(journal)
    simulation.store.on((event) => {
      if (event.type !== 'request') return
      const { operation, status, case: name } = event.record
      this.#journal.add(event.record)
      if (operation !== null && status !== null)
        this.#coverage.count(event.record.account, operation, status, name)
    })
  }

  /** How many requests there were, those that fell out of the journal included */
  get requests(): number {
    return this.#journal.total
  }

  get coverage(): CoverageReport {
    return this.#coverage.report(Object.values(this.#simulation.store.state.accounts))
  }

  /** Whether an operation was asked, whatever it answered */
  isAsked(operation: string): boolean {
    return this.#coverage.isAsked(operation)
  }

  get findings(): Finding[] {
    return findings(this.#journal.records)
  }

  /** The oldest first */
  get entries(): JournalEntry[] {
    return this.#journal.records.map(({ entry }) => entry)
  }
}
