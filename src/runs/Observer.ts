import type { CoverageReport, Finding, JournalEntry } from '../admin/shapes.ts'
import { Findings } from '../findings/findings.ts'
import { Coverage } from '../journal/Coverage.ts'
import { Journal } from '../journal/Journal.ts'
import { localState, type Simulation } from '../Simulation.ts'

/** Observes all requests of a command, across the resets and loads that it makes. */
export class Observer {
  readonly #simulation: Simulation
  readonly #coverage: Coverage
  readonly #journal: Journal
  /** As the journal may have dropped what they are derived from */
  readonly #findings: Findings
  readonly #asked = new Set<string>()
  readonly #called = new Set<string>()

  constructor(simulation: Simulation, journal: number) {
    this.#simulation = simulation
    this.#coverage = new Coverage(simulation.contract)
    this.#journal = new Journal(journal)
    this.#findings = new Findings(simulation.contract)
    simulation.store.on((event) => {
      if (event.type !== 'request') return
      const { operation, account } = event.record.raw
      this.#journal.add(event.record)
      this.#findings.add(event.record)
      this.#coverage.count(event.record.raw)
      if (operation === null) return
      this.#asked.add(operation)
      if (account !== null) this.#called.add(operation)
    })
  }

  /** Total requests, including those the journal has dropped */
  get requests(): number {
    return this.#journal.total
  }

  /** Operations called with credentials, in the order of their first calls */
  get called(): string[] {
    return [...this.#called]
  }

  get coverage(): CoverageReport {
    return this.#coverage.report([...localState(this.#simulation).accounts.values()])
  }

  /** Whether an operation was called, whatever the response, and even if there was none */
  isAsked(operation: string): boolean {
    return this.#asked.has(operation)
  }

  get findings(): Finding[] {
    return this.#findings.list
  }

  /** Oldest first */
  get entries(): JournalEntry[] {
    return this.#journal.records.map(({ entry }) => entry)
  }

  /** The latest requests that were refused or dropped, newest last */
  refusals(most: number): JournalEntry[] {
    const refused = this.#journal.records.filter(({ raw: { status } }) => status === null || status >= 400)
    return refused.slice(-most).map(({ entry }) => entry)
  }
}
