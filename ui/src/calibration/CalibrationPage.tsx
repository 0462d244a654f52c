import { useState } from 'preact/hooks'
import type { Calibration } from '../../../src/calibration/Calibration.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { ReportFile } from '../parts/ReportFile.tsx'
import { tell } from '../state/notices.ts'
import { CalibrationReport } from './CalibrationReport.tsx'
import { readCalibration } from './readCalibration.ts'

/** The one that was opened last is still there when one comes back to the page. */
let opened: Calibration | undefined

const commands = [
  'npx proxysim record --target https://api.example.com --output real.har',
  'npx proxysim calibrate real.har --report calibration.json',
]

/** What recordings of the real service say, from the JSON report of `proxysim calibrate`. */
export function CalibrationPage() {
  const [report, setReport] = useState(opened)
  const open = async (file: File): Promise<void> => {
    const read = readCalibration(await file.text())
    if (!read) return tell('failed', `${file.name} is not the JSON report of a calibration.`)
    opened = read
    setReport(read)
  }
  return (
    <>
      <div class="title-line">
        <h1>Calibration</h1>
        <span class="muted">what recordings of the real service say of the simulator</span>
      </div>
      <p class="report-file">
        <ReportFile label="Drop the JSON report here, or choose it:" onOpen={(file) => void open(file)} />
      </p>
      {report ? (
        <CalibrationReport calibration={report} />
      ) : (
        <div class="columns">
          <section class="box" aria-labelledby="how">
            <h2 id="how">From the real service to a report</h2>
            <ol class="steps">
              <li>
                Record what it does, through a proxy on this machine:
                <Command text={commands[0] ?? ''} />
              </li>
              <li>
                Let the simulator judge the recording:
                <Command text={commands[1] ?? ''} />
              </li>
              <li>
                Open the report here; or add <code>--open</code> to the command above, which opens the same
                view without a simulator.
              </li>
            </ol>
          </section>
          <section class="box" aria-labelledby="what">
            <h2 id="what">What it tells</h2>
            <dl class="looked">
              <div>
                <dt>Assumptions</dt>
                <dd>
                  how the real service reads what the documentation leaves open, each with the exchanges that
                  show it
                </dd>
              </div>
              <div>
                <dt>Drift</dt>
                <dd>what in its answers breaks the contract</dd>
              </div>
              <div>
                <dt>Differences</dt>
                <dd>where it answers otherwise than the simulator, side by side</dd>
              </div>
            </dl>
            <p class="muted">Nothing is sent anywhere: the report is read in this browser.</p>
          </section>
        </div>
      )}
    </>
  )
}

function Command({ text }: { text: string }) {
  return (
    <p class="command">
      <code>{text}</code> <CopyButton text={text} what="the command" />
    </p>
  )
}
