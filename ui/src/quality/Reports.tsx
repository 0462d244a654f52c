import { useEffect, useState } from 'preact/hooks'
import { isObject, parseJson } from '../lib/json.ts'
import { tell } from '../state/actions.ts'
import { CalibrationReport, isCalibration, type Calibration } from './CalibrationReport.tsx'
import { isSweep, SweepReport, type Sweep } from './SweepReport.tsx'

/** What was opened last is still there when one comes back. */
let opened: { sweep?: Sweep; calibration?: Calibration } = {}

/** What `sweep` and `calibrate` found out, from their JSON: dropped anywhere on the page, or chosen. */
export function Reports() {
  const [{ sweep, calibration }, setReports] = useState(opened)
  const open = async (file: File | undefined) => {
    if (!file) return
    const report = parseJson(await file.text())
    if (isObject(report) && isSweep(report)) opened = { ...opened, sweep: report }
    else if (isObject(report) && isCalibration(report)) opened = { ...opened, calibration: report }
    else return tell('failed', `${file.name} is not the JSON report of a sweep or a calibration.`)
    setReports(opened)
    tell('done', `${file.name} opened.`)
  }
  useEffect(() => {
    const accept = (event: DragEvent): void => event.preventDefault()
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      void open(event.dataTransfer?.files[0])
    }
    addEventListener('dragover', accept)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', accept)
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
      {sweep && <SweepReport {...sweep} />}
      {calibration && <CalibrationReport {...calibration} />}
    </section>
  )
}
