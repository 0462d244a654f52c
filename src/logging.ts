import { styleText } from 'node:util'
import { stdSerializers, type DestinationStream, type Logger, type SerializerFn } from 'pino'
import type { Store } from './store/Store.ts'
import type { JournalEntry } from './contract/shapes.ts'
import { visible } from './report/visible.ts'
import { getEntry } from './journal/getEntry.ts'
import type { RefusedRequest } from './journal/RefusedRequests.ts'
import { redactValue } from './journal/redact.ts'

/** Maximum number of bytes buffered for a slow reader. Further lines are dropped, so that logging never delays a request */
const maxUnread = 1024 * 1024

/** Logs to standard error: JSON for programs, readable lines on a terminal. */
export function logDestination(): DestinationStream {
  const { stderr } = process
  const text = stderr.isTTY ? (line: string) => `${readable(line)}\n` : visible
  return {
    write(line) {
      if (stderr.writableLength < maxUnread) stderr.write(text(line))
    },
  }
}

/** Pino serializers. User input is only logged in these fields, redacted, and never in the message. */
export const logSerializers: Record<string, SerializerFn> = {
  path: redactValue,
  violations: redactValue,
  err: (error: Error) => redactValue({ ...stdSerializers.err(error) }),
}

/** The log fields of a request: a summary of its journal entry, and so without credentials. */
function summarizeEntry({
  id,
  account,
  operation,
  method,
  path,
  status,
  durationMs,
  ...entry
}: JournalEntry) {
  return {
    id,
    account,
    operation,
    method,
    path,
    status,
    case: entry.case,
    reason: entry.reason,
    ms: durationMs,
  }
}

/** Logs skipped timeline entries, and each API request if the log level includes requests. */
export function logRequests(store: Pick<Store, 'onCommit'>, log: Logger): void {
  const hasRequests = log.isLevelEnabled('info')
  store.onCommit = ({ login, changes, record }) => {
    for (const { description, skipped } of changes)
      if (skipped !== undefined) log.warn({ account: login, entry: description, reason: skipped }, 'skipped')
    if (record && hasRequests) log.info(summarizeEntry(getEntry(record)), 'request')
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
export function readable(line: string): string {
  const { time, level, msg, pid: _pid, hostname: _hostname, err, ...fields } = JSON.parse(line) as Line
  const at = paint('dim', new Date(time).toTimeString().slice(0, 8))
  if (msg === 'request') return `${at} ${requestLine(fields as ReturnType<typeof summarizeEntry>)}`
  if (msg === 'refused') return `${at} ${refusedLine(fields as RefusedRequest)}`
  const name = level >= 50 ? paint('red', 'error ') : level > 30 ? paint('yellow', 'warning ') : ''
  const more = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
  return `${at} ${name}${visible(`${msg}${more}${err ? `\n${err.stack ?? err.message}` : ''}`)}`
}

function refusedLine({ method, path, host, status, reason }: RefusedRequest): string {
  const call = method === null && path === null ? '' : ` ${method} ${path} (host ${host})`
  return `${paint('yellow', String(status ?? 'closed'))}${visible(`${call} ${reason}`)}`
}

function requestLine(request: ReturnType<typeof summarizeEntry>): string {
  const { id, method, path, status, reason, ms } = request
  const style = status === null || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  return [
    paint('dim', `#${id}`),
    paint(style, String(status ?? 'dropped')),
    visible(`${method} ${path}`),
    paint('dim', `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`),
    ...(request.case === null ? [] : [paint(style, request.case)]),
    ...(reason === null ? [] : [visible(reason)]),
  ].join(' ')
}
