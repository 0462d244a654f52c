import type { AssumptionVerdict, Calibration } from '../Calibration.ts'
import { markdownRow } from '../../markdownTable.ts'
import { countBy } from '../countBy.ts'

/** A calibration as Markdown. */
export function calibrationMarkdown(found: Calibration): string {
  const { exchanges, assumptions, drift, behaviour } = found
  return [
    '# Calibration against the real service',
    '',
    summaryOf(found),
    '',
    '## Assumptions',
    '',
    row(['Assumption', 'Verdict', 'Reading', 'Default', 'Exchanges', 'What would settle it']),
    row(['---', '---', '---', '---', '---', '---']),
    ...assumptions.map((one) =>
      row([
        `\`${one.id}\``,
        `${marks[one.verdict]} ${one.verdict}`,
        readingText(one),
        String(one.default),
        numbers(one.evidence),
        one.needs.map(({ call, effect }) => `\`${call}\` (${effect})`).join('<br>'),
      ]),
    ),
    '',
    '## Drift: violations of the contract',
    '',
    ...(drift.length === 0
      ? ['None.']
      : [
          row(['Operation', 'Status', 'Violation', 'Exchanges']),
          row(['---', '---:', '---', '---']),
          ...drift.map((one) =>
            row([one.operation, String(one.status), one.message, numbers(one.exchanges)]),
          ),
        ]),
    '',
    '## Behaviour: where the real service differs',
    '',
    row(['Same', 'Differ', 'First sight', 'Undecidable', 'Fidelity']),
    row(['---:', '---:', '---:', '---:', '---:']),
    row([
      String(behaviour.same),
      String(behaviour.differ),
      String(behaviour.firstSight),
      String(behaviour.undecidable),
      behaviour.fidelity === null ? '–' : `${behaviour.fidelity} %`,
    ]),
    '',
    ...behaviour.differences.flatMap((one) => [
      `### #${one.exchange} ${one.operation}`,
      '',
      row(['Part', 'Real service', 'Simulator']),
      row(['---', '---', '---']),
      ...one.parts.map(({ path, real, ours }) => row([`\`${path}\``, code(real), code(ours)])),
      '',
      ...(one.ours.case === null
        ? []
        : [`The simulator: ${one.ours.case}${one.ours.reason ? `, ${one.ours.reason}` : ''}.`, '']),
    ]),
    ...(exchanges.skipped.length === 0
      ? []
      : [
          '## Not judged',
          '',
          ...skippedByReason(exchanges.skipped).map(([reason, count]) => `- ${reason}: ${count}`),
          '',
        ]),
  ].join('\n')
}

const marks = { holds: '✅', other: '🔁', contradicts: '❌', undecided: '❔' } as const

/** A one-line summary. */
export function summaryOf({ exchanges, assumptions, drift, behaviour }: Calibration): string {
  const count = (verdict: string): number => assumptions.filter((one) => one.verdict === verdict).length
  return [
    `${exchanges.judged} of ${exchanges.read} exchanges judged.`,
    `Assumptions: ${count('holds')} hold, ${count('other')} have another reading, ${count('contradicts')} contradicted, ${count('undecided')} undecided.`,
    `Drift: ${drift.length}.`,
    behaviour.fidelity === null ? 'No behaviour could be judged.' : `Fidelity: ${behaviour.fidelity} %.`,
  ].join(' ')
}

/** The reading, or those still possible. */
export function readingText({ reading, possible }: AssumptionVerdict): string {
  return reading === null ? (possible ? `one of ${possible.join(', ')}` : '–') : String(reading)
}

export function skippedByReason(skipped: Calibration['exchanges']['skipped']): [string, number][] {
  return countBy(skipped, ({ reason }) => reason)
}

/** `#1, #2, #3 and 12 more` */
export function numbers(all: readonly number[]): string {
  const shown = all.slice(0, 8).map((one) => `#${one}`)
  return all.length > shown.length
    ? `${shown.join(', ')} and ${all.length - shown.length} more`
    : shown.join(', ')
}

function code(value: string | number | boolean | null): string {
  if (value === null) return '–'
  const text = String(value)
  return `\`${(text.length > 200 ? `${text.slice(0, 197)}…` : text).replaceAll('`', "'")}\``
}

function row(cells: readonly string[]): string {
  return markdownRow(cells.map((cell) => cell.replaceAll('\n', '<br>')))
}
