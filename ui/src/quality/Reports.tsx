import { useEffect, useState } from 'preact/hooks'
import { Json, Sheet } from '../parts/small.tsx'
import { tell } from '../state/actions.ts'
import { readReport, type Report } from './readReport.ts'

/** What was opened last is still there when one comes back. */
let opened: Report | undefined

/** What `sweep` or `calibrate` found out, from its JSON: dropped anywhere on the page, or chosen. */
export function Reports() {
  const [report, setReport] = useState(opened)
  const open = async (file: File | undefined) => {
    if (!file) return
    const read = readReport(await file.text())
    if (!read) return tell('failed', `${file.name} is not the JSON report of a sweep or a calibration.`)
    opened = read
    setReport(read)
    tell('done', `${file.name} opened.`)
  }
  useEffect(() => {
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      if (event.type === 'drop') void open(event.dataTransfer?.files[0])
    }
    addEventListener('dragover', drop)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', drop)
      removeEventListener('drop', drop)
    }
  })
  return (
    <section class="block" aria-labelledby="reports">
      <h2 id="reports">Sweep and calibration</h2>
      <p class="muted">
        Drop the JSON of <code>proxysim sweep --report sweep.json</code> or{' '}
        <code>proxysim calibrate --report calibration.json</code> here, or{' '}
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

function ReportTable({ title, head, rows }: Report['tables'][number]) {
  const shown = rows.map(({ cells, isBad, more }) => ({
    isBad,
    cells: [
      ...cells,
      Object.keys(more).length > 0 && (
        <details>
          <summary>{Object.keys(more).join(', ')}</summary>
          <Json label={`More of ${cells.join(' ')}`} value={more} />
        </details>
      ),
    ],
  }))
  return (
    <>
      <h3>{title}</h3>
      <Sheet label={title} head={[...head, 'more']} rows={shown} />
    </>
  )
}
