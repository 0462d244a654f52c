import { harEntry } from '../../harEntry.ts'
import type { Calibration } from '../Calibration.ts'
import type { Credentials } from '../Exchange.ts'
import { harFrame } from '../harFrame.ts'
import type { RecordedCredentials } from '../readHar.ts'
import type { Group } from '../readRecordings.ts'
import type { RecordingRedactor } from '../RecordingRedactor.ts'
import { calibrationHtml } from './html.ts'
import { calibrationJunit } from './junit.ts'
import { calibrationMarkdown } from './markdown.ts'
import { calibrationSarif } from './sarif.ts'

/** What reports are made from; `calibration` is redacted already. */
export interface Reported {
  calibration: Calibration
  groups: readonly Group[]
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
function redactedHar({ groups, redactor }: Reported): string {
  const numbered = groups.flatMap(({ exchanges }, group) =>
    exchanges.map((exchange) => ({ exchange, group })),
  )
  const entries = numbered.map(({ exchange, group }) => {
    const { at, operation, request, response } = exchange
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : ''
    return harEntry({
      startedDateTime: new Date(at).toISOString(),
      durationMs: 0,
      request: {
        method: operation.method,
        url: `http://recorded.example${redactor.url(exchange, query)}`,
        headers:
          request.contentType === undefined ? [] : redactor.headers([['content-type', request.contentType]]),
        body: redactor.request(exchange) ?? '',
      },
      response: {
        status: response.status,
        headers: [
          { name: 'Date', value: new Date(at).toUTCString() },
          ...(response.type === undefined ? [] : redactor.headers([['Content-Type', response.type]])),
        ],
        body: redactor.answer(operation, response),
      },
      custom: {
        _credentials: recorded(request.credentials),
        ...(groups.length > 1 && { _group: group }),
        ...(exchange.doubts && { _doubts: exchange.doubts }),
      },
    })
  })
  return `${harFrame.head}\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}${harFrame.tail}`
}

function recorded(credentials: Credentials): RecordedCredentials {
  switch (credentials.kind) {
    case 'none':
      return { form: 'none' }
    case 'malformed':
      return { form: /^basic /i.test(credentials.header) ? 'malformed-credentials' : 'malformed-header' }
    case 'wrong':
      return { form: 'basic', login: 'account-1', secret: 'secret-2' }
    case 'good':
    case 'unknown':
      return { form: 'basic', login: 'account-1', secret: 'secret-1' }
  }
}
