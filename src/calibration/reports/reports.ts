import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { UserError } from '../../UserError.ts'
import type { Calibration } from '../Calibration.ts'
import type { Covering } from '../Covering.ts'
import type { Exchange } from '../Exchange.ts'
import { harEntry, harFrame } from '../harEntry.ts'
import { calibrationHtml } from './html.ts'
import { calibrationJunit } from './junit.ts'
import { calibrationMarkdown } from './markdown.ts'
import { calibrationSarif } from './sarif.ts'

/** What reports are made of; nothing in `calibration` is a secret any more. */
export interface Reported {
  calibration: Calibration
  exchanges: readonly Exchange[]
  covering: Covering
}

const renderers: Record<string, (reported: Reported) => string | Promise<string>> = {
  '.md': ({ calibration }) => calibrationMarkdown(calibration),
  '.json': ({ calibration }) => `${JSON.stringify(calibration, null, 2)}\n`,
  '.xml': ({ calibration }) => calibrationJunit(calibration),
  '.sarif': ({ calibration }) => calibrationSarif(calibration),
  '.html': ({ calibration }) => calibrationHtml(calibration),
  '.har': coveredHar,
}

/** @throws UserError where a report has no extension of ours */
export function checkCalibrationReports(files: readonly string[]): void {
  for (const file of files)
    if (!Object.hasOwn(renderers, extname(file)))
      throw new UserError(
        `The report ${file} must end in one of: ${Object.keys(renderers).join(', ')} (.xml is JUnit).`,
      )
}

export async function writeCalibrationReport(file: string, reported: Reported): Promise<void> {
  await writeFile(file, (await renderers[extname(file)]?.(reported)) ?? '')
}

/** The exchanges that were judged, with stand-ins: an archive that can be passed on. */
function coveredHar({ exchanges, covering }: Reported): string {
  const entries = exchanges.map(({ at, operation, path, request, response, ...rest }) => {
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : ''
    const { kind } = request.credentials
    return harEntry({
      started: at,
      durationMs: 0,
      method: operation.method,
      url: `http://recorded.example${covering.url({ operation, path }, query)}`,
      requestHeaders:
        request.contentType === undefined ? [] : covering.headers([['content-type', request.contentType]]),
      requestBody: covering.request({ at, operation, path, request, response, ...rest }),
      credentials:
        kind === 'good' || kind === 'unknown'
          ? { form: 'basic', login: 'account-1', secret: 'secret-1' }
          : kind === 'wrong'
            ? { form: 'basic', login: 'account-1', secret: 'secret-2' }
            : kind === 'none'
              ? { form: 'none' }
              : {
                  form: /^basic /i.test(request.credentials.header)
                    ? 'malformed-credentials'
                    : 'malformed-header',
                },
      status: response.status,
      responseHeaders: [
        { name: 'Date', value: new Date(at).toUTCString() },
        ...(response.type === undefined ? [] : covering.headers([['Content-Type', response.type]])),
      ],
      responseBody: covering.answer(operation, response),
    })
  })
  return `${harFrame.head}\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}${harFrame.tail}`
}
