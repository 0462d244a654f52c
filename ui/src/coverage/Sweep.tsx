import { useState } from 'preact/hooks'
import type { SweepReport, SweepRun } from '../../../src/runs/SweepRun.ts'
import { describeRequest, faultsOf, operationsOf, reasonsOf, tally } from '../../../src/runs/sweepReport.ts'
import { isBad, meanings } from '../../../src/runs/verdicts.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { ReportFile } from '../parts/ReportFile.tsx'
import { tell } from '../state/notices.ts'
import { readSweep } from './readSweep.ts'

/** The one that was opened last is still there when one comes back to the page. */
let opened: SweepReport | undefined

/** What a sweep found out, from its JSON report: dropped anywhere on the page, or chosen. */
export function Sweep() {
  const [report, setReport] = useState(opened)
  const [chosen, setChosen] = useState<SweepRun>()

  const open = async (file: File): Promise<void> => {
    const read = readSweep(await file.text())
    if (!read) return tell('failed', `${file.name} is not the JSON report of a sweep.`)
    opened = read
    setReport(read)
    setChosen(undefined)
  }

  return (
    <section class="sweep" aria-labelledby="sweep">
      <h2 id="sweep">When things go wrong</h2>
      <p>
        <code>proxysim sweep --report sweep.json -- npm test</code> runs your client once for each fault that
        its calls can meet.{' '}
        <ReportFile label="Drop the report here, or choose it:" onOpen={(file) => void open(file)} />
      </p>
      {report && (
        <>
          <p class="muted" role="status">
            {tally(report)}
          </p>
          {chosen ? <Run {...chosen} /> : <p class="muted">Choose a cell to see what happened.</p>}
          <Grid report={report} chosen={chosen} choose={setChosen} />
        </>
      )}
    </section>
  )
}

function Grid({
  report: { runs },
  chosen,
  choose,
}: {
  report: SweepReport
  chosen: SweepRun | undefined
  choose: (run: SweepRun) => void
}) {
  const operations = operationsOf(runs)
  return (
    <div class="grid-box" tabindex={0} role="region" aria-label="Faults by operations">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Fault</th>
            {operations.map((operation) => (
              <th scope="col" key={operation}>
                {operation}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {faultsOf(runs).map((fault) => (
            <tr key={fault}>
              <th scope="row">{fault}</th>
              {operations.map((operation) => (
                <td key={operation}>
                  {runs
                    .filter((run) => run.operation === operation && run.fault === fault)
                    .map((run) => (
                      <button
                        type="button"
                        key={run.verdict}
                        class={`cell verdict ${colourOf(run)}`}
                        aria-pressed={run === chosen}
                        onClick={() => choose(run)}
                      >
                        <span class="unseen">
                          {operation} {fault}{' '}
                        </span>
                        {run.verdict}
                      </button>
                    ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function colourOf({ verdict }: SweepRun): string {
  if (isBad(verdict)) return 'is-bad'
  return verdict === 'not struck' ? '' : 'is-hit'
}

function Run(run: SweepRun) {
  const { operation, fault, verdict, shown, output, repeat } = run
  const printed = output.join('\n').trim()
  return (
    <div class={`callout ${isBad(verdict) ? 'callout-why' : ''}`} role="status">
      <h3>
        {operation} × {fault}: {verdict}
      </h3>
      <p>{meanings[verdict]}</p>
      <ul>
        {[...reasonsOf(run), ...shown.map(describeRequest)].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {isBad(verdict) && printed !== '' && <pre>{printed}</pre>}
      <p class="actions">
        <code>{repeat}</code>
        <CopyButton text={repeat} what="the command that repeats this run" />
      </p>
    </div>
  )
}
