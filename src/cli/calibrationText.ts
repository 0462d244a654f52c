import type { Calibration } from '../calibration/Calibration.ts'
import { numbers, readingText, skippedByReason, summaryOf } from '../calibration/reports/markdown.ts'
import { painter } from './paint.ts'
import { table } from './table.ts'

const colours = { holds: 'green', other: 'yellow', contradicts: 'red', undecided: 'dim' } as const

/** A calibration for a terminal. */
export function calibrationText(calibration: Calibration): string {
  const { assumptions, drift, behaviour, exchanges } = calibration
  const paint = painter(process.stdout)
  return [
    table([
      ['assumption', 'verdict', 'reading', 'exchanges'],
      ...assumptions.map((one) => [
        one.id,
        one.verdict.padEnd(11).replace(one.verdict, paint(colours[one.verdict], one.verdict)),
        readingText(one),
        one.verdict === 'undecided'
          ? one.needs.map(({ call, effect }) => `needs ${call} (${effect})`).join('; ')
          : numbers(one.evidence),
      ]),
    ]),
    ...section(
      'drift',
      drift.map((one) => `  ${one.operation} ${one.status}: ${one.message} (${numbers(one.exchanges)})`),
    ),
    ...section(
      'differences',
      behaviour.differences.flatMap((one) => [
        `  #${one.exchange} ${one.operation}${one.ours.case === null ? '' : ` (the simulator: ${one.ours.case}, ${one.ours.reason})`}`,
        ...one.parts.map(
          ({ path, real, ours }) =>
            `      ${path}: the real service ${short(real)}, the simulator ${short(ours)}`,
        ),
      ]),
    ),
    ...section(
      'not judged',
      skippedByReason(exchanges.skipped).map(([reason, count]) => `  ${reason}: ${count}`),
    ),
    '',
    summaryOf(calibration),
  ].join('\n')
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', name, ...lines]
}

function short(value: unknown): string {
  if (value === null) return 'has none'
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
