import { holds } from '../../contract/Condition.ts'
import type { Contract, ContractOperation } from '../../contract/Contract.ts'
import { crash, genericFaults, presetsFor, type FaultPreset, type World } from '../simulator.ts'
import { UserError } from '../../lib/UserError.ts'
import { countBy, groupBy, uniqueBy } from '../../lib/groups.ts'
import { unknownName } from '../../lib/nearest.ts'
import { cellName, type Aim, type Call, type Cell } from './Cell.ts'
import { comparedText, findVarying } from './requests.ts'

/*
 * The plan of a sweep: which faults are tried on which calls, as pure functions of the calls of earlier runs.
 */

export interface SweepSelection {
  /** Operations; empty for all */
  only: readonly string[]
  /** Names of faults; empty for the usual ones */
  faults: readonly string[]
  /** Names of cells; empty for all */
  cells: readonly string[]
  /** Whether a second run follows a failed one. Faults that kill the client are then included, if supported. */
  rerun: boolean
  /** Whether all faults are tried where otherwise a few stand for them */
  thorough: boolean
}

/** The inputs of a plan. */
export interface PlanSource {
  selection: SweepSelection
  contract: Contract
  /** The account at the start */
  world: World
  /** The calls of the first run without faults, in the order of their arrival */
  baseline: readonly Call[]
}

/** A run that has ended, as later stages need it. */
export interface EndedRun {
  cell: Cell
  calls: readonly Call[]
}

/** A state that a failed run left, with the calls of the second run. */
export interface LeftState {
  cell: Cell
  rerunCalls: readonly Call[]
}

/** Maximum number of states whose second run gets a fault, unless the sweep is thorough */
const maxStates = 10

/** Names of faults, by whether an operation changes state */
interface FaultNames {
  write: readonly string[]
  read: readonly string[]
}

/** The faults that stand for all others after the first stage. Documented refusals never differed in verdict from one another. */
const representatives = {
  later: { write: ['503', 'lost'], read: ['503', 'stale'] },
  recovery: { write: ['lost'], read: ['503', 'stale'] },
  rerun: { write: ['lost'], read: ['503'] },
} as const

/** Faults from whose verdicts those of others never differed: the usual plan leaves them to `unauthenticated`, `reset` and `503`. */
export const rareFaults: readonly string[] = [
  'invalid-authorization-header',
  'invalid-credentials-format',
  'empty',
  'bad-gateway',
]

/** The faults that last to the end of a run */
const lastingFaults = ['503', 'too-many-requests']

/** Killing the client requires process groups. */
const canCrash = process.platform !== 'win32'

/** Checks the names before any run. @throws UserError */
export function checkSelection({ only, faults }: SweepSelection, { operations }: Contract): void {
  const named = [...operations.flatMap(({ cases }) => cases), ...genericFaults, crash]
  for (const [kind, names, known] of [
    ['operation', only, operations.map(({ operationId }) => operationId)],
    ['fault', faults, named.map(({ name }) => name)],
  ] as const) {
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined) throw new UserError(unknownName(kind, unknown, [...new Set(known)]))
  }
  if (!canCrash && faults.includes(crash.name))
    throw new UserError('The fault "crash" is not supported on Windows, which has no process groups.', {
      advice: 'Remove it from --faults.',
    })
}

/**
 * Plans the first stage: the called operations in the order of their first calls, each with every fault that applies to it.
 * @throws UserError if there are none
 */
export function planFirst(source: PlanSource): Cell[] {
  const called = calledOperations(source.baseline)
  const { only, faults } = source.selection
  if (called.length === 0)
    throw new UserError('No request of the command had valid credentials.', {
      advice: 'Make it use PROXYSIM_LOGIN and PROXYSIM_PASSWORD.',
    })
  const operations = called.filter((id) => only.length === 0 || only.includes(id))
  if (operations.length === 0)
    throw new UserError(`The command doesn't call ${only.join(', ')}.`, {
      advice: `Choose from: ${called.join(', ')}.`,
    })
  const cells = operations.flatMap((operation) =>
    listFaults(source, operation).map((fault): Cell => ({ stage: 'first', operation, call: 1, fault })),
  )
  if (source.selection.cells.length > 0) return cells.filter((cell) => isSelected(cell, source.selection))
  if (cells.length === 0)
    throw new UserError(
      `None of the called operations (${operations.join(', ')}) supports ${faults.join(', ')}.`,
      { advice: 'Choose other faults.' },
    )
  return cells
}

/**
 * Plans the faults on the second and the last call of each operation. A thorough plan adds a few faults on each call between them.
 */
