import { isObject, parseJson } from '../lib/json.ts'

/** What a report of the command line says, to be shown. */
export interface Report {
  title: string
  summary: string
  tables: { title: string; head: string[]; rows: Row[] }[]
}

interface Row {
  cells: (string | number)[]
  /** What to look at first */
  isBad: boolean
  /** Shown when asked for */
  more: string
  /** The command that repeats it */
  command?: string
}

interface Sweep {
  runs: {
    operation: string
    fault: string
    verdict: string
    repeat: string
    findings?: { finding: string; message: string }[]
    endState?: { missing: string[]; added: string[] } | null
    output?: string[]
  }[]
}

interface Calibration {
  exchanges: { read: number; judged: number; skipped: unknown[] }
  assumptions: {
    id: string
    verdict: string
    reading: string | number | null
    default: string | number
    evidence: number[]
    needs: { call: string; effect: string }[]
  }[]
  drift: { operation: string; status: number; message: string; exchanges: number[] }[]
  behaviour: {
    same: number
    differ: number
    firstSight: number
    undecidable: number
    fidelity: number | null
    differences: {
      exchange: number
      operation: string
      real: Answer
      ours: Answer & { reason?: string | null }
    }[]
  }
}

interface Answer {
  status: number
  body: unknown
}

/** The JSON of `proxysim sweep` or `proxysim calibrate`; undefined if a text is neither. */
export function readReport(text: string): Report | undefined {
  const json = parseJson(text)
  try {
    if (isObject(json) && Array.isArray(json['runs'])) return readSweep(json as unknown as Sweep)
    if (isObject(json) && isObject(json['behaviour'])) return readCalibration(json as unknown as Calibration)
  } catch {
    // It has not the form of what it looks like.
  }
  return undefined
}

/** The worst first */
const verdicts = ['harm', 'swallowed', 'hang', 'noticed', 'survived', 'not struck']

function readSweep({ runs }: Sweep): Report {
  const rank = ({ verdict }: Sweep['runs'][number]) => verdicts.indexOf(verdict)
  const counts = verdicts.map(
    (verdict) => [runs.filter((run) => run.verdict === verdict).length, verdict] as const,
  )
  const rows = runs.map((run): Row & { rank: number } => {
    const { operation, fault, verdict, repeat, findings = [], endState, output = [] } = run
    const reasons = [
      ...findings.map(({ finding, message }) => `${finding}: ${message}`),
      ...(endState?.missing ?? []).map((line) => `missing: ${line}`),
      ...(endState?.added ?? []).map((line) => `added: ${line}`),
    ]
    return {
      rank: rank(run),
      isBad: rank(run) < 3,
      cells: [operation, fault, verdict, reasons.join('; ')],
      more: rank(run) < 3 ? output.join('\n').trim() : '',
      command: repeat,
    }
  })
  return {
    title: `Sweep, ${runs.length} runs`,
    summary: counts.flatMap(([count, verdict]) => (count > 0 ? [`${count} ${verdict}`] : [])).join(', '),
    tables: [
      {
        title: 'Runs',
        head: ['Operation', 'Fault', 'Verdict', 'Why'],
        rows: rows.toSorted((a, b) => a.rank - b.rank),
      },
    ],
  }
}

function readCalibration({ exchanges, assumptions, drift, behaviour }: Calibration): Report {
  const { same, differ, firstSight, undecidable, fidelity, differences } = behaviour
  return {
    title: `Calibration, fidelity ${fidelity === null ? 'unknown' : `${fidelity} %`}`,
    summary: `${exchanges.judged} of ${exchanges.read} exchanges judged: ${same} the same, ${differ} differ, ${firstSight} first observations, ${undecidable} undecided`,
    tables: [
      {
        title: 'Assumptions',
        head: ['Assumption', 'Verdict', 'Value', 'Default', 'Shown by'],
        rows: assumptions.map(({ id, verdict, reading, default: usual, evidence, needs }) => ({
          isBad: verdict === 'contradicts',
          cells: [id, verdict, reading ?? '–', usual, numbers(evidence)],
          more: needs.map(({ call, effect }) => `${call} (${effect})`).join('\n'),
        })),
      },
      {
        title: 'Contract violations',
        head: ['Operation', 'Status', 'Violation', 'Exchanges'],
        rows: drift.map((one) => ({
          isBad: false,
          cells: [one.operation, one.status, one.message, numbers(one.exchanges)],
          more: '',
        })),
      },
      {
        title: 'Differences',
        head: ['Exchange', 'Operation', 'Real service', 'Simulator', 'Reason'],
        rows: differences.map(({ exchange, operation, real, ours }) => ({
          isBad: false,
          cells: [`#${exchange}`, operation, real.status, ours.status, ours.reason ?? ''],
          more: `Real service: ${JSON.stringify(real.body, null, 2)}\nSimulator: ${JSON.stringify(ours.body, null, 2)}`,
        })),
      },
    ],
  }
}

function numbers(exchanges: readonly number[]): string {
  const more = exchanges.length > 12 ? ` and ${exchanges.length - 12} more` : ''
  return (
    exchanges
      .slice(0, 12)
      .map((one) => `#${one}`)
      .join(' ') + more
  )
}
