import type { Patch } from '../lib/types.ts'
import { Copy } from '../parts/Copy.tsx'

interface Run {
  operation: string
  fault: string
  verdict: string
  repeat: string
  findings?: { finding: string; message: string }[]
  endState?: { missing: string[]; added: string[] } | null
  output?: string[]
}

export interface Sweep {
  runs: Run[]
}

/** The worst first, with what each means */
const verdicts: Record<string, string> = {
  harm: 'The client did something that causes damage.',
  swallowed: 'The client exited with 0, but the end state differs: nobody noticed.',
  hang: 'The client did not finish in time.',
  noticed: 'The client exited with an error.',
  survived: 'The client reached the same end state.',
  'not struck': 'The call was not made; no result.',
}
const order = Object.keys(verdicts)
const isBad = ({ verdict }: Run) => order.indexOf(verdict) < 3

export function isSweep(report: Patch): report is Patch & Sweep {
  const { runs } = report as Partial<Sweep>
  return (
    Array.isArray(runs) && runs.every((run) => run?.operation && run.fault && order.includes(run.verdict))
  )
}

/** What became of the client with each fault: what is wrong in full, the rest counted. */
export function SweepReport({ runs }: Sweep) {
  const counts = order.map((verdict) => [verdict, runs.filter((run) => run.verdict === verdict)] as const)
  return (
    <article aria-label="Sweep">
      <h3>Sweep: {runs.length} runs</h3>
      <ul class="responses">
        {counts
          .filter(([, of]) => of.length > 0)
          .map(([verdict, of]) => (
            <li
              key={verdict}
              class={`response ${isBad(of[0] as Run) ? 'is-bad' : 'is-met'}`}
              title={verdicts[verdict]}
            >
              {of.length} {verdict}
            </li>
          ))}
      </ul>
      <div class="report-box" tabindex={0} role="group" aria-label="Runs of the sweep">
        <table class="report">
          <thead>
            <tr>
              {['Operation', 'Fault', 'Verdict', 'Why', 'Repeat'].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs
              .toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
              .map((run) => (
                <tr key={`${run.operation} ${run.fault}`} class={isBad(run) ? 'is-bad' : ''}>
                  <th scope="row">{run.operation}</th>
                  <td>{run.fault}</td>
                  <td title={verdicts[run.verdict]}>{run.verdict}</td>
                  <td>
                    <Why {...run} />
                  </td>
                  <td>
                    {run.repeat && (
                      <Copy text={run.repeat} what={`the command for ${run.operation} ${run.fault}`} />
                    )}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </article>
  )
}

function Why({ findings = [], endState, output = [], ...run }: Run) {
  const reasons = [
    ...findings.map(({ finding, message }) => `${finding}: ${message}`),
    ...(endState?.missing ?? []).map((line) => `missing: ${line}`),
    ...(endState?.added ?? []).map((line) => `added: ${line}`),
  ]
  const printed = output.join('\n').trim()
  return (
    <>
      {reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {isBad(run) && printed !== '' && (
        <details>
          <summary>Output</summary>
          <pre class="code">{printed}</pre>
        </details>
      )}
    </>
  )
}
