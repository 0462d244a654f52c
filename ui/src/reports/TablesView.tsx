import type { ComponentChildren } from 'preact'
import { pluralize } from '../lib/format.ts'
import { toText } from '../lib/json.ts'
import { getSeverityTone, getTitle, getWorstTone } from '../lib/problems.ts'
import { Facts, Json, Prose, Status } from '../parts/small.tsx'
import type { Calibration, Exec } from './readReport.ts'

interface Table {
  title: string
  hint?: string
  head: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
  /** The tone of each row */
  tones?: readonly string[]
}

/** The result of one run of a command: its exit code, findings, refusals and assumptions. */
export function ExecView({ exec }: { exec: Exec }) {
  const { exitCode, requests, findings, refusals = [], covered, total, percent, assumptions = [] } = exec
  const problems = `${pluralize(findings.length, 'problem')} in ${pluralize(requests, 'request')}`
  return (
    <>
      <h2 class={`verdict ${getWorstTone(findings) || (exitCode === 0 ? 'tone-good' : 'tone-bad')}`}>
        Exit code {exitCode}, {problems}
      </h2>
      <p class="muted">
        Coverage {percent} %: {covered} of {total} responses
      </p>
      <ul class="findings">
        {findings.map((finding, i) => (
          <li key={i} class={`finding ${getSeverityTone(finding)}`}>
            <h3>
              {getTitle(finding)} <span class="mark">{finding.severity}</span> <small>{finding.label}</small>
            </h3>
            <p>{finding.message}</p>
            <p>
              <b>What to do:</b> <Prose text={finding.advice} />
            </p>
          </li>
        ))}
      </ul>
      <ReportTable
        title="Refused requests (perhaps intended)"
        head={['Request', 'Status', 'Call', 'Reason']}
        rows={refusals.map(({ id, status, method, path, case: name, reason }) => [
          `#${id}`,
          <Status key="status" status={status} />,
          `${method} ${path}`,
          [name, reason].filter(Boolean).join(': '),
        ])}
      />
      <ReportTable
        title="Assumptions that the run rests on"
        hint="All that concern the operations that were called. A matrix shows which of them matter to this client."
        head={['Assumption', 'Confirmed', 'Value']}
        rows={assumptions.map(({ id, value, confirmed }) => [id, confirmed ? 'yes' : 'no', toText(value)])}
        tones={assumptions.map(({ confirmed }) => (confirmed ? 'tone-good' : 'tone-warn'))}
      />
    </>
  )
}

/** The verdicts on assumptions, the worst first */
const judgements: Record<string, { tone: string; text: string }> = {
  contradicts: { tone: 'tone-bad', text: 'contradicts' },
  other: { tone: 'tone-warn', text: 'differs (another interpretation holds)' },
  holds: { tone: 'tone-good', text: 'holds' },
}

/** How the simulator compares with recordings of the real service. */
export function CalibrationView({ calibration }: { calibration: Calibration }) {
  const { violations, behaviour } = calibration
  const decided = Object.keys(judgements).flatMap((name) =>
    calibration.assumptions.filter(({ verdict }) => verdict === name),
  )
  const undecided = calibration.assumptions.filter(({ verdict }) => verdict === 'undecided')
  const isGood = behaviour.differ === 0 && violations.length === 0
  return (
    <>
      <h2 class={`verdict ${isGood ? 'tone-good' : 'tone-bad'}`}>{describeFidelity(behaviour)}</h2>
      <ReportTable
        title="Contract violations"
        head={['Operation', 'Violation', 'Status', 'Exchanges']}
        rows={violations.map((one) => [one.operation, one.message, one.status, one.exchanges.join(', ')])}
      />
      <ReportTable
        title="Assumptions"
        head={['Assumption', 'Verdict', 'Interpretation', 'Default', 'Exchanges']}
        rows={decided.map((one) => [
          one.id,
          judgements[one.verdict]?.text,
          toText(one.interpretation),
          toText(one.default),
          one.evidence?.join(', '),
        ])}
        tones={decided.map(({ verdict }) => judgements[verdict]?.tone ?? '')}
      />
      <ReportTable
        title="Differences from the real service"
        head={['Exchange', 'Operation', 'Real service', 'Simulator']}
        rows={behaviour.differences.map(({ exchange, operation, real, ours }) => [
          `#${exchange}`,
          operation,
          <Json key="real" label={`Real response of exchange ${exchange}`} value={real} />,
          <Json key="ours" label={`Simulated response of exchange ${exchange}`} value={ours} />,
        ])}
      />
      {undecided.length > 0 && (
        <details>
          <summary>{pluralize(undecided.length, 'undecided assumption')}, and what would settle them</summary>
          <Facts
            rows={undecided.map(({ id, needs = [] }) => [
              id,
              needs.map(({ call, effect, reason }) => (call ? `${call} (${effect})` : reason)).join('; '),
            ])}
          />
        </details>
      )}
    </>
  )
}

/** `Fidelity 97 %: 33 of 34 comparable responses agree; 60 showed a record for the first time` */
function describeFidelity({
  same,
  differ,
  fidelity,
  firstObservation = 0,
}: Calibration['behaviour']): string {
  if (fidelity === null) return 'No response could be compared'
  const agree = differ === 0 ? `all ${same}` : `${same} of ${same + differ}`
  return `Fidelity ${fidelity} %: ${agree} comparable responses agree; ${firstObservation} showed a record for the first time`
}

/** A table that scrolls sideways if it is too wide; nothing if it has no rows. */
function ReportTable({ title, hint, head, rows, tones = [] }: Table) {
  if (rows.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      {hint && <p class="muted">{hint}</p>}
      <div class="sheet" tabindex={0} role="group" aria-label={title}>
        <table>
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
            {rows.map(([name, ...cells], i) => (
              <tr key={i} class={tones[i]}>
                <th scope="row">{name}</th>
                {cells.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
