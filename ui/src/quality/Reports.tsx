import { useState } from 'preact/hooks'
import { Json } from '../parts/small.tsx'
import { showToast } from '../state/actions.ts'
import { readReport, type Report } from './readReport.ts'

/** The last opened report, so that it survives leaving the page. */
let opened: Report | undefined

/** The results of `sweep` or `calibrate`, from its JSON. */
export function Reports() {
  const [report, setReport] = useState(opened)
  const open = async (file: File | undefined) => {
    if (!file) return
    const read = readReport(await file.text())
    if (!read) return showToast('failed', `${file.name} is not the JSON report of a sweep or a calibration.`)
    opened = read
    setReport(read)
    showToast('done', `${file.name} opened.`)
  }
  return (
    <section class="block" aria-labelledby="reports">
      <h2 id="reports">Sweep and calibration</h2>
      <p class="muted">
        The JSON of <code>proxysim sweep --report sweep.json</code> or{' '}
        <code>proxysim calibrate --report calibration.json</code>, as a table:{' '}
        <label class="button small">
          Choose a file
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

/** A table that scrolls if it is too wide. */
function ReportTable({ title, head, rows }: Report['tables'][number]) {
  if (rows.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <div class="sheet" tabindex={0} role="group" aria-label={title}>
        <table>
          <thead>
            <tr>
              {[...head, 'more'].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ cells, isBad, more }, i) => (
              <tr key={i} class={isBad ? 'is-bad' : ''}>
                {cells.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
                <td>
                  {Object.keys(more).length > 0 && (
                    <details>
                      <summary>{Object.keys(more).join(', ')}</summary>
                      <Json label={`More of ${cells.join(' ')}`} value={more} />
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
