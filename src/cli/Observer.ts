import type { CoverageReport, Finding, FindingName, JournalEntry } from '../admin/shapes.ts'
import { Coverage } from '../journal/Coverage.ts'
import { findingRules, findings } from '../journal/findings.ts'
import { Journal, type JournalRecord } from '../journal/Journal.ts'
import { localState, type Simulation } from '../Simulation.ts'

/** How many requests findings are derived from at most */
const mostEvidence = 10_000

/** How many tell as much as all of them, if a client that does it anywhere does it everywhere */
const mostEverywhere = 100

/** Observes all requests of a command, across the resets and loads that it makes. */
export class Observer {
  readonly #simulation: Simulation
  readonly #coverage: Coverage
  readonly #journal: Journal
  /** What findings are derived from, as the journal may have dropped it */
  readonly #evidence = new Journal(mostEvidence)
  /** Requests with evidence so far, by the rule */
  readonly #noted: Partial<Record<FindingName, number>> = {}
  readonly #asked = new Set<string>()
  readonly #called = new Set<string>()

  constructor(simulation: Simulation, journal: number) {
    this.#simulation = simulation
    this.#coverage = new Coverage(simulation.contract)
    this.#journal = new Journal(journal)
    simulation.store.on((event) => {
      if (event.type !== 'request') return
      const { operation, account } = event.record.raw
      this.#journal.add(event.record)
      this.#keepEvidence(event.record)
      this.#coverage.count(event.record.raw)
      if (operation === null) return
      this.#asked.add(operation)
      if (account !== null) this.#called.add(operation)
    })
  }

  #keepEvidence(record: JournalRecord): void {
    let isNeeded = false
    for (const name of Object.keys(record.raw.evidence ?? {}) as FindingName[]) {
      const count = (this.#noted[name] ?? 0) + 1
      this.#noted[name] = count
      isNeeded ||= count <= mostEverywhere || !findingRules[name].isEverywhere
    }
    if (isNeeded) this.#evidence.add(record)
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
    return findings(this.#evidence.records)
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
