import { pipeline } from 'node:stream/promises'
import http, { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { createValidator } from '../../contract/validator/createValidator.ts'
import { hostGuard, pageGuard, requireToken } from '../../http/guards.ts'
import { listen } from '../../http/listen.ts'
import { pairsOf } from '../../lib/http.ts'
import { UserError } from '../../lib/UserError.ts'
import { realTime } from '../../world/time.ts'
import { maxBody } from '../bodies.ts'
import { HarFile } from './HarFile.ts'
import { readFirst } from './readFirst.ts'
import { Recording, type Message, type RecordingOptions } from './Recording.ts'

export interface RecorderOptions extends RecordingOptions {
  /** `https://real.example`, with a path if the API is mounted below one */
  target: string
  host: string
  /** 0 picks a free port */
  port: number
  /** The HAR file */
  output: string
  /** First segment of all paths; required beyond this machine */
  token?: string | undefined
  /** Whether to read the account with the credentials of each login's first request, before passing it on. @default false */
  readFirst?: boolean
  /** Called with the result of reading an account first */
  onRead?: (line: string) => void
  /** Further accepted host names */
  allowedHosts?: readonly string[]
}

export interface Recorder {
  url: string
  counts: Readonly<Recording['counts']>
  close: () => Promise<void>
}

/** A reverse proxy in front of the real service that records all traffic. @throws UserError */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const target = targetOf(options)
  const { token } = options
  if (token !== undefined && !/^[\w-]{8,}$/.test(token))
    throw new UserError('A token has at least eight letters, digits, _ or -.')
  const address = await requireToken(
    options.host,
    token,
    'could send requests to the target. Set a token with --token',
  )
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
    relay.take(request, response)
  }
  const { port, host } = options
  const { url, close } = await listen(server, handle, { port, address, host })
  // Created only now, so that a failed start leaves no file behind. No request is read before the next turn of the event loop.
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
      await relay.ended()
      file.close()
    },
  }
}

/** Passes requests on to the target, and records them. */
class Relay {
  readonly #target: URL
  readonly #recording: Recording
  readonly #onFailure: RecorderOptions['onFailure']
  readonly #readBefore: ReturnType<typeof readFirst> | undefined
  readonly #stopped = new AbortController()
  readonly #pending = new Set<Promise<void>>()

  constructor(target: URL, recording: Recording, options: RecorderOptions) {
    this.#target = target
    this.#recording = recording
    this.#onFailure = options.onFailure
    if (options.readFirst)
      this.#readBefore = readFirst((head) => this.#read(head), options.onRead ?? (() => {}))
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    const passed: Promise<void> = this.#pass(request, response).finally(() => this.#pending.delete(passed))
    this.#pending.add(passed)
  }

  stop(): void {
    this.#stopped.abort()
  }

