import { pipeline } from 'node:stream/promises'
import http, { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { createValidator } from '../../../contract/validator/createValidator.ts'
import { hostGuard, pageGuard, resolveAddress, listen, realTime } from '../../simulator.ts'
import { isNotTls, toPairs } from '../../../lib/http.ts'
import { UserError } from '../../../lib/UserError.ts'
import { maxBody } from '../decodeBody.ts'
import { HarFile } from './HarFile.ts'
import { createFirstReader } from './readFirst.ts'
import { Recording, type Message, type RecordingOptions } from './Recording.ts'

export interface RecorderOptions extends RecordingOptions {
  /** `https://real.example`, with a path if the API is mounted below one */
  target: string
  host: string
  /** 0 picks a free port */
  port: number
  /** The HAR file */
  output: string
  /** First segment of every path; required if other machines can connect */
  token?: string | undefined
  /** Whether to read each login's account before its first request is passed on, with the request's credentials. @default false */
  readFirst?: boolean
  /** Called with a message for each account that was read first */
  onRead?: (line: string) => void
  /** Further accepted host names */
  allowedHosts?: readonly string[]
}

export interface Recorder {
  url: string
  counts: Readonly<Recording['counts']>
  close: () => Promise<void>
}

/** Starts a reverse proxy for the real service that records all traffic. @throws UserError */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const target = parseTarget(options)
  const { token } = options
  if (token !== undefined && !/^[\w-]{8,}$/.test(token))
    throw new UserError('A token must have at least eight characters: letters, digits, _ or -.')
  const address = await resolveAddress(options.host, token, 'token', 'could send requests to the target')
  const validator = await createValidator(options.contract)
  const allowsHost = hostGuard(options.host, options.allowedHosts ?? [])
  const server = createServer()
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // Requests are passed on to the real service, so pages of other sites must not send any.
    const refusal = allowsHost(request) ?? pageGuard(request)
    if (refusal) return refuse(response, refusal.reason, refusal.status)
    if (token !== undefined) {
      const [, first, rest = '/'] = /^\/([^/?]*)(.*)$/.exec(request.url ?? '') ?? []
      if (first !== token) return refuse(response, 'the path must begin with the token', 401)
      request.url = rest
    }
    relay.handle(request, response)
  }
  const { port, host } = options
  const { url, close } = await listen(server, handle, { port, address, host })
  // Created only now, so that a failed start leaves no file behind. Requests arrive after this turn of the event loop, when
  // `relay` is set.
  let file: HarFile
  try {
    file = new HarFile(options.output)
  } catch (error) {
    server.close()
    throw error
  }
  const recording = new Recording({ ...options, file, target, validator })
  const relay = new Relay(target, recording, options)
  return {
    url: token === undefined ? url : `${url}/${token}`,
    counts: recording.counts,
    async close() {
      relay.stop()
      await close()
      await relay.waitForPending()
      file.close()
    },
  }
}

/** Passes requests on to the target, and records them. */
class Relay {
  readonly #target: URL
  readonly #recording: Recording
  readonly #onFailure: RecorderOptions['onFailure']
  readonly #readFirst: ReturnType<typeof createFirstReader> | undefined
  readonly #stopped = new AbortController()
  readonly #pending = new Set<Promise<void>>()

  constructor(target: URL, recording: Recording, options: RecorderOptions) {
    this.#target = target
    this.#recording = recording
    this.#onFailure = options.onFailure
    if (options.readFirst)
      this.#readFirst = createFirstReader(
        options.contract.operations,
        (head) => this.#read(head),
        options.onRead ?? (() => {}),
      )
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const pending: Promise<void> = this.#relay(request, response).finally(() => this.#pending.delete(pending))
    this.#pending.add(pending)
  }

  stop(): void {
    this.#stopped.abort()
  }

  async waitForPending(): Promise<void> {
    await Promise.all(this.#pending)
  }

  /** Records each response before passing it on, so that the file has every response that a client received. */
  async #relay(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let started = realTime()
    const disconnected = new AbortController()
    response.once('close', () => disconnected.abort())
    let request: Message | undefined
    try {
      request = await readMessage(incoming)
      await this.#readFirst?.(request.head)
      started = realTime() // after these reads, which the target receives before
      const reply = await forward(this.#target, request, disconnected.signal)
      const { statusCode = 502, statusMessage = '', rawHeaders } = reply.head
      response.sendDate = false
      const headers = toPairs(rawHeaders).filter(([name]) => !responseHopHeaders.test(name))
      response.writeHead(statusCode, statusMessage, headers.flat())
      this.#recording.add({ started, request, response: reply })
      response.write(reply.body)
      if (reply.rest) await pipeline(reply.rest, response)
      else response.end()
    } catch (cause) {
      const { code, message, wasSent = true } = cause as ForwardError
      const isStopping = this.#stopped.signal.aborted
      const cancelled = isStopping ? 'the recorder was stopped' : 'the client disconnected'
      const failed = wasSent ? 'the target sent no complete response' : "the target can't be reached"
      const reason = disconnected.signal.aborted
        ? `${cancelled} before the response was complete`
        : `${failed} (${code ?? message})${tlsAdvice(cause as ForwardError)}`
      // A request that reached the target may have been executed, so it is recorded.
      if (request && wasSent) this.#recording.add({ started, request, error: reason })
      if (isStopping || !disconnected.signal.aborted) this.#onFailure(reason)
      refuse(response, reason)
    }
  }

  /** Sends and records one of the reads that precede the first request of a login. */
  async #read(head: Message['head']): Promise<Message> {
    const started = realTime()
    const request = { head, body: Buffer.alloc(0) }
    const response = await forward(this.#target, request, this.#stopped.signal)
    this.#recording.add({ started, request, response })
    if (response.rest) for await (const _ of response.rest); // discards the rest of a body that is too long to record
    return response
  }
}