export function planLater(source: PlanSource): Cell[] {
  const { selection, baseline } = source
  const { thorough } = selection
  return calledOperations(baseline).flatMap((operation): Cell[] => {
    const calls = baseline.filter((one) => one.operation === operation)
    const few = listFaults(source, operation, representatives.later)
    const faults = thorough ? listFaults(source, operation) : few
    const between = thorough ? few : []
    // The first stale response belongs to the first stage.
    const stale = calls.filter(({ hasEarlierState }) => hasEarlierState).slice(1)
    return [
      ...calls
        .slice(1)
        .flatMap((call) =>
          ([2, calls.length].includes(call.number) ? faults : between)
            .filter(({ onlyReads }) => !onlyReads)
            .map((fault) => ({ call, fault })),
        ),
      ...stale
        .slice(thorough ? 0 : -1)
        .flatMap((call) => faults.filter(({ onlyReads }) => onlyReads).map((fault) => ({ call, fault }))),
    ]
      .map(({ call, fault }): Cell => ({ stage: 'later', operation, call: call.number, fault }))
      .filter((cell) => isSelected(cell, selection))
  })
}

/**
 * Plans the faults that last to the end of a run. If the run with the fault on one call didn't call the operation again, both
 * are the same run.
 */
export function planLasting({ selection, baseline }: PlanSource, ended: readonly EndedRun[]): Cell[] {
  return calledOperations(baseline).flatMap((operation) =>
    [1, 2].flatMap((call) =>
      lastingFaults.flatMap((name): Cell[] => {
        const cell: Cell = { stage: 'lasting', operation, call, fault: preset(name), isLasting: true }
        const onOneCall = ended.filter(
          (one) => !one.cell.second && one.cell.operation === operation && one.cell.call === call,
        )
        // The second call may only be tried with a 503, which stands for the 429.
        const same =
          onOneCall.find((one) => one.cell.fault.name === name) ??
          onOneCall.find((one) => one.cell.fault.name === '503')
        const calls = same?.calls ?? baseline
        const isRepeated = calls.some((one) => one.operation === operation && one.number > call)
        return isRepeated && isSelected(cell, selection) ? [cell] : []
      }),
    ),
  )
}

/**
 * Plans second faults on recovery calls, which a run makes more often than the runs without faults. Any of several equal calls may
 * be the additional one, so an operation's first and last one after the fault are tried, once for faults that were carried out and
 * once for the others. A thorough plan tells more kinds of first faults apart, and adds the first and last call of each operation.
 * @param baselines the calls of each run without faults. What varies between them is put aside
 */
export function planRecovery(
  source: PlanSource,
  ended: readonly EndedRun[],
  baselines: readonly (readonly Call[])[],
): Cell[] {
  const { selection } = source
  const { thorough, cells } = selection
  const additionalIn = findAdditional(baselines)
  const targets = ended.flatMap(({ cell, calls }) => {
    const isAdditional = additionalIn(calls)
    const after = callsAfterFault(cell, calls)
    const kind = cells.length > 0 ? [cellName(cell)] : kindOf(cell, thorough)
    return groupBy(after, ({ call }) => [call.operation]).flatMap((own) => {
      const { operation } = own[0].call
      const additional = own.filter(({ call }) => isAdditional(call))
      const all = listFaults(source, operation)
      const few = (names: FaultNames): FaultPreset[] => listFaults(source, operation, names)
      const tried = thorough
        ? [
            { among: additional, faults: all },
            { among: cell.call === 1 ? own : [], faults: few(representatives.later) },
          ]
        : [{ among: additional, faults: few(representatives.recovery) }]
      return tried
        .map((one, i) => ({ ...one, cell, group: [cell.operation, ...kind, operation, i] }))
        .filter(({ among }) => among.length > 0)
    })
  })
  const planned = uniqueBy(targets, ({ group }) => group).flatMap(({ cell, among, faults }) =>
    [among[0], among.at(-1)].flatMap((one) =>
      faults.flatMap((fault): Cell[] => {
        if (!one || !isPossible(fault, one.call)) return []
        const second = { operation: one.call.operation, call: one.number, fault, run: 1 } as const
        return [{ ...cell, stage: 'recovery', second }]
      }),
    ),
  )
  return uniqueBy(planned, (cell) => [cellName(cell)]).filter((cell) => isSelected(cell, selection))
}

/** The calls of a run after its fault, numbered by operation. */
function callsAfterFault(cell: Cell, calls: readonly Call[]): { call: Call; number: number }[] {
  const trigger = calls.findIndex(({ injected }) => injected === 0)
  if (cell.second || trigger < 0) return []
  const after = calls.slice(trigger + 1).filter(({ run }) => run === 1)
  return groupBy(after, ({ operation }) => [operation]).flatMap((own) =>
    own.map((call, i) => ({ call, number: i + 1 })).filter(({ call }) => call.injected === undefined),
  )
}

