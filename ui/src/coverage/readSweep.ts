import type { SweepReport, SweepRun } from '../../../src/runs/SweepRun.ts'
import { verdicts } from '../../../src/runs/verdicts.ts'

/** The report that `proxysim sweep --report sweep.json` writes; undefined if a text is none. */
export function readSweep(text: string): SweepReport | undefined {
  try {
    const report = JSON.parse(text) as SweepReport | null
    return Array.isArray(report?.runs) && report.runs.every(isRun) ? report : undefined
  } catch {
    return undefined
  }
}

function isRun(run: Partial<SweepRun> | null): boolean {
  return (
    typeof run?.operation === 'string' &&
    typeof run.fault === 'string' &&
    typeof run.repeat === 'string' &&
    verdicts.some((verdict) => verdict === run.verdict) &&
    [run.findings, run.shown, run.output].every(Array.isArray)
  )
}