/** The addresses of this machine: loopback ones, and wildcards. */
const localHosts = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::']

function parseTarget({ target: text, host, port }: RecorderOptions): URL {
  if (!URL.canParse(text) || !/^https?:/i.test(text))
    throw new UserError('The target is not an HTTP URL.', { advice: 'Use one such as https://real.example.' })
  const target = new URL(text)
  if (target.username !== '' || target.password !== '')
    throw new UserError('The target must not contain credentials.', { advice: 'Let the client send them.' })
  if (target.search !== '' || target.hash !== '')
    throw new UserError('The target must not contain a query or a fragment.', {
      advice: 'Pass only the base URL.',
    })
  const targetPort = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
  const name = target.hostname.replaceAll(/[[\]]/g, '')
  if (targetPort === port && (name === host || [name, host].every((one) => localHosts.includes(one))))
    throw new UserError(`The target ${target.origin} is the recorder's own address.`, {
      advice: 'Choose another port.',
      options: ['port'],
    })
  return target
}

/** Reads a message with its body. If the body is too long to be recorded, `rest` yields what follows. */
async function readMessage(head: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = []
  let length = 0
  const iterator = head.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    chunks.push(next.value)
    length += next.value.length
    if (length > maxBody)
      return { head, body: Buffer.concat(chunks), rest: { [Symbol.asyncIterator]: () => iterator } }
  }
  return { head, body: Buffer.concat(chunks) }
}

interface ForwardError extends NodeJS.ErrnoException {
  /** Whether the target may have received the request. @default true */
  wasSent?: boolean
}

/** Advice on a TLS error, as a further sentence; empty for other errors. */
function tlsAdvice(error: ForwardError): string {
  if (isNotTls(error)) return '. It does not use TLS. Use http://'
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return '. Its certificate is for another host. Use the host name in the certificate'
  const isUntrusted = /CERT|UNABLE_TO_VERIFY/.test(error.code ?? '')
  return isUntrusted ? '. Set NODE_EXTRA_CA_CERTS to the file of its CA certificate' : ''
}

/** Sends a request to the target, unchanged except for headers of the connection, such as Host. */
function forward(target: URL, { head, body, rest }: Message, signal: AbortSignal): Promise<Message> {
  return new Promise((resolve, reject) => {
    const outgoing = (target.protocol === 'https:' ? https : http).request({
      // Connections aren't reused. While the target closes an idle connection, a request on it may or may not be received.
      agent: false,
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port,
      method: head.method,
      path: target.pathname.replace(/\/$/, '') + head.url,
      signal,
    })
    for (const [name, value] of toPairs(head.rawHeaders))
      if (!requestHopHeaders.test(name)) outgoing.appendHeader(name, value)
    outgoing.on('response', (reply) => void readMessage(reply).then(resolve, reject))
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('switched protocols'))
    })
    outgoing.on('error', (error) =>
      reject(Object.assign(error, { wasSent: outgoing.writableFinished && !isNotTls(error) })),
    )
    if (!rest) return void outgoing.end(body)
    outgoing.write(body)
    void pipeline(rest, outgoing).catch(() => {}) // reported by the event 'error'
  })
}

/** Request headers that only apply to one connection. Trailers aren't passed on, so they aren't announced. */
const requestHopHeaders = /^(?:host|connection|keep-alive|proxy-connection|expect|trailer|upgrade)$/i

/** Response headers that only apply to one connection. Node sets its own Transfer-Encoding. */
const responseHopHeaders = /^(?:connection|keep-alive|proxy-connection|trailer|transfer-encoding|upgrade)$/i

/** Responds with an error of the recorder itself. A header distinguishes it from errors of the target. */
function refuse(response: ServerResponse, reason: string, status = 502): void {
  const headers = { 'content-type': 'application/json', connection: 'close', 'proxysim-record-error': reason }
  response.writeHead(status, STATUS_CODES[status], headers)
  response.end(JSON.stringify({ error: `proxysim record: ${reason}` }))
}
