import { useState } from 'preact/hooks'
import { crash, genericFaults } from '../../../src/faults/presets.ts'
import { formatDuration, pluralize } from '../lib/format.ts'
import { getTitle } from '../lib/problems.ts'
import { Copy } from '../parts/Copy.tsx'
import { Pane, useEscape } from '../parts/Pane.tsx'
import { Json, Prose } from '../parts/small.tsx'
import { useNarrow } from '../parts/useWindow.ts'
import {
  countVerdicts,
  getVerdictTone,
  isBad,
  sortByVerdict,
  type Runs,
  type ReportedRun,
} from './readReport.ts'

/** Stages after the first calls, in the order of a sweep */
const laterStages: Record<string, string> = {
  later: 'Later calls',
  lasting: 'Lasting failures',
  overlap: 'Two workers at the same time',
  recovery: 'A second failure during recovery',
  rerun: 'Failures in the second run',
  interpretations: 'Interpretations of the documentation',
}

/** The operations and faults of a sweep as a grid, and its later stages or interpretations. A cell opens its run. */
export function RunsView({ report: { command = [], runs, leftOut = {} } }: { report: Runs }) {
  const bugs = sortByVerdict(runs).filter(isBad)
  const bad = bugs.length
  const isNarrow = useNarrow()
  const [open, setOpen] = useState(isNarrow ? undefined : bugs[0])
  const close = () => setOpen(undefined)
  useEscape(open !== undefined, close)
  const isFirst = ({ stage = 'first' }: ReportedRun) => stage === 'first'
  const first = runs.filter(isFirst)
  const untried = Object.entries(leftOut).filter(([, count]) => count > 0)
  const cellProps = { open, onOpen: setOpen }
  return (
    <>
      <p class={`verdict ${bad > 0 ? 'tone-bad' : 'tone-good'}`}>
        <b>
          {bad === 0 && `No bug in ${pluralize(runs.length, 'run')}`}
          {bad > 0 && `${bad} of ${pluralize(runs.length, 'run')} ${bad === 1 ? 'reveals' : 'reveal'} a bug`}
        </b>
      </p>
      <p class="muted">
        {countVerdicts(runs)} <code>{command.join(' ')}</code>
      </p>
      <div class={`split report-split ${open ? 'is-open' : ''}`}>
        <div class="split-list report-cells">
          {bad > 0 && (
            <ul class="lines" aria-label="Bugs">
              {[...Map.groupBy(bugs, (run) => run.headline ?? run.verdict)].map(([headline, members]) => (
                <li key={headline}>
                  <span>
                    <button type="button" class="link" onClick={() => setOpen(members[0])}>
                      {headline}
                    </button>{' '}
                    <small>{members.map(nameOf).join(', ')}</small>
                  </span>
                </li>
              ))}
            </ul>
          )}
          <FirstCalls runs={first} {...cellProps} />
          {Object.entries(laterStages).map(([stage, title]) => (
            <Stage
              key={stage}
              title={title}
              runs={sortByVerdict(runs.filter((run) => run.stage === stage))}
              {...cellProps}
            />
          ))}
          {untried.length > 0 && (
            <p class="muted">
              Not tried:{' '}
              {untried.map(([stage, count]) => `${pluralize(count, 'cell')} of ${stage}`).join(', ')}.
            </p>
          )}
        </div>
        {open && <RunPane key={nameOf(open)} run={open} onClose={close} />}
      </div>
    </>
  )
}

function nameOf({ cell, operation, fault }: ReportedRun): string {
  return cell ?? `${operation} ${fault}`
}

interface CellsProps {
  runs: readonly ReportedRun[]
  open: ReportedRun | undefined
  onOpen: (run: ReportedRun) => void
}

