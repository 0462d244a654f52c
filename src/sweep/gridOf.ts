import type { Verdict } from './judge.ts'
import { mishaps } from './namedFaults.ts'
import type { SweepRun } from './SweepReport.ts'

/** Verdicts as a grid: a column for each operation, a row for each fault, documented cases first. */
export function gridOf(
  runs: readonly SweepRun[],
  operations: readonly string[],
  shown: (verdict: Verdict) => string,
): { head: string[]; rows: string[][] } {
  const rank = (fault: string): number => mishaps.findIndex(({ name }) => name === fault)
  const of = runs.filter(({ operation }) => operations.includes(operation))
  const faults = [...new Set(of.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
  return {
    head: ['fault', ...operations],
    rows: faults.map((fault) => [
      fault,
      ...operations.map((operation) => {
        const run = of.find((one) => one.operation === operation && one.fault === fault)
        return run ? shown(run.verdict) : ''
      }),
    ]),
  }
}

/** The operations of some runs, each once. */
export function operationsOf(runs: readonly SweepRun[]): string[] {
  return [...new Set(runs.map(({ operation }) => operation))]
}
