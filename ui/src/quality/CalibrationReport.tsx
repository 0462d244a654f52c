import type { ComponentChildren } from 'preact'
import type { Patch } from '../lib/types.ts'
import { Json } from '../parts/small.tsx'

/** As `proxysim calibrate --json` prints it */
export interface Calibration {
  exchanges: { read: number; judged: number; skipped: { exchange: number; reason: string }[] }
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
    fidelity: number | null
    firstSight: number
    undecidable: number
    differences: {
      exchange: number
      operation: string
      real: { status: number; body: unknown }
      ours: { status: number; body: unknown; reason?: string | null }
    }[]
  }
}

export function isCalibration(report: Patch): report is Patch & Calibration {
  const { exchanges, assumptions, drift, behaviour } = report as Partial<Calibration>
  return (
    Array.isArray(exchanges?.skipped) &&
    Array.isArray(assumptions) &&
    Array.isArray(drift) &&
    Array.isArray(behaviour?.differences)
  )
}

/** What recordings of the real service say of the simulator. */
export function CalibrationReport({ exchanges, assumptions, drift, behaviour }: Calibration) {
  const { fidelity, same, differ, firstSight, undecidable, differences } = behaviour
  return (
    <article aria-label="Calibration">
      <h3>Calibration: fidelity {fidelity === null ? 'unknown' : `${fidelity} %`}</h3>
      <p class="muted">
        {exchanges.judged} of {exchanges.read} exchanges judged: {same} the same, {differ} differ,{' '}
        {firstSight} first observations, {undecidable} undecided
      </p>
      <Report
        label="Assumptions in the recording"
        head={['Assumption', 'Verdict', 'Value', 'Default', 'Shown by']}
        rows={assumptions.map(({ id, verdict, reading, default: usual, evidence, needs }) => ({
          isBad: verdict === 'contradicts',
          cells: [
            id,
            verdict,
            reading ?? '–',
            usual,
            evidence.length > 0
              ? numbers(evidence)
              : needs.map(({ call, effect }) => (
                  <p key={call}>
                    <code>{call}</code> {effect}
                  </p>
                )),
          ],
        }))}
      />
      {drift.length > 0 && (
        <Report
          label="Contract violations"
          head={['Operation', 'Status', 'Contract violation', 'Exchanges']}
          rows={drift.map((one) => ({
            cells: [one.operation, one.status, one.message, numbers(one.exchanges)],
          }))}
        />
      )}
      {differences.length > 0 && (
        <Report
          label="Differences"
          head={['Exchange', 'Operation', 'Real service', 'Simulator']}
          rows={differences.map(({ exchange, operation, real, ours }) => ({
            cells: [
              `#${exchange}`,
              operation,
              <Answer key="real" {...real} />,
              <>
                <Answer {...ours} /> {ours.reason}
              </>,
            ],
          }))}
        />
      )}
    </article>
  )
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

function Answer({ status, body }: { status: number; body: unknown }) {
  return (
    <details>
      <summary>{status}</summary>
      <Json label={`Body of the ${status}`} value={body} />
    </details>
  )
}

interface ReportProps {
  label: string
  head: string[]
  rows: { cells: ComponentChildren[]; isBad?: boolean }[]
}

function Report({ label, head, rows }: ReportProps) {
  return (
    <div class="report-box" tabindex={0} role="group" aria-label={label}>
      <table class="report">
        <thead>
          <tr>
            {head.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ cells: [first, ...rest], isBad }, i) => (
            <tr key={i} class={isBad ? 'is-bad' : ''}>
              <th scope="row">{first}</th>
              {rest.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
