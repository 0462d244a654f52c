import { styleText } from 'node:util'
import { stdSerializers, type DestinationStream, type Logger, type SerializerFn } from 'pino'
import type { Store } from './store/Store.ts'
import type { JournalEntry } from './contract/shapes.ts'
import { visible } from './report/visible.ts'
import { getEntry } from './journal/getEntry.ts'
import type { RefusedRequest } from './journal/RefusedRequests.ts'
import { redactValue } from './journal/redact.ts'

/** Maximum number of bytes buffered for a slow reader. Further lines are dropped, so that logging never delays a request. */
const maxBufferedBytes = 1024 * 1024

/** Standard error as a destination of pino: JSON for programs, readable lines on a terminal. */
export function logDestination(): DestinationStream {
  const { stderr } = process
  const format = stderr.isTTY ? (line: string) => `${formatLine(line)}\n` : visible
  return {
    write(line) {
      if (stderr.writableLength < maxBufferedBytes) stderr.write(format(line))
    },
  }
}

/** Pino serializers. User input is only logged in these fields, redacted, and never in the message. */
export const logSerializers: Record<string, SerializerFn> = {
  path: redactValue,
  violations: redactValue,
  err: (error: Error) => redactValue({ ...stdSerializers.err(error) }),
}

/** The log fields of a request, from its journal entry, which contains no credentials. */
function summarizeEntry(entry: JournalEntry) {
  return {
    id: entry.id,
    account: entry.account,
    operation: entry.operation,
    method: entry.method,
    path: entry.path,
    status: entry.status,
    case: entry.case,
    reason: entry.reason,
    ms: entry.durationMs,
  }
}

/** Logs skipped timeline entries and, if the log level is `info` or lower, API requests. */
export function logRequests(store: Pick<Store, 'onCommit'>, log: Logger): void {
  const isInfoEnabled = log.isLevelEnabled('info')
  store.onCommit = ({ login, changes, record }) => {
    for (const { description, skipped } of changes)
      if (skipped !== undefined) log.warn({ account: login, entry: description, reason: skipped }, 'skipped')
    if (record && isInfoEnabled) log.info(summarizeEntry(getEntry(record)), 'request')
  }
}

const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  styleText(style, text, { stream: process.stderr })

interface Line {
  time: number
  level: number
  msg: string
  pid: number
  hostname: string
  err?: { stack?: string; message: string }
}

/** Formats a line of pino's output for people. */
export function formatLine(line: string): string {
  const { time, level, msg, pid: _pid, hostname: _hostname, err, ...fields } = JSON.parse(line) as Line
  const at = paint('dim', new Date(time).toTimeString().slice(0, 8))
  if (msg === 'request') return `${at} ${formatRequest(fields as ReturnType<typeof summarizeEntry>)}`
  if (msg === 'refused') return `${at} ${formatRefused(fields as RefusedRequest)}`
  const name = level >= 50 ? paint('red', 'error ') : level > 30 ? paint('yellow', 'warning ') : ''
  const details = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
  return `${at} ${name}${visible(`${msg}${details}${err ? `\n${err.stack ?? err.message}` : ''}`)}`
}

function formatRefused({ method, path, host, status, reason }: RefusedRequest): string {
  const call = method === null && path === null ? '' : ` ${method} ${path} (host ${host})`
  return `${paint('yellow', String(status ?? 'closed'))}${visible(`${call} ${reason}`)}`
}

function formatRequest(request: ReturnType<typeof summarizeEntry>): string {
  const { id, method, path, status, reason, ms } = request
  const style = status === null || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  return [
    paint('dim', `#${id}`),
    paint(style, String(status ?? 'no response')),
    visible(`${method} ${path}`),
    paint('dim', `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`),
    ...(request.case === null ? [] : [paint(style, request.case)]),
    ...(reason === null ? [] : [visible(reason)]),
  ].join(' ')
}
