import { styleText } from 'node:util'
import { stdSerializers, type DestinationStream, type Logger, type SerializerFn } from 'pino'
import type { Store } from '../store/Store.ts'
import type { JournalEntry } from '../admin/shapes.ts'
import { visible } from '../report/visible.ts'
import { entryOf } from './redaction/redactRecord.ts'
import { Redactor, type KnownSecrets } from './redaction/Redactor.ts'
import { standardError } from './standardError.ts'

/** Logs to standard error: JSON for programs, readable lines on a terminal. */
export function logDestination(): DestinationStream {
  const { stderr } = process
  return stderr.isTTY
    ? { write: (line) => void stderr.write(`${readable(line)}\n`) }
    : { write: (line) => standardError.write(visible(line)) }
}

/**
 * Pino serializers: user input is only logged in these fields, never in the message, and gets redacted.
 * @param known finds all known credentials
 */
export function logSerializers(known: () => KnownSecrets): Record<string, SerializerFn> {
  const redact = (value: unknown): unknown => new Redactor(known()).value(value)
  return { path: redact, violations: redact, err: (error: Error) => redact({ ...stdSerializers.err(error) }) }
}

/** The log's fields of a request: a summary of the journal entry, so free of credentials. */
type LoggedRequest = Pick<
  JournalEntry,
  'id' | 'account' | 'operation' | 'method' | 'path' | 'status' | 'case' | 'reason'
> & { ms: number }

/** Logs each API request if the level asks for it; otherwise it costs nothing. */
export function logRequests(store: Pick<Store, 'onCommit'>, log: Logger): void {
  const hasRequests = log.isLevelEnabled('info')
  store.onCommit = ({ login, changes, record }) => {
    for (const { description, skipped } of changes)
      if (skipped !== undefined) log.warn({ account: login, entry: description, reason: skipped }, 'skipped')
    if (!record || !hasRequests) return
    const { id, account, operation, method, path, status, case: name, reason, durationMs } = entryOf(record)
    const request = { id, account, operation, method, path, status, case: name, reason, ms: durationMs }
    log.info(request satisfies LoggedRequest, 'request')
  }
}

type Style = Parameters<typeof styleText>[0]

const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr })

/** Formats a line of pino's output for people. */
function readable(line: string): string {
  const { time, level, msg, pid: _pid, hostname: _hostname, ...rest } = JSON.parse(line) as Entry
  const at = paint('dim', new Date(time).toTimeString().slice(0, 8))
  if (msg === 'request') return `${at} ${requestLine(rest as unknown as LoggedRequest)}`
  const [style, name] = level >= 50 ? (['red', 'error'] as const) : (['yellow', 'warning'] as const)
  const { err, ...fields } = rest
  const more = [
    ...(Object.keys(fields).length ? [JSON.stringify(fields)] : []),
    ...(err ? [`\n${err.stack ?? err.message}`] : []),
  ]
  return [at, ...(level > 30 ? [paint(style, name)] : []), visible([msg, ...more].join(' '))].join(' ')
}

interface Entry {
  time: number
  level: number
  msg: string
  pid: number
  hostname: string
  err?: { stack?: string; message: string }
  [field: string]: unknown
}

function requestLine({ id, method, path, status, case: name, reason, ms }: LoggedRequest): string {
  const style = status === null || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  return [
    paint('dim', `#${id}`),
    paint(style, String(status ?? 'dropped')),
    visible(`${method} ${path}`),
    paint('dim', `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`),
    ...(name === null ? [] : [paint(style, name)]),
    ...(reason === null ? [] : [visible(reason)]),
  ].join(' ')
}
