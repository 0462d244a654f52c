import { useState } from 'preact/hooks'
import { parseJson } from '../lib/json.ts'
import { showToast } from '../state/actions.ts'
import { readReport, type Report } from './readReport.ts'
import { RunsView } from './RunsView.tsx'
import { CalibrationView, ExecView } from './TablesView.tsx'

/** The last opened report, shown again when the user returns to the page. */
let opened: { name: string; report: Report } | undefined

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
  return (
    <div
      class="block reports"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void open(event.dataTransfer?.files[0])
      }}
    >
      <div class="menu-head">
        <h1>
          Reports <small>{name}</small>
        </h1>
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
    </div>
  )
}
