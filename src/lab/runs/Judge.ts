import type { Contract } from '../../contract/Contract.ts'
import {
  type Finding,
  findingRules,
  getNoun,
  type JournalRecord,
  kinds,
  orderLookups,
  withoutExplained,
} from '../simulator.ts'
import { cellName, type Cell } from './Cell.ts'
import { renderEffects } from './ClientChanges.ts'
import {
  addsMore,
  compareFacts,
  findUsual,
  hasMoreRecords,
  variesInNumber,
  type Differences,
  type EndFacts,
  type Usual,
} from './endState.ts'
import { explain, wrongCalls, type Basis } from './explain.ts'
import { newFindings } from './newFindings.ts'
import { excerpt } from './Output.ts'
import { isAboutOrders } from './problems.ts'
import type { OverlapTrial } from './overlap.ts'
import type { Observations } from './runAgainstSimulator.ts'
import { hasFailed, type Trial, type TrialRun } from './runCell.ts'
import type { CommandResult } from './runCommand.ts'
import { getArrival, showCalls } from './shown.ts'
import type { EndState, SweepRun } from './sweepReport.ts'
import { isRed, judge, type Evidence } from './verdict.ts'

/** A cell that has run, or whose fault couldn't trigger. */
export interface EndedCell {
  cell: Cell
  /** Its runs; after the first one, perhaps those of another cell that left the same state */
  trial: Trial
}

/** The runs of the overlap stage. */
export interface EndedOverlap {
  name: string
  trial: OverlapTrial
  inTurn: OverlapTrial[]
}

/** Gathers the evidence of each verdict of a sweep, by comparing runs with those without faults. `verdict.ts` has the rules. */
export class Judge {
  readonly #contract: Contract
  readonly #repeat: (cell: string) => string
  /** The runs without faults */
  readonly baselines: Trial[] = []
  /** The results of these runs, and what varies between them */
  usual!: { facts: Usual; findings: Finding[] }

  /** @param repeat returns the command that repeats a cell */
  constructor(contract: Contract, repeat: (cell: string) => string) {
    this.#contract = contract
    this.#repeat = repeat
  }

  addBaseline(trial: Trial): void {
    this.baselines.push(trial)
    const facts = this.baselines.map((one) => one.first.facts) as [EndFacts, ...EndFacts[]]
    const findings: Finding[] = []
    for (const { first } of this.baselines)
      findings.push(...newFindings(first.own.findings.collect(true), findings))
    this.usual = { facts: findUsual(facts), findings }
  }

  /** Judges the runs of a cell. The last one decides; a bad habit of any run counts. */
  cell({ cell, trial }: EndedCell): SweepRun {
    const { first, more, all, calls } = trial
    const last = more.at(-1) ?? first
    const isRerun = more.length > 0
    const orders = this.#findUnusual(all, last).filter(({ finding }) => isAboutOrders(finding))
    const habits = [first, ...more].flatMap((run) =>
      this.#findUnusual(run.own, run).filter(({ finding }) => !isAboutOrders(finding)),
    )
    const findings = [...orders, ...habits]
    const differences = compareFacts(last.facts, this.usual.facts)
    const failed = hasFailed(last)
    const differs = !isSame(differences)
    const lost = orders.filter(({ finding }) => findingRules[finding].leavesOrphans)
    const { operation, call, fault, second, stage } = cell
    const evidence: Evidence = {
      isTried: calls.some(({ injected }) => injected === (second ? 1 : 0)),
      isOrderedTwice:
        orders.some(({ finding }) => findingRules[finding].addsRecords) ||
        (isRerun && hasMoreRecords(last.facts, this.usual.facts)),
      // A rerun that fails or has another result shows more than that no run looked for the order.
      isOrderLost:
        lost.length > 0 &&
        (isRerun ? !failed && !differs : !(stage === 'recovery' && failed && hasLooked(trial, lost))),
      hasFailed: failed,
      differs,
      isStuck: last.timedOut || (isRerun && failed),
      hasBadHabit: habits.some(({ severity }) => severity !== 'low'),
    }
    const then = second ? { ...second, fault: second.fault.name } : null
    return {
      ...this.#createRun(
        cellName(cell),
        { stage, operation, call, fault: fault.name, ...withSecond(then) },
        {
          verdict: judge(evidence),
          findings,
          differences,
          calls,
          last,
          run: more.length + 1,
          filesLeft: (more.at(-2) ?? first).fileNames,
        },
        [first, ...more],
      ),
      endState: hasFailed(first) ? null : this.#compare(first.facts),
      left: hasFailed(first) ? renderEffects(first.facts.effects) : [],
      orphans: listOrphans(all, lost),
      rerun: isRerun
        ? { exitCode: last.exitCode, durationMs: last.durationMs, endState: this.#compare(last.facts) }
        : null,
    }
  }