  async ended(): Promise<void> {
    await Promise.all(this.#pending)
  }

  /** Each response is recorded before it is passed on, so no response that a client received is lost if the process is killed. */
  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = realTime()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let request: Message | undefined
    try {
      request = await received(incoming)
      await this.#readBefore?.(request.head)
      const answer = await ask(this.#target, request, gone.signal)
      const { statusCode = 502, statusMessage = '', rawHeaders } = answer.head
      response.sendDate = false
      const headers = pairsOf(rawHeaders).filter(([name]) => !hops.test(name))
      response.writeHead(statusCode, statusMessage, headers.flat())
      this.#recording.add({ started, request, response: answer })
      response.write(answer.body)
      if (answer.rest) await pipeline(answer.rest, response)
      else response.end()
    } catch (cause) {
      const { code, message, wasSent = true } = cause as AskError
      const isStopping = this.#stopped.signal.aborted
      const left = isStopping ? 'the recorder was stopped' : 'the client disconnected'
      const failed = wasSent ? 'the target gave no complete response' : "the target can't be reached"
      const isUntrusted = /CERT|UNABLE_TO_VERIFY/.test(code ?? '')
      const hint = isUntrusted ? '. Set NODE_EXTRA_CA_CERTS to the file of its certificate' : ''
      const reason = gone.signal.aborted
        ? `${left} before the response was complete`
        : `${failed} (${code ?? message})${hint}`
      // A request that reached the target may have been executed, so it is recorded.
      if (request && wasSent) this.#recording.add({ started, request, error: reason })
      if (isStopping || !gone.signal.aborted) this.#onFailure(reason)
      refuse(response, reason)
    }
  }

  /** Asks for the account before the first request of its login is passed on. */
  async #read(head: Message['head']): Promise<Message> {
    const started = realTime()
    const request = { head, body: Buffer.alloc(0) }
    const response = await ask(this.#target, request, this.#stopped.signal)
    this.#recording.add({ started, request, response })
    if (response.rest) for await (const _ of response.rest); // it is too long to be recorded
    return response
  }
}

/** The addresses of this machine: loopback ones, and wildcards. */
const ownNames = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::']

function targetOf({ target: text, host, port }: RecorderOptions): URL {
  if (!URL.canParse(text) || !/^https?:/i.test(text))
    throw new UserError('The target is not a URL such as https://real.example.')
  const target = new URL(text)
  if (target.username !== '' || target.password !== '')
    throw new UserError('The target must not contain credentials; the client sends them.')
  if (target.search !== '' || target.hash !== '')
    throw new UserError('The target must not contain a query; the client sends it.')
  const targetPort = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
  const name = target.hostname.replaceAll(/[[\]]/g, '')
  if (targetPort === port && (name === host || [name, host].every((one) => ownNames.includes(one))))
    throw new UserError(`The target ${target.origin} is the recorder's own address. Choose another --port.`)
  return target
}

/** A message with its body. If the body is too long to be recorded, the rest is still to come. */
async function received(head: IncomingMessage): Promise<Message> {
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

interface AskError extends NodeJS.ErrnoException {
  /** Whether the target may have received the request. @default true */
  wasSent?: boolean
}

/** Passes a request on unchanged except for the host, because the real service has its own name. */
function ask(target: URL, { head, body, rest }: Message, signal: AbortSignal): Promise<Message> {
  return new Promise((resolve, reject) => {
    const outgoing = (target.protocol === 'https:' ? https : http).request({
      // Connections aren't reused: if the target closes an idle one at that moment, it is unknown whether it received the request.
      agent: false,
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port,
      method: head.method,
      path: target.pathname.replace(/\/$/, '') + head.url,
      signal,
    })
    for (const [name, value] of pairsOf(head.rawHeaders))
      if (!ofConnection.test(name)) outgoing.appendHeader(name, value)
    outgoing.on('response', (answer) => void received(answer).then(resolve, reject))
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('switched protocols'))
    })
    outgoing.on('error', (error) => reject(Object.assign(error, { wasSent: outgoing.writableFinished })))
    if (!rest) return void outgoing.end(body)
    outgoing.write(body)
    void pipeline(rest, outgoing).catch(() => {}) // reported by the event 'error'
  })
}

/** Headers of a request that belong to one connection. Trailers aren't passed on, so they aren't announced */
const ofConnection = /^(?:host|connection|keep-alive|proxy-connection|expect|trailer|upgrade)$/i

/** Such headers of a response, whose body Node frames again */
const hops = /^(?:connection|keep-alive|proxy-connection|trailer|transfer-encoding|upgrade)$/i

/** Responds with the reason why the target gave no response. The response has a header that only the recorder sends. */
function refuse(response: ServerResponse, reason: string, status = 502): void {
  const headers = { 'content-type': 'application/json', connection: 'close', 'proxysim-record-error': reason }
  response.writeHead(status, STATUS_CODES[status], headers)
  response.end(JSON.stringify({ error: `proxysim record: ${reason}` }))
}
