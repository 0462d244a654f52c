import { render } from 'preact'
import type { Calibration } from '../../src/calibration/Calibration.ts'
import { CalibrationReport } from '../src/calibration/CalibrationReport.tsx'
import { showTheme, storedTheme } from '../src/lib/theme.ts'
import { ThemeSwitch } from '../src/ThemeSwitch.tsx'

const text = document.querySelector('#calibration')?.textContent ?? ''

function Page() {
  return (
    <main>
      <div class="title-line">
        <h1>Calibration</h1>
        <ThemeSwitch />
      </div>
      <p class="muted">What recordings of the real service say of the simulator.</p>
      <CalibrationReport calibration={JSON.parse(text) as Calibration} />
    </main>
  )
}

showTheme(storedTheme())
render(<Page />, document.querySelector('#page') as HTMLElement)