  /** Judges two runs at the same time. */
  overlap({ name, trial, inTurn }: EndedOverlap): SweepRun {
    const { ended, calls, facts, hasWritten } = trial
    const usual = findUsual(inTurn.map((one) => one.facts) as [EndFacts, ...EndFacts[]])
    const { runs } = usual
    const differences = compareFacts({ ...facts, files: runs[0].files }, usual)
    const last = (ended.find(hasFailed) ?? ended[0]) as CommandResult
    const verdict = judge({
      isTried: hasWritten,
      isOrderedTwice: !hasFailed(last) && hasMoreRecords(facts, usual),
      isOrderLost: false,
      hasFailed: hasFailed(last),
      differs: !isSame(differences),
      isStuck: ended.some(({ timedOut }) => timedOut),
      hasBadHabit: false,
    })
    const write = calls.find(({ operation }) => this.#contract.operation(operation)?.changesState)
    return {
      ...this.#createRun(
        name,
        { stage: 'overlap', operation: write?.operation ?? '', call: 1, fault: name, ...withSecond(null) },
        { verdict, findings: [], differences, calls, last, run: 1 },
        ended,
      ),
      durationMs: Math.max(...ended.map(({ durationMs }) => durationMs)),
      endState: hasFailed(last) ? null : renderDifferences(differences),
      left: hasFailed(last) ? renderEffects(facts.effects) : [],
    }
  }

  /** @param runs all runs of the command */
  #createRun(
    cell: string,
    place: Pick<SweepRun, 'stage' | 'operation' | 'call' | 'fault' | 'then'>,
    basis: Basis,
    runs: readonly CommandResult[],
  ): SweepRun {
    const { verdict, findings, calls } = basis
    const [first] = runs as [CommandResult]
    const isTogether = place.stage === 'overlap'
    const printed = isTogether ? runs.map((one) => one.printed).join('') : (runs.at(-1)?.printed ?? '')
    return {
      cell,
      ...place,
      verdict,
      accepted: null,
      exitCode: isTogether ? basis.last.exitCode : first.exitCode,
      durationMs: first.durationMs,
      findings: [...findings],
      endState: null,
      left: [],
      orphans: [],
      rerun: null,
      ...explain(basis),
      shown: isRed(verdict) ? showCalls(calls, { runs, isTogether, wrong: wrongCalls(basis) }) : [],
      output: isRed(verdict) ? excerpt(printed) : [],
      repeat: this.#repeat(cell),
    }
  }

  #compare(facts: EndFacts): EndState {
    return renderDifferences(compareFacts(facts, this.usual.facts))
  }

  /**
   * The findings that the runs without faults don't have. A repeated order only counts if too many records were added: two orders
   * of a client may differ, and a lost one may be looked up later. In a run that failed, of early calls only repetitions of the
   * same request count.
   */
  #findUnusual({ findings, journal }: Observations, ended: TrialRun): Finding[] {
    const { facts, findings: known } = this.usual
    const addedTooMany = addsMore(ended.facts, facts)
    const found = newFindings(findings.collect(addedTooMany), known)
    const mayRepeat = addedTooMany || (!hasFailed(ended) && variesInNumber(facts))
    const records = new Map(journal.records.map((record) => [record.id, record]))
    const counting = found.filter(({ finding, requests }) => {
      const { addsRecords, isEarlyCall } = findingRules[finding]
      if (isEarlyCall && hasFailed(ended)) return hasRepetition(requests.map(({ id }) => records.get(id)))
      return !addsRecords || mayRepeat
    })
    return withoutExplained(counting)
  }
}

/** Sets the field `then` of the JSON. */
function withSecond(then: SweepRun['then']): Pick<SweepRun, 'then'> {
  // oxlint-disable-next-line unicorn/no-thenable -- a value, not a function, so that nothing awaits it
  return { then }
}

function renderDifferences({ missing, added }: Differences): EndState {
  return { missing: renderEffects(missing), added: renderEffects(added) }
}

function isSame({ missing, added }: Differences): boolean {
  return missing.length + added.length === 0
}

/** Whether a request among these was sent again. */
function hasRepetition(records: readonly (JournalRecord | undefined)[]): boolean {
  const texts = records.map((record) => [record?.method, record?.path, record?.requestBody].join(' '))
  return new Set(texts).size < texts.length
}

/** Whether a client looked for its orders after it lost them, even if that failed. */
function hasLooked({ calls }: Trial, lost: readonly Finding[]): boolean {
  const ids = new Set(lost.flatMap(({ requests }) => requests.map(({ id }) => id)))
  const ends = calls.flatMap(({ record }) => (record && ids.has(record.id) ? [record.at] : []))
  return calls.some(
    ({ operation, record }) =>
      orderLookups.includes(operation) && (!record || getArrival(record) >= Math.max(...ends)),
  )
}

/** The records that the client doesn't know about, and the requests that created them. */
function listOrphans({ journal }: Observations, lost: readonly Finding[]): SweepRun['orphans'] {
  const requests = lost.flatMap((one) => one.requests.map(({ id }) => id))
  return journal.records
    .filter(({ id }) => requests.includes(id))
    .flatMap(({ id: request, change = {} }) => {
      const [record] = kinds.flatMap((kind) =>
        Object.keys(change[kind] ?? {}).map((id) => `${getNoun(kind)} ${id}`),
      )
      return record === undefined ? [] : [{ record, request }]
    })
}
