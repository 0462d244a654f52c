import { useState } from 'preact/hooks'
import {
  countVerdicts,
  explainingFindings,
  isRejected,
  listProblems,
  sortByVerdict,
  verdictText,
} from '../../../src/lab/runs/problems.ts'
import { describeVerdict, markOf, verdicts } from '../../../src/lab/runs/verdict.ts'
import { formatDuration, pluralize } from '../lib/format.ts'
import { Copy } from '../parts/Copy.tsx'
import { Facts, Json, Prose } from '../parts/small.tsx'
import { getVerdictTone, type ReportedRun, type Runs } from './readReport.ts'

const stages: Record<string, string> = {
  first: 'First calls',
  later: 'Later calls',
  lasting: 'Lasting failures',
  overlap: 'Two workers at the same time',
  recovery: 'A second failure during recovery',
  rerun: 'Failures in the second run',
  interpretations: 'Interpretations of the documentation',
}

/** The problems that a sweep or a matrix found, one for each cause, and then all cells. */
export function RunsView({ report: { command = [], runs, leftOut = {} } }: { report: Runs }) {
  const problems = listProblems(runs)
  const [isOnlyRed, setOnlyRed] = useState(problems.length > 0)
  const shown = isOnlyRed ? runs.filter(isRejected) : runs
  const untried = Object.entries(leftOut).filter(([, count]) => count > 0)
  const occurring = verdicts.filter((name) => runs.some(({ verdict }) => verdict === name))
  return (
    <>
      <h2 class={`verdict ${problems.length > 0 ? 'tone-bad' : 'tone-good'}`}>
        {problems.length > 0 ? pluralize(problems.length, 'problem') : 'No problems'} in{' '}
        {pluralize(runs.length, 'run')}
      </h2>
      <p>{countVerdicts(runs)}</p>
      {command.length > 0 && <pre class="code">{command.join(' ')}</pre>}
      <ul class="findings" aria-label="Problems">
        {problems.map((members) => (
          <Problem key={members[0].cell} members={members} />
        ))}
      </ul>
      <section aria-labelledby="cells">
        <div class="menu-head">
          <h2 id="cells">Cells</h2>
          {problems.length > 0 && (
            <label>
              <input type="checkbox" checked={isOnlyRed} onChange={() => setOnlyRed(!isOnlyRed)} /> only red
            </label>
          )}
        </div>
        {Object.entries(stages).map(([stage, title]) => (
          <Stage key={stage} title={title} runs={shown.filter((run) => run.stage === stage)} />
        ))}
        {untried.length > 0 && (
          <p class="muted">
            Not tried: {untried.map(([stage, count]) => `${pluralize(count, 'cell')} of ${stage}`).join(', ')}
            .
          </p>
        )}
      </section>
      <section aria-labelledby="legend">
        <h2 id="legend">The verdicts</h2>
        <Facts
          rows={occurring.map((name) => [<b>{name}</b>, describeVerdict(name).sentence[commandOf(runs)]])}
        />
      </section>
    </>
  )
}

/** The first cell that shows a problem, and the names of the others. */
function Problem({ members: [first, ...others] }: { members: readonly [ReportedRun, ...ReportedRun[]] }) {
  return (
    <li class="finding tone-bad">
      <h3>
        <Verdict run={first} /> {first.cell}
      </h3>
      <Evidence run={first} />
      {others.length > 0 && (
        <details>
          <summary>The same in {pluralize(others.length, 'further cell')}</summary>
          {others.map(({ cell }) => cell).join('; ')}
        </details>
      )}
    </li>
  )
}

function commandOf(runs: readonly ReportedRun[]): 'matrix' | 'sweep' {
  return runs.some(({ stage }) => stage === 'interpretations') ? 'matrix' : 'sweep'
}

/** A verdict, with its meaning as a tooltip. */
function Verdict({ run }: { run: ReportedRun }) {
  return (
    <span
      class={`status ${getVerdictTone(run)}`}
      title={describeVerdict(run.verdict).sentence[commandOf([run])]}
    >
      {verdictText(run)}
      {run.accepted === null ? '' : ' (accepted)'}
    </span>
  )
}

/** The cells of a stage. Those that pass share a line for each operation. */
function Stage({ title, runs }: { title: string; runs: readonly ReportedRun[] }) {
  if (runs.length === 0) return null
  const isGood = ({ verdict }: ReportedRun) => markOf(verdict) === 'good'
  const groups = Map.groupBy(runs.filter(isGood), ({ operation }) => operation)
  return (
    <section>
      <h3>{title}</h3>
      {sortByVerdict(runs.filter((run) => !isGood(run))).map((run) => (
        <Cell key={run.cell} run={run} />
      ))}
      {[...groups].map(([operation, members]) =>
        members.length === 1 ? (
          members.map((run) => <Cell key={run.cell} run={run} />)
        ) : (
          <details key={operation} class="cell">
            <summary>
              <span class="status tone-good">{countVerdicts(members)}</span> {operation}
            </summary>
            {sortByVerdict(members).map((run) => (
              <Cell key={run.cell} run={run} />
            ))}
          </details>
        ),
      )}
    </section>
  )
}

/** A cell opens what happened in its run. */
function Cell({ run }: { run: ReportedRun }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="cell" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Verdict run={run} /> {run.cell}
      </summary>
      {isOpen && <Evidence run={run} />}
    </details>
  )
}

/** The evidence of a verdict: a sentence or the differences, the requests in their order, advice, and how to repeat the run. */
function Evidence({ run }: { run: ReportedRun }) {
  const { verdict, accepted, why, advice, findings, output, repeat, exitCode, durationMs, rerun, meaning } =
    run
  const hasFinding = explainingFindings(verdict, findings).length > 0
  return (
    <div class="evidence">
      {meaning && <p>{meaning}</p>}
      {!hasFinding && <p>{describeVerdict(verdict).sentence[commandOf([run])]}</p>}
      {why.length > 0 && (
        <ul aria-label="Why">
          {why.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <Shown run={run} />
      {advice && (
        <p>
          <b>What to do:</b> <Prose text={advice} />
        </p>
      )}
      {accepted && <p>Accepted: {accepted}</p>}
      {output.length > 0 && (
        <details>
          <summary>Output</summary>
          <Json label="Output" value={output.join('\n')} isTall />
        </details>
      )}
      <div class="command">
        <pre class="code">{repeat}</pre>
        <Copy class="small" text={repeat} name="the command" label="Copy command" />
      </div>
      <p class="muted">
        {exitCode !== null && `Exit code ${exitCode}, `}
        {formatDuration(durationMs)}
        {rerun && `; second run: exit code ${rerun.exitCode}`}
      </p>
    </div>
  )
}

const lineTones: Record<string, string> = { bad: 'tone-bad', note: 'tone-warn', none: 'muted' }

/** The requests in the order in which they were sent, with faults, kills and ends of runs. A request opens its bodies. */
function Shown({ run: { shown } }: { run: ReportedRun }) {
  if (shown.length === 0) return null
  return (
    <ol class="trace" aria-label="Requests, in the order in which they were sent">
      {shown.map(({ text, mark, request, response }, i) => (
        <li key={i} class={lineTones[mark ?? '']}>
          {request && response ? (
            <details>
              <summary>{text.trim()}</summary>
              <Json label="Request body" value={request.body ?? 'no body'} />
              <Json label="Response body" value={response.body ?? 'no body'} />
            </details>
          ) : (
            text.trim()
          )}
        </li>
      ))}
    </ol>
  )
}
