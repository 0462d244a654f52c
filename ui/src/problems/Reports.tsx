import { useState } from 'preact/hooks'
import { Json } from '../parts/small.tsx'
import { showToast } from '../state/actions.ts'
import { readReport, type Report } from './readReport.ts'

/** The last opened report, shown again when the user returns to the page. */
let opened: Report | undefined

/** The results of `sweep` or `calibrate`, from a JSON report. */
export function Reports() {
  const [report, setReport] = useState(opened)
  const open = async (file: File | undefined) => {
    if (!file) return
    const read = readReport(await file.text())
    if (!read) return showToast('failed', `${file.name} is not a JSON report of sweep or calibrate.`)
    opened = read
    setReport(read)
    showToast('done', `${file.name} opened.`)
  }
  return (
    <section class="block" aria-labelledby="reports">
      <h2 id="reports">Sweep and calibration</h2>
      <p class="muted">
        Open a report from <code>proxysim sweep --report sweep.json</code> or{' '}
        <code>proxysim calibrate --report calibration.json</code>:{' '}
        <label class="button small">
          Choose file
          <input
            class="unseen"
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget: { files } }) => void open(files?.[0])}
          />
        </label>
      </p>
      {report && (
        <article aria-label="Report">
          <p>{report.summary}</p>
          {report.tables.map((table) => (
            <ReportTable key={table.title} {...table} />
          ))}
        </article>
      )}
    </section>
  )
}

/** A table that scrolls sideways if it is too wide. */
function ReportTable({ title, head, rows }: Report['tables'][number]) {
  if (rows.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <div class="sheet" tabindex={0} role="group" aria-label={title}>
        <table>
          <thead>
            <tr>
              {[...head, 'details'].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ cells, isBad, details }, i) => (
              <tr key={i} class={isBad ? 'is-bad' : ''}>
                {cells.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
                <td>
                  {Object.keys(details).length > 0 && (
                    <details>
                      <summary>{Object.keys(details).join(', ')}</summary>
                      <Json label={`Details of ${cells.join(' ')}`} value={details} />
                    </details>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
