import { counted } from '../../lib/text.ts'
import type { Line, Mark, Section, Report } from '../../report/Report.ts'
import type { CalibrationResult } from './calibrate.ts'
import type { Calibration, AssumptionVerdict } from './Calibration.ts'
import { httpStatus } from './parts.ts'
import { countBy } from '../../lib/groups.ts'

/** Renders the comparison of the simulator with recordings. */
export function calibrationReport({
  calibration,
  differingParts,
  open,
}: Pick<CalibrationResult, 'calibration' | 'differingParts' | 'open'>): Report {
  const { exchanges, assumptions, violations, behaviour } = calibration
  const skipped = [...countBy(exchanges.skipped, ({ reason }) => reason)]
  return {
    title: 'Calibration against the real service',
    summary: summarize(calibration),
    sections: [
      toSection(
        'Assumptions',
        ['Assumption', 'Verdict', 'Interpretation', 'Default', 'Exchanges', 'Calls that would settle it'],
        assumptions.map((one) => [
          one.id,
          { text: verdictTexts[one.verdict], mark: marks[one.verdict] },
          shorten(one.interpretation ?? undefined),
          String(one.default),
          listExchanges(one.evidence),
          one.needs
            .map((need) => ('call' in need ? `${need.call} (${need.effect})` : need.reason))
            .join('; '),
        ]),
      ),
      toProbeLine(open),
      toSection(
        'Contract violations',
        ['Operation', 'Status', 'Violation', 'Exchanges'],
        violations.map((one) => [
          one.operation,
          String(one.status),
          one.message,
          listExchanges(one.exchanges),
        ]),
      ),
      toSection(
        'Behavior: differences from the real service',
        ['Exchange', 'Part', 'Real service', 'Simulator', 'Reason'],
        behaviour.differences.flatMap(({ exchange, operation, ours }, i) =>
          (differingParts[i] ?? []).map((part): Line[] => [
            `#${exchange} ${operation}`,
            part.path === httpStatus ? 'status' : part.path,
            shorten(part.real),
            shorten(part.ours),
            ours.case === null ? '' : [ours.case, ours.reason].filter(Boolean).join(': '),
          ]),
        ),
      ),
      toSection(
        'Skipped',
        ['Reason', 'Exchanges'],
        skipped.map(([reason, count]) => [reason, String(count)]),
      ),
    ],
    suites: [],
    data: calibration,
  }
}

/** The line that makes the calls which settle assumptions (`examples/probe.sh`). */
function toProbeLine(open: readonly string[]): Section {
  const code = open.length > 0 ? [`sh probe.sh ${open.join(' ')}`] : []
  return { heading: 'Calls that settle what is undecided', code, language: 'sh' }
}

function toSection(heading: string, head: string[], rows: readonly Line[][]): Section {
  return { heading, head, rows }
}

const verdictTexts: Record<AssumptionVerdict, string> = {
  holds: 'holds',
  other: 'differs (another interpretation holds)',
  contradicts: 'contradicts',
  undecided: 'undecided',
}

const marks: Record<AssumptionVerdict, Mark> = {
  holds: 'good',
  other: 'note',
  contradicts: 'bad',
  undecided: 'none',
}

function summarize({ exchanges, assumptions, violations, behaviour }: Calibration): string {
  const count = (verdict: AssumptionVerdict): number =>
    assumptions.filter((one) => one.verdict === verdict).length
  const { same, differ, firstObservation, undecidable, fidelity } = behaviour
  return [
    `${exchanges.judged} of ${exchanges.read} exchanges judged.`,
    `Assumptions: ${count('holds')} hold, ${count('other')} have another interpretation, ${count('contradicts')} contradicted, ${count('undecided')} undecided.`,
    `Contract violations: ${violations.length}.`,
    fidelity === null
      ? 'No behavior could be judged.'
      : `Fidelity ${fidelity} %: ${describeFidelity(same, differ)}; ${firstObservation} showed a record for the first time${undecidable > 0 ? `, ${undecidable} could not be judged` : ''}.`,
  ].join(' ')
}

/** `all 34 comparable responses agree` */
function describeFidelity(same: number, differ: number): string {
  if (differ > 0) return `${same} of ${counted(same + differ, 'comparable response')} agree`
  return same === 1 ? 'the only comparable response agrees' : `all ${same} comparable responses agree`
}

/** `#1, #2, #3 and 12 more` */
function listExchanges(all: readonly number[]): string {
  const shown = all.slice(0, 8).map((one) => `#${one}`)
  const more = all.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function shorten(value: string | number | boolean | null | undefined): string {
  const text = value === undefined ? '–' : String(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
