import { useLayoutEffect, useState } from 'preact/hooks'
import { parseJson } from '../lib/json.ts'
import { tabStorage } from '../lib/storage.ts'
import { showToast } from '../state/actions.ts'
import { readReport, type Report } from './readReport.ts'
import { RunsView } from './RunsView.tsx'
import { CalibrationView, ExecView } from './TablesView.tsx'

const key = 'proxysim-report'

/** Maximum number of characters of a report that outlasts a reload. Browsers give a page 5 MB. */
const maxStored = 4_000_000

function restore(): { name: string; report: Report } | undefined {
  const { name, data } = (parseJson(tabStorage.get(key) ?? '') ?? {}) as Record<string, unknown>
  const report = readReport(data)
  return report && { name: String(name), report }
}

/** The last opened report, shown again when the user returns to the page or reloads it. */
let opened = restore()

/** The results of `sweep`, `matrix`, `exec` or `calibrate`, from a JSON report. */
export function Reports() {
  const [{ name, report } = { name: '', report: undefined }, setOpened] = useState(opened)
  const open = async (file: File | undefined) => {
    if (!file) return
    const read = readReport(parseJson(await file.text()))
    if (!read)
      return showToast('failed', `${file.name} is not a JSON report of sweep, matrix, exec or calibrate.`)
    opened = { name: file.name, report: read }
    setOpened(opened)
  }
  // Stored as soon as it is shown: a reload finds it, but doesn't repeat a failure to show it.
  useLayoutEffect(() => {
    if (!report) return
    const text = JSON.stringify({ name, data: report.data })
    tabStorage.set(key, text.length > maxStored ? null : text)
  }, [report])
  return (
    <section
      class={`block reports ${report ? '' : 'is-empty'}`}
      aria-labelledby="reports"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void open(event.dataTransfer?.files[0])
      }}
    >
      <div class="menu-head">
        <h2 id="reports">
          Reports <small>{name}</small>
        </h2>
        <label class={`button ${report ? 'small' : 'primary'}`}>
          Open a report
          <input
            class="unseen"
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget: { files } }) => void open(files?.[0])}
          />
        </label>
      </div>
      {!report && (
        <p class="muted">
          Open or drop a JSON report here, such as{' '}
          <code>proxysim sweep --report sweep.json -- node app.mjs</code> writes; <code>matrix</code>,{' '}
          <code>exec</code> and <code>calibrate</code> have the same option.
        </p>
      )}
      {report?.kind === 'runs' && <RunsView key={report.data} report={report.data} />}
      {report?.kind === 'exec' && <ExecView exec={report.data} />}
      {report?.kind === 'calibrate' && <CalibrationView calibration={report.data} />}
    </section>
  )
}
