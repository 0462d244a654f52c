import type { CoverageReport, Finding, JournalEntry } from '../admin/shapes.ts'
import { Findings } from '../findings/findings.ts'
import { Coverage } from '../journal/Coverage.ts'
import { Journal } from '../journal/Journal.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { entryOf } from '../journal/redaction/redactRecord.ts'
import { localState, type Simulation } from '../Simulation.ts'
import { Effects, type Effect } from './Effects.ts'

/** Observes all requests of a command, across the resets and loads that it makes. */
export class Observer {
  readonly #simulation: Simulation
  readonly #coverage: Coverage
  readonly #journal: Journal
  /** As the journal may have dropped what they are derived from */
  readonly #findings: Findings
  readonly #effects: Effects
  readonly #asked = new Set<string>()
  readonly #called = new Set<string>()

  /** @param journal number of requests to keep */
  constructor(simulation: Simulation, journal: number) {
    this.#simulation = simulation
    this.#coverage = new Coverage(simulation.contract)
    this.#journal = new Journal(journal)
    this.#findings = new Findings(simulation.contract)
    this.#effects = new Effects(simulation.contract)
    simulation.store.on((event) => {
      if (event.type === 'request') this.#add(event.record)
    })
  }

  #add(record: JournalRecord): void {
    const { operation, account } = record
    this.#journal.add(record)
    this.#findings.add(record)
    this.#coverage.count(record)
    this.#effects.add(record)
    if (operation !== null) this.#asked.add(operation)
    if (operation !== null && account !== null) this.#called.add(operation)
  }

  /** Total requests, including those the journal has dropped */
  get requests(): number {
    return this.#journal.total
  }

  /** Operations called with accepted credentials, in the order of their first calls */
  get called(): string[] {
    return [...this.#called]
  }

  /** Whether an operation was called, whatever the response, and even if there was none */
  isAsked(operation: string): boolean {
    return this.#asked.has(operation)
  }

  get coverage(): CoverageReport {
    return this.#coverage.report([...localState(this.#simulation).accounts.values()])
  }

  get findings(): Finding[] {
    return this.#findings.list
  }

  get effects(): Effect[] {
    return this.#effects.list
  }

  /** Oldest first */
  get records(): JournalRecord[] {
    return this.#journal.records
  }

  get entries(): JournalEntry[] {
    return this.records.map(entryOf)
  }
}