/** Returns a function that finds the calls which a run makes more often than each run without faults. */
function findAdditional(
  baselines: readonly (readonly Call[])[],
): (calls: readonly Call[]) => (call: Call) => boolean {
  const varying = findVarying(baselines)
  const keyOf = (call: Call): string => callKey(call, varying)
  const usual = baselines.map((one) => countBy(one, keyOf))
  return (calls) => {
    const own = countBy(
      calls.filter(({ run }) => run === 1),
      keyOf,
    )
    const timesIn = (counts: ReadonlyMap<string, number>, call: Call): number => counts.get(keyOf(call)) ?? 0
    return (call) => usual.every((counts) => timesIn(own, call) > timesIn(counts, call))
  }
}

/** Plans a fault in the second run, on the first call of each operation, for each state that a failed run left. */
export function planRerun(source: PlanSource, states: readonly LeftState[]): Cell[] {
  const { selection } = source
  const { thorough } = selection
  const few = thorough ? undefined : representatives.rerun
  return states.slice(0, thorough ? undefined : maxStates).flatMap(({ cell, rerunCalls }) =>
    calledOperations(rerunCalls)
      .flatMap((operation) => {
        const call = rerunCalls.find((one) => one.operation === operation) as Call
        return listFaults(source, operation, few)
          .filter((fault) => isPossible(fault, call))
          .map((fault): Cell => ({ ...cell, stage: 'rerun', second: { operation, call: 1, fault, run: 2 } }))
      })
      .filter((one) => isSelected(one, selection)),
  )
}

/** The operations of calls, in the order of their first calls. */
export function calledOperations(calls: readonly Call[]): string[] {
  return [...new Set(calls.map(({ operation }) => operation))]
}

/** Whether a cell is selected, or a selected one rests on it. */
function isSelected(cell: Cell, { only, faults, cells }: SweepSelection): boolean {
  if (cells.length > 0) return cells.some((name) => restsOn(name).includes(cellName(cell)))
  return [cell, cell.second].every(
    (aim: Aim | undefined) =>
      !aim ||
      ((only.length === 0 || only.includes(aim.operation)) &&
        (faults.length === 0 || faults.includes(aim.fault.name))),
  )
}

/** The names of a cell and of those that it rests on: `getService 503 lasting` rests on `getService 503`. */
function restsOn(name: string): string[] {
  const first = name.replace(/, (?:then|rerun with) .*/, '')
  const single = first.replace(/ lasting$/, '')
  return [name, first, single, ...(single === first ? [] : [single.replace(/ \S+$/, ' 503')])]
}

/** The faults of an operation. @param few names of those to try; by default all that apply, and opt-in ones only if selected */
function listFaults(
  { selection, contract, world }: PlanSource,
  operation: string,
  few?: FaultNames,
): FaultPreset[] {
  const { faults, cells, rerun, thorough } = selection
  const described = withReachableCases(contract.operation(operation) as ContractOperation, world)
  return [...presetsFor(described), crash].filter(({ name, optIn, killsClient }) => {
    if (cells.length > 0) return true
    if (few) return few[described.changesState ? 'write' : 'read'].includes(name)
    if (faults.length > 0) return faults.includes(name)
    if (optIn) return rerun && killsClient === true && canCrash
    return thorough || !rareFaults.includes(name)
  })
}

/** A stale response needs an earlier state. */
function isPossible({ onlyReads }: FaultPreset, { hasEarlierState }: Call): boolean {
  return !onlyReads || hasEarlierState
}

/** First faults of the same kind stand for each other in a recovery. */
function kindOf({ call, fault: { fault, onlyReads } }: Cell, thorough: boolean): unknown[] {
  const { phase, respond } = fault
  return thorough ? [phase, typeof respond, onlyReads, call > 1] : [phase]
}

/** Equal for equal requests after the same changes. */
function callKey(call: Call, varying: ReadonlySet<string>): string {
  const changes = call.changes.map((one) => comparedText(one, varying))
  // Calls that are under way at the same time may change the account in any order.
  return JSON.stringify([comparedText(call, varying), changes.toSorted()])
}

function preset(name: string): FaultPreset {
  return genericFaults.find((one) => one.name === name) as FaultPreset
}

/** The operation with only those cases that can occur under a world's interpretations. */
function withReachableCases(operation: ContractOperation, world: World): ContractOperation {
  const cases = operation.cases.filter(({ unreachableWhen }) => !holds(unreachableWhen, world))
  return { ...operation, cases }
}
