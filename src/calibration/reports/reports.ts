import type { Calibration } from '../Calibration.ts'
import type { Exchange } from '../Exchange.ts'
import { harEntry, harFrame } from '../harEntry.ts'
import type { RecordingRedactor } from '../RecordingRedactor.ts'
import { calibrationHtml } from './html.ts'
import { calibrationJunit } from './junit.ts'
import { calibrationMarkdown } from './markdown.ts'
import { calibrationSarif } from './sarif.ts'

/** What reports are made from; `calibration` is redacted already. */
export interface Reported {
  calibration: Calibration
  exchanges: readonly Exchange[]
  redactor: RecordingRedactor
}

export const calibrationExtensions = ['.md', '.json', '.xml', '.sarif', '.html', '.har']

export function calibrationReports(reported: Reported): Record<string, () => string | Promise<string>> {
  const { calibration } = reported
  return {
    '.md': () => calibrationMarkdown(calibration),
    '.json': () => `${JSON.stringify(calibration, null, 2)}\n`,
    '.xml': () => calibrationJunit(calibration),
    '.sarif': () => calibrationSarif(calibration),
    '.html': () => calibrationHtml(calibration),
    '.har': () => redactedHar(reported),
  }
}

/** The judged exchanges with stand-ins: an archive that can be shared. */
function redactedHar({ exchanges, redactor }: Reported): string {
  const entries = exchanges.map((exchange) => {
    const { at, operation, request, response } = exchange
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : ''
    const { kind } = request.credentials
    return harEntry({
      started: at,
      durationMs: 0,
      method: operation.method,
      url: `http://recorded.example${redactor.url(exchange, query)}`,
      requestHeaders:
        request.contentType === undefined ? [] : redactor.headers([['content-type', request.contentType]]),
      requestBody: redactor.request(exchange),
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
        ...(response.type === undefined ? [] : redactor.headers([['Content-Type', response.type]])),
      ],
      responseBody: redactor.answer(operation, response),
    })
  })
  return `${harFrame.head}\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}${harFrame.tail}`
}
