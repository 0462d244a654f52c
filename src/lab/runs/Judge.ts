import type { Contract } from '../../contract/Contract.ts'
import {
  countNewRecords,
  type Finding,
  findingRules,
  getNoun,
  type JournalRecord,
  kinds,
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
import { newFindings } from './newFindings.ts'
import { excerpt } from './Output.ts'
import { describeRun, type Outcome } from './outcome.ts'
import type { OverlapTrial } from './overlap.ts'
import { isBad } from './report.ts'
import type { Observations } from './runAgainstSimulator.ts'
import { hasFailed, type Trial, type TrialRun } from './runCell.ts'
import type { CommandResult } from './runCommand.ts'
import type { EndState, SweepRun } from './sweepReport.ts'
import { isOrphaning, judge, judgeOverlap, judgeRerun, type Verdict } from './verdict.ts'

/** A cell that has run, or whose fault couldn't trigger. */
export interface EndedCell {
  cell: Cell
  /** Its runs; after the first one, perhaps those of another cell that left the same state */
  trial: Trial
  /** Identifies the state that the first run left, if it may be followed by a second one */
  state: string | undefined
}

/** The runs of the overlap stage. */
export interface EndedOverlap {
  name: string
  trial: OverlapTrial
  inTurn: OverlapTrial[]
}

/** The parts of a run that the command that repeats it depends on. */
export type RepeatedRun = Pick<SweepRun, 'stage' | 'operation' | 'fault' | 'then'>

/** Gathers what each verdict of a sweep rests on, by comparing runs with those without faults. `verdict.ts` has the rules. */
export class Judge {
  readonly #contract: Contract
  readonly #repeat: (run: RepeatedRun) => string
  /** The runs without faults */
  readonly baselines: Trial[] = []
  /** The results of these runs, and what varies between them */
  usual!: { facts: Usual; findings: Finding[] }

  /** @param repeat returns the command that repeats a run */
  constructor(contract: Contract, repeat: (run: RepeatedRun) => string) {
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

  /** Judges the runs of a cell. */
  cell({ cell, trial }: EndedCell): SweepRun {
    const { first, more, all, calls } = trial
    const last = more.at(-1)
    const own = this.#findUnusual(first.own, first)
    const unseen = (last ? this.#findUnusual(all, last) : own).filter(isOrphaning)
    const later = more.flatMap((one) =>
      this.#findUnusual(one.own, one).filter((finding) => !isOrphaning(finding)),
    )
    const findings = [...own, ...later]
    const endState = hasFailed(first) ? null : this.#compare(first.facts)
    const { operation, call, fault, second } = cell
    const verdict = judge({
      ...first,
      stage: cell.stage,
      isTriggered: calls.some(({ injected }) => injected === (second ? 1 : 0)),
      findings,
      differs: endState !== null && !hasNoDifference(endState),
      rerun: last && this.#judgeRerun(last),
    })
    const { facts: usual } = this.usual
    const { facts } = last ?? first
    const additions = {
      got: countNewRecords(facts.effects),
      expected: countNewRecords(usual.facts.effects),
    }
    const differences = compareFacts(facts, usual)
    const outcome = {
      verdict,
      findings,
      unseen,
      calls,
      first,
      last,
      differences,
      additions,
    }
    return {
      ...this.#createRun(
        cellName(cell),
        {
          stage: cell.stage,
          operation,
          call,
          fault: fault.name,
          ...withSecond(second ? { ...second, fault: second.fault.name } : null),
        },
        outcome,
        [first, ...more],
      ),
      findings,
      endState,
      left: endState ? [] : renderEffects(first.facts.effects),
      orphans: listOrphans(first.own, findings),
      rerun: last
        ? { exitCode: last.exitCode, durationMs: last.durationMs, endState: this.#compare(last.facts) }
        : null,
    }
  }

  /** Judges two runs at the same time. */
  overlap({ name, trial, inTurn }: EndedOverlap): SweepRun {
    const { ended, calls, facts, hasWritten } = trial
    const usual = findUsual(inTurn.map((one) => one.facts) as [EndFacts, ...EndFacts[]])
    const differences = compareFacts({ ...facts, files: usual.facts.files }, usual)
    const endState = renderDifferences(differences)
    const verdict = judgeOverlap(ended, { hasWritten, differs: !hasNoDifference(endState) })
    const first = (ended.find(hasFailed) ?? ended[0]) as CommandResult
    const write = calls.find(({ operation }) => this.#contract.operation(operation)?.changesState)
    const operation = write?.operation ?? ''
    return {
      ...this.#createRun(
        name,
        { stage: 'overlap', operation, call: 1, fault: name, ...withSecond(null) },
        { verdict, findings: [], unseen: [], calls, first, differences },
        ended,
      ),
      durationMs: Math.max(...ended.map(({ durationMs }) => durationMs)),
      endState: hasFailed(first) ? null : endState,
      left: hasFailed(first) ? renderEffects(facts.effects) : [],
    }
  }

  /** @param ended all runs of the command */
  #createRun(
    cell: string,
    place: Pick<SweepRun, 'stage' | 'operation' | 'call' | 'fault' | 'then'>,
    outcome: Outcome,
    ended: readonly CommandResult[],
  ): SweepRun {
    const { verdict, first } = outcome
    const isTogether = place.stage === 'overlap'
    // A last run that failed again says why; otherwise the first one shows how the failure was taken.
    const explaining = isTogether ? ended : ended.slice(verdict === 'stuck' ? -1 : 0).slice(0, 1)
    const printed = explaining.map((one) => one.printed).join('')
    return {
      cell,
      ...place,
      verdict,
      accepted: null,
      exitCode: first.exitCode,
      durationMs: first.durationMs,
      findings: [],
      endState: null,
      left: [],
      orphans: [],
      rerun: null,
      ...describeRun(outcome, ended, isTogether),
      output: isBad({ verdict }) ? excerpt(printed) : [],
      repeat: this.#repeat(place),
      repro: null,
    }
  }

  #judgeRerun(last: TrialRun): Verdict {
    return judgeRerun({
      ...last,
      differs: !hasNoDifference(this.#compare(last.facts)),
      addsMore: hasMoreRecords(last.facts, this.usual.facts),
    })
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

function hasNoDifference({ missing, added }: EndState): boolean {
  return missing.length + added.length === 0
}

/** Whether a request among these was sent again. */
function hasRepetition(records: readonly (JournalRecord | undefined)[]): boolean {
  const texts = records.map((record) => [record?.method, record?.path, record?.requestBody].join(' '))
  return new Set(texts).size < texts.length
}

/** The records that the client doesn't know about, and the requests that created them. */
function listOrphans({ journal }: Observations, found: readonly Finding[]): SweepRun['orphans'] {
  const requests = found.filter(isOrphaning).flatMap((one) => one.requests.map(({ id }) => id))
  return journal.records
    .filter(({ id }) => requests.includes(id))
    .flatMap(({ id: request, change = {} }) => {
      const [record] = kinds.flatMap((kind) =>
        Object.keys(change[kind] ?? {}).map((id) => `${getNoun(kind)} ${id}`),
      )
      return record === undefined ? [] : [{ record, request }]
    })
}
