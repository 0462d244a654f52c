import { harEntry } from '../../harEntry.ts'
import type { Calibration } from '../Calibration.ts'
import type { Credentials } from '../Exchange.ts'
import { harFrame } from '../harFrame.ts'
import type { RecordedCredentials } from '../readHar.ts'
import type { Group } from '../readRecordings.ts'
import { calibrationHtml } from './html.ts'
import { calibrationJunit } from './junit.ts'
import { calibrationMarkdown } from './markdown.ts'
import { calibrationSarif } from './sarif.ts'

export const calibrationExtensions = ['.md', '.json', '.xml', '.sarif', '.html', '.har']

export function calibrationReports(
  calibration: Calibration,
  groups: readonly Group[],
): Record<string, () => string | Promise<string>> {
  return {
    '.md': () => calibrationMarkdown(calibration),
    '.json': () => `${JSON.stringify(calibration, null, 2)}\n`,
    '.xml': () => calibrationJunit(calibration),
    '.sarif': () => calibrationSarif(calibration),
    '.html': () => calibrationHtml(calibration),
    '.har': () => judgedHar(groups),
  }
}

/** The judged exchanges, whose values are stand-ins: an archive that can be shared. */
function judgedHar(groups: readonly Group[]): string {
  const numbered = groups.flatMap(({ exchanges }, group) =>
    exchanges.map((exchange) => ({ exchange, group })),
  )
  const entries = numbered.map(({ exchange, group }) => {
    const { at, operation, request, response } = exchange
    return harEntry({
      startedDateTime: new Date(at).toISOString(),
      durationMs: 0,
      request: {
        method: operation.method,
        url: `http://recorded.example${request.url}`,
        headers: header('content-type', request.contentType),
        body: request.body ?? '',
      },
      response: {
        status: response.status,
        headers: [...header('Date', new Date(at).toUTCString()), ...header('Content-Type', response.type)],
        body: response.body,
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

function header(name: string, value: string | undefined): { name: string; value: string }[] {
  return value === undefined ? [] : [{ name, value }]
}

/** Only one account is judged. */
function recorded(credentials: Credentials): RecordedCredentials {
  const { form } = credentials
  if (form !== 'basic' && form !== 'unknown') return { form }
  const isWrong = form === 'basic' && !credentials.isGood
  return { form: 'basic', login: 'account-1', secret: isWrong ? 'secret-2' : 'secret-1' }
}
