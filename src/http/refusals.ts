import { type IncomingMessage, METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { clearTimeout, setTimeout } from 'node:timers'
import type { RequestSummary } from '../journal/RefusedRequests.ts'
import { redacted } from '../journal/redact.ts'
import { limits, maxConnections } from './limits.ts'

/** Called for a refused request. @param status null if the connection was closed without a response */
export type OnRefused = (request: RequestSummary, status: number | null, reason: string) => void

/** The target and host of a request. */
export function summarizeRequest({ method, url, headers }: IncomingMessage): RequestSummary {
  return { method, url, host: headers.host }
}

/** An error of Node's HTTP parser. `rawPacket` has the latest data, of which `bytesParsed` were readable */
interface ParseError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
  bytesParsed?: number
  reason?: string
}

/** Milliseconds in which complete requests are answered before unreadable data that follows them */
const answerTime = 5000

/**
 * Refuses unreadable requests with the same responses as Node, and reports all requests that Node
 * refuses without an event. A complete request before them is answered first, because it may have changed the account.
 * @param getResponses the responses that a connection waits for, or else the latest one
 */
export function reportRefusals(
  server: Server,
  getResponses: (socket: Socket) => readonly ServerResponse[],
  onRefused: OnRefused,
): void {
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: ParseError, socket: Socket) => {
    if (refused.has(socket)) return // more data of the same request
    refused.add(socket)
    const [status, text] = toRefusal(error)
    const responses = getResponses(socket)
    const latest = responses.at(-1)
    const complete = latest?.req.complete ? latest : undefined
    // Browsers open connections that they may never use: these just time out.
    if (status === undefined || socket.bytesRead === 0) return socket.destroySoon()
    // Data after the last response, or in a body after its response has begun, does not belong to another request.
    const isOver = complete ? complete.writableEnded && !complete.shouldKeepAlive : latest?.headersSent
    if (isOver) return whenAnswered(latest, () => socket.destroySoon())
    const excess = isExcess(error) ? complete : undefined
    const isOfLatest = latest && (excess || !complete)
    const summary = isOfLatest ? summarizeRequest(latest.req) : parseSummary(error, latest === undefined)
    onRefused(summary, status, excess ? excessReason(excess.req) : text)
    whenAnswered(complete ?? responses.at(-2), () => {
      const isNext = latest?.writableFinished ? latest.shouldKeepAlive : !latest?.headersSent
      const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`
      if (isNext && socket.writable) socket.write(`${line}\r\nConnection: close\r\n\r\n`)
      socket.destroySoon()
    })
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    onRefused(
      summarizeRequest(request),
      417,
      `Expectation Failed: Expect: ${request.headers.expect} is not supported`,
    )
    response.writeHead(417).end()
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const reason = 'Method Not Allowed: this is not a proxy. Is this address set as an HTTP proxy somewhere?'
    const { url, ...summary } = summarizeRequest(request)
    onRefused({ ...summary, url: url?.replace(/^[^/]*@/, `${redacted}@`) }, 405, reason)
    socket.on('error', () => {})
    whenAnswered(getResponses(socket).at(-1), () => {
      if (socket.writable)
        socket.write('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      socket.destroySoon()
    })
  })
  server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ERR_SSL_HTTP_REQUEST')
      onRefused({}, null, 'Plain HTTP was sent to a server that uses TLS. Use https://.')
    else if (code !== 'ECONNRESET') onRefused({}, null, `The TLS handshake failed: ${message.trim()}`)
  })
  server.on('drop', () => {
    onRefused({}, null, `${maxConnections} connections are open, which is the limit.`)
  })
}

/** Calls a function once a response is sent or lost, at the latest after `answerTime`. */
function whenAnswered(response: ServerResponse | undefined, then: () => void): void {
  if (!response || response.closed) return then()
  const finish = (): void => {
    clearTimeout(timer)
    response.off('close', finish)
    then()
  }
  const timer = setTimeout(finish, answerTime)
  response.once('close', finish)
}

/** Whether the unreadable data doesn't look like a request. It then probably belongs to the body of the request before it. */
function isExcess({ code, rawPacket, bytesParsed }: ParseError): boolean {
  if (code !== 'HPE_INVALID_METHOD' && code !== 'HPE_CLOSED_CONNECTION') return false
  return !/^[a-z-]+ \S+ http\//i.test(rawPacket?.toString('latin1', bytesParsed) ?? '')
}

function excessReason({ headers }: IncomingMessage): string {
  const length = headers['content-length']
  const [which, advice] = headers['transfer-encoding']
    ? ['a request after its last chunk', 'Are there bytes after the end of the body?']
    : length === undefined
      ? ['a request without a body', 'Is a body sent without Content-Length?']
      : [
          `a request whose Content-Length is ${length}`,
          'Was the Content-Length counted in characters instead of bytes?',
        ]
  return `Bad Request: more data follows ${which}, and it isn't a request. ${advice}`
}

/** The status and reason for a connection error, as in Node's own response; no status if the connection is broken. */
function toRefusal({
  code = '',
  reason,
  message,
  rawPacket,
}: ParseError): [status: number | undefined, reason: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [
      431,
      `Request Header Fields Too Large: target and headers are larger than ${limits.maxHeaderSize} bytes`,
    ]
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return [413, 'Payload Too Large: the chunk extensions are too long']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, `Request Timeout: the request did not arrive within ${limits.requestTimeout / 1000} s`]
  if (!code.startsWith('HPE_')) return [undefined, message]
  // The first bytes of a TLS handshake
  if (rawPacket?.[0] === 22 && rawPacket[1] === 3)
    return [
      400,
      'Bad Request: TLS was sent to a server without it. Use http://, or start it with --tls-cert and --tls-key.',
    ]
  if (rawPacket?.toString('latin1', 0, 14) === 'PRI * HTTP/2.0')
    return [400, 'Bad Request: HTTP/2 was sent to a server that only speaks HTTP/1.1.']
  return [400, `Bad Request: ${reason ?? message}`]
}

const longestFirst = METHODS.toSorted((a, b) => b.length - a.length)

/**
 * The readable parts of the refused request. In its packet, complete requests can precede it, or the end of a body.
 * @param isAlone whether it is the first request on its connection
 */
function parseSummary({ rawPacket, bytesParsed = 0 }: ParseError, isAlone: boolean): RequestSummary {
  const packet = rawPacket?.toString('latin1') ?? ''
  const readable = isAlone ? 0 : bytesParsed
  const [before, rest] = [packet.slice(0, readable), packet.slice(readable)]
  const head = (before.split('\r\n\r\n').at(-1) ?? '') + (rest.split('\r\n\r\n')[0] ?? '')
  const lines = head.split('\r\n')
  const first = lines.findLastIndex((line) => /^(?![\w-]+:).* (?:\/|\*|https?:)\S* HTTP\/\d\.\d$/i.test(line))
  const host = /^host:(.*)$/im.exec(lines.slice(first + 1).join('\n'))?.[1]?.trim()
  if (first >= 0) {
    const [word = '', url] = lines[first]?.split(' ').slice(-3) ?? []
    // The end of a body may precede the method.
    const [method = ''] = /[a-z-]+$/i.exec(word.slice(-50)) ?? []
    const isWhole = isAlone || head.trimStart().startsWith(`${method} `)
    return {
      method: isWhole ? method : (longestFirst.find((one) => method.endsWith(one)) ?? method),
      url,
      host,
    }
  }
  const [, method = '', url] = /^\s*([A-Z-]+) (\S+)/i.exec(head) ?? []
  return isAlone || METHODS.includes(method) ? { method: method || undefined, url, host } : {}
}
