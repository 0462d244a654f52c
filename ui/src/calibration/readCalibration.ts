import type { Calibration } from '../../../src/calibration/Calibration.ts'

/** The report that `proxysim calibrate --report calibration.json` writes; undefined if a text is none. */
export function readCalibration(text: string): Calibration | undefined {
  try {
    const report = JSON.parse(text) as Partial<Calibration> | null
    return isCalibration(report) ? report : undefined
  } catch {
    return undefined
  }
}

function isCalibration(report: Partial<Calibration> | null): report is Calibration {
  return (
    Array.isArray(report?.exchanges?.skipped) &&
    Array.isArray(report.assumptions) &&
    report.assumptions.every(
      ({ id, evidence, needs }) => id && Array.isArray(evidence) && Array.isArray(needs),
    ) &&
    Array.isArray(report.drift) &&
    report.drift.every(({ exchanges }) => Array.isArray(exchanges)) &&
    Array.isArray(report.behaviour?.differences) &&
    report.behaviour.differences.every(({ real, ours, parts }) => real && ours && Array.isArray(parts))
  )
}
