import { readFile } from 'node:fs/promises'
import { shipped } from '../../packageRoot.ts'
import { UserError } from '../../UserError.ts'
import type { Calibration } from '../Calibration.ts'

/** A calibration as a self-contained HTML page. The build makes its template from the dashboard's view. */
export async function calibrationHtml(calibration: Calibration): Promise<string> {
  const file = shipped('dist/calibration.html')
  const page = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UserError('The report page is not built: run `npm run build`.', { cause: error })
  })
  // Prevents recorded text from closing the script element.
  return page.replace('{{calibration}}', () => JSON.stringify(calibration).replaceAll('<', '\\u003c'))
}