/** The first call of each operation with each fault, documented errors first. */
function FirstCalls({ runs, ...cellProps }: CellsProps) {
  const operations = [...new Set(runs.map(({ operation }) => operation))]
  const rank = (fault: string) => [...genericFaults, crash].findIndex(({ name }) => name === fault)
  const faults = [...new Set(runs.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
  if (runs.length === 0) return null
  return (
    <div class="sheet" tabindex={0} role="group" aria-label="First calls">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Fault</th>
            {operations.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {faults.map((fault) => (
            <tr key={fault}>
              <th scope="row">{fault}</th>
              {operations.map((operation) => {
                const run = runs.find((one) => one.operation === operation && one.fault === fault)
                return <td key={operation}>{run && <Cell run={run} {...cellProps} />}</td>
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Stage({ title, runs, ...cellProps }: CellsProps & { title: string }) {
  if (runs.length === 0) return null
  return (
    <section class="stage" aria-label={title}>
      <h3>
        {title} <span class="count">{runs.length}</span>
      </h3>
      <ul>
        {runs.map((run) => (
          <li key={nameOf(run)}>
            <span>{nameOf(run)}</span> <Cell run={run} {...cellProps} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Cell({ run, open, onOpen }: Omit<CellsProps, 'runs'> & { run: ReportedRun }) {
  return (
    <button
      type="button"
      class={`cell ${getVerdictTone(run)}`}
      aria-pressed={run === open}
      aria-label={`${nameOf(run)}: ${run.verdict}`}
      onClick={() => onOpen(run)}
    >
      {run.verdict}
      {run.accepted ? ' (accepted)' : ''}
    </button>
  )
}

/** The course of a run: headline, advice, the requests in their order, and how to repeat it. */
function RunPane({ run, onClose }: { run: ReportedRun; onClose: () => void }) {
  const { verdict, headline, remarks = [], advice, accepted, findings = [], changes, repeat, repro } = run
  const { exitCode, durationMs = 0, rerun, output = [] } = run
  const advices = advice ? [advice] : [...new Set(findings.map((finding) => finding.advice))]
  return (
    <Pane label={nameOf(run)} title={nameOf(run)} onClose={onClose}>
      <section class={`why ${getVerdictTone(run)}`} aria-label="Outcome">
        <p>
          <b>{headline ?? verdict}</b> <span class="mark">{verdict}</span>
        </p>
        {remarks.map((remark) => (
          <p key={remark}>{remark}</p>
        ))}
        {headline === undefined &&
          findings.map((finding, i) => (
            <p key={i}>
              {getTitle(finding)}: {finding.message}
            </p>
          ))}
        {isBad(run) &&
          advices.filter(Boolean).map((text) => (
            <p key={text}>
              <b>What to do:</b> <Prose text={text} />
            </p>
          ))}
        {accepted && <p>Accepted: {accepted}</p>}
      </section>
      <Shown run={run} />
      {changes && (
        <section>
          <h3>Changes, compared with the scenario’s own interpretations</h3>
          <ul class="trace">
            {changes.missing.map((line) => (
              <li key={line} class="tone-bad">
                − {line}
              </li>
            ))}
            {changes.added.map((line) => (
              <li key={line} class="tone-warn">
                + {line}
              </li>
            ))}
          </ul>
        </section>
      )}
      {output.length > 0 && (
        <details>
          <summary>Output</summary>
          <Json label="Output" value={output.join('\n')} isTall />
        </details>
      )}
      {repeat && (
        <section>
          <h3>Repeat this run</h3>
          <pre class="code">{repeat}</pre>
          <Copy class="small" text={repeat} name="the command" label="Copy command" />
        </section>
      )}
      {repro && (
        <p>
          State before the call: <code>{repro}</code>
        </p>
      )}
      <p class="muted">
        {typeof exitCode === 'number' && `Exit code ${exitCode}, `}
        {formatDuration(durationMs)}
        {rerun && `; second run: exit code ${rerun.exitCode}`}
      </p>
    </Pane>
  )
}

const lineTones: Record<string, string> = { bad: 'tone-bad', note: 'tone-warn', none: 'is-omitted' }

/** The requests in the order in which they were sent, with the faults, kills and ends of runs where they happened. */
function Shown({ run: { shown = [] } }: { run: ReportedRun }) {
  if (shown.length === 0) return null
  return (
    <section>
      <h3>Requests, in the order in which they were sent</h3>
      <ol class="trace">
        {shown.map(({ text, mark }, i) => (
          <li key={i} class={`${lineTones[mark ?? ''] ?? ''} ${text.endsWith(' run') ? 'is-run' : ''}`}>
            {text.trim()}
          </li>
        ))}
      </ol>
    </section>
  )
}
