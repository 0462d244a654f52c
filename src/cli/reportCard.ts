import type { CoverageReport, Finding } from '../admin/shapes.ts'
import type { Calibration } from '../calibration/Calibration.ts'
import { isBad } from '../sweep/judge.ts'
import { meanings, tally } from '../sweep/describeRun.ts'
import type { SweepReport } from '../sweep/SweepReport.ts'
import type { MatrixReport } from './matrixReports.ts'
import { nameOf } from './readings.ts'
import { counted } from '../counted.ts'
import { isObject } from '../world/mergePatch.ts'

type ExecReport = CoverageReport & { requests: number; findings: Finding[] }

export type CardSource = { file: string } & (
  | { kind: 'exec'; report: ExecReport }
  | { kind: 'matrix'; report: MatrixReport }
  | { kind: 'sweep'; report: SweepReport }
  | { kind: 'calibrate'; report: Calibration }
)

/** Recognizes a report by its fields; undefined if it isn't one of ours. */
export function readReport(file: string, value: unknown): CardSource | undefined {
  if (!isObject(value)) return undefined
  const has = (...names: string[]): boolean => names.every((name) => Object.hasOwn(value, name))
  const lists = (...names: string[]): boolean =>
    names.every((name) => {
      const list = value[name]
      return Array.isArray(list) && list.every(isObject)
    })
  if (has('verdicts', 'baseline') && lists('runs'))
    return { file, kind: 'sweep', report: value as unknown as SweepReport }
  if (has('survives') && lists('readings'))
    return { file, kind: 'matrix', report: value as unknown as MatrixReport }
  if (lists('assumptions', 'drift') && isObject(value['behaviour']))
    return { file, kind: 'calibrate', report: value as unknown as Calibration }
  if (has('covered', 'total', 'operations') && lists('findings'))
    return { file, kind: 'exec', report: value as unknown as ExecReport }
  return undefined
}

/** A part of the page, in any output format. */
export type CardPart =
  | { heading: string }
  | { head: string[]; rows: string[][] }
  | { list: string[] }
  | { code: string }

/** The combined page: a summary table, then what needs attention. */
export function reportCard(sources: readonly CardSource[]): CardPart[] {
  return [
    { heading: 'Report card' },
    { head: ['', 'Result', 'From'], rows: sources.map((source) => [...line(source), source.file]) },
    ...sources.flatMap(details),
  ]
}

function line(source: CardSource): [string, string] {
  switch (source.kind) {
    case 'exec': {
      const { percent, covered, total, requests } = source.report
      return [
        'Coverage',
        `${percent} %, ${covered} of ${total} answers of the contract, ${counted(requests, 'request')}`,
      ]
    }
    case 'matrix': {
      const { readings } = source.report
      const survived = readings.filter(({ verdict }) => verdict === 'survives').length
      const unasked = readings.filter(({ verdict }) => verdict === 'not asked').length
      return [
        'Readings',
        `${survived} of ${readings.length} survived${unasked ? `, ${unasked} not asked` : ''}`,
      ]
    }
    case 'sweep': {
      const { runs } = source.report
      const struck = runs.filter(({ verdict }) => verdict !== 'not struck')
      const survived = struck.filter(({ verdict }) => !isBad(verdict))
      return [
        'Faults',
        `${survived.length} of ${struck.length} survived or noticed (${tally(source.report)})`,
      ]
    }
    case 'calibrate': {
      const { fidelity, same, differ } = source.report.behaviour
      return [
        'Fidelity',
        fidelity === null
          ? 'nothing to judge'
          : `${fidelity} %, ${same} of ${same + differ} exchanges the same`,
      ]
    }
  }
}

function details(source: CardSource): CardPart[] {
  switch (source.kind) {
    case 'exec':
      return part(
        'Findings',
        source.report.findings.map(
          ({ finding, severity, operation, message }) =>
            `${finding} (${severity})${operation === null ? '' : ` ${operation}`}: ${message}`,
        ),
      )
    case 'matrix':
      return part(
        'Readings that the client does not survive',
        source.report.readings
          .filter(({ verdict }) => verdict === 'fails')
          .map((run) => (run.meaning === null ? nameOf(run) : `${nameOf(run)}: ${run.meaning}`)),
      )
    case 'sweep': {
      const bad = source.report.runs.filter(({ verdict }) => isBad(verdict))
      if (bad.length === 0) return []
      return [
        { heading: 'Faults that the client does not survive' },
        {
          list: bad.map(({ operation, fault, verdict, findings }) => {
            const names = findings.map(({ finding }) => finding).join(', ')
            return `${operation} × ${fault}: ${verdict}${names ? ` (${names})` : ''}. ${meanings[verdict]}`
          }),
        },
        { code: bad.map(({ repeat }) => repeat).join('\n') },
      ]
    }
    case 'calibrate': {
      const { assumptions, drift } = source.report
      return part('What the real service does differently', [
        ...assumptions
          .filter(({ verdict }) => verdict === 'other' || verdict === 'contradicts')
          .map(({ id, verdict, reading, default: usual }) =>
            verdict === 'other'
              ? `${id}: ${String(reading)} and not ${String(usual)}`
              : `${id}: no reading agrees with the recording`,
          ),
        ...drift.map(({ operation, status, message }) => `${operation ?? ''} ${status ?? ''}: ${message}`),
      ])
    }
  }
}

function part(heading: string, lines: string[]): CardPart[] {
  return lines.length ? [{ heading }, { list: lines }] : []
}
