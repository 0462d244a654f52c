import type { Verdict } from './judge.ts'
import { mishaps } from '../faults/namedFaults.ts'
import type { SweepRun } from './SweepReport.ts'

/** Verdicts as a grid: a column for each operation, a row for each fault, documented cases first. */
export function gridOf(
  runs: readonly SweepRun[],
  operations: readonly string[],
  shown: (verdict: Verdict) => string,
): { head: string[]; rows: string[][] } {
  const selected = runs.filter(({ operation }) => operations.includes(operation))
  return {
    head: ['fault', ...operations],
    rows: faultsOf(selected).map((fault) => [
      fault,
      ...operations.map((operation) => {
        const run = selected.find((one) => one.operation === operation && one.fault === fault)
        return run ? shown(run.verdict) : ''
      }),
    ]),
  }
}

/** The operations of some runs, each once. */
export function operationsOf(runs: readonly SweepRun[]): string[] {
  return [...new Set(runs.map(({ operation }) => operation))]
}

/** The faults of some runs, each once, documented cases first. */
export function faultsOf(runs: readonly SweepRun[]): string[] {
  const rank = (fault: string): number => mishaps.findIndex(({ name }) => name === fault)
  return [...new Set(runs.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
}
