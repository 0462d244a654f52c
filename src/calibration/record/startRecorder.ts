import http, {
  createServer,
  STATUS_CODES,
  type ClientRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import https from 'node:https'
import { createValidator } from '../../contract/validator/createValidator.ts'
import { Connections } from '../../http/Connections.ts'
import { hostGuard, pageGuard } from '../../http/guards.ts'
import { closeServer, listen, urlOf } from '../../listen.ts'
import { pairsOf } from '../../pairsOf.ts'
import { UserError } from '../../UserError.ts'
import { HarFile } from './HarFile.ts'
import type { PendingExchange } from './PendingExchange.ts'
import { Recording, type RecordingOptions } from './Recording.ts'

export interface RecorderOptions extends RecordingOptions {
  /** `https://real.example`, with a path if the API is mounted below one */
  target: string
  host: string
  /** 0 picks a free one */
  port: number
  /** The HAR file */
  output: string
  /** Further host names that it answers to */
  allowedHosts?: readonly string[]
}

export interface Recorder {
  url: string
  /** Exchanges so far */
  counts: Readonly<Recording['counts']>
  close: () => Promise<void>
}

/** Marks a response as the recorder's own, and says why. */
const errorHeader = 'proxysim-record-error'

/** A reverse proxy in front of the real service that records what passes through. @throws UserError */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const target = targetOf(options.target)
  const validator = await createValidator(options.contract)
  const client = target.protocol === 'https:' ? https : http
  // No connection is used twice: if the target closes an idle one just then, nobody knows whether it got the request.
  const agent = new client.Agent({ keepAlive: false })
  const reasons = new Set<string>()
  const fail = (reason: string): void => {
    if (!reasons.has(reason)) options.onFailure(reason)
    reasons.add(reason)
  }
  const pending = new Set<(reason: string) => void>()
  const allowsHost = hostGuard(options.host, options.allowedHosts ?? [])
  const handle: RequestListener = (request, response) => {
    // It carries requests to the real service: a page of another site must not send any.
    const refusal = allowsHost(request) ?? pageGuard(request)
    if (refusal) return refuse(response, refusal.reason, refusal.status)
    const one = recording.begin(request)
    request.on('data', (chunk: Buffer) => one.requestBytes.add(chunk))
    const giveUp = (reason: string, isReached = true): void => {
      if (one.isOver) return
      if (isReached) one.finish(reason)
      else one.forget()
      refuse(response, reason)
      fail(reason)
    }
    let outgoing: ClientRequest
    // Node reads more than it sends: then it throws, and the recorder goes on.
    try {
      outgoing = forward(one, client.request, { agent, target })
    } catch (error) {
      return giveUp(`the request can't be passed on (${codeOf(error)})`, false)
    }
    pending.add(giveUp)
    response.once('close', () => {
      pending.delete(giveUp)
      one.finish('the client disconnected before the response was complete')
      // If the client disconnects, the request to the target ends too.
      outgoing.destroy()
      // A client may send all of its request before it reads an early response.
      request.unpipe().resume()
    })
    outgoing.on('response', (answer) => {
      try {
        pass(one, answer, response)
      } catch (error) {
        giveUp(`the target's response can't be passed on (${codeOf(error)})`)
      }
    })
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy()
      giveUp('the target switched protocols, though nobody asked (101)')
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (one.answer || response.destroyed) return
      giveUp(`${failureOf(error)} (${codeOf(error)})`, wasConnected(error))
    })
  }
  const server = createServer()
  const connections = new Connections(server, handle)
  // Node would refuse it by itself.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  await listen(server, options.port, options.host)
  // Only now, so that a start that fails leaves no file behind; no request is read before the next turn of the event loop.
  let file: HarFile
  try {
    file = new HarFile(options.output)
  } catch (error) {
    server.close()
    throw error
  }
  const recording = new Recording({ ...options, file, target, validator, onFailure: fail })
  return {
    url: urlOf(server, options.host),
    counts: recording.counts,
    async close() {
      await closeServer(server, connections)
      for (const giveUp of pending) giveUp('the recorder was stopped before the response was complete')
      file.close()
    },
  }
}

function targetOf(text: string): URL {
  if (!URL.canParse(text)) throw new UserError('The target is not a URL such as https://real.example.')
  const target = new URL(text)
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new UserError('The target must begin with http:// or https://.')
  if (target.username !== '' || target.password !== '')
    throw new UserError('The target must not contain credentials; the client sends them.')
  if (target.search !== '' || target.hash !== '')
    throw new UserError('The target must not contain a query; the client sends it.')
  return target
}

/** The path as the client wrote it, below that of the target. */
function pathAt({ pathname }: URL, path: string): string {
  return pathname.replace(/\/$/, '') + path
}

/** Streams a response to the client; its end waits until the exchange is recorded. */
function pass(one: PendingExchange, answer: IncomingMessage, response: ServerResponse): void {
  one.answer = answer
  const length = answer.headers['content-length']
  const expected = length === undefined ? undefined : Number(length)
  const { method } = one.request
  const hasNoBody =
    method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304 || expected === 0
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', without(hops, answer.rawHeaders))
  if (hasNoBody) one.finish()
  else if (expected === undefined) response.flushHeaders()
  answer.on('data', (chunk: Buffer) => {
    one.responseBytes.add(chunk)
    // With a Content-Length, this byte is the end for the client.
    if (expected !== undefined && one.responseBytes.length >= expected) one.finish()
    if (!response.write(chunk)) {
      answer.pause()
      response.once('drain', () => answer.resume())
    }
  })
  answer.on('end', () => {
    one.finish()
    response.end()
  })
  for (const event of ['error', 'aborted'])
    answer.on(event, () => {
      one.finish('the target aborted the response')
      response.destroy()
    })
}

/** Passes a request on as it was written, but for the host: the real service is known by its own name. */
function forward(
  { request, url }: PendingExchange,
  send: typeof http.request,
  { agent, target }: { agent: http.Agent; target: URL },
): ClientRequest {
  const headers = without(ofConnection, request.rawHeaders)
  // Node would announce a chunked body, also if there is none.
  const hasBody = 'content-length' in request.headers || 'transfer-encoding' in request.headers
  if (!hasBody && !bodyless.test(request.method ?? '')) headers.push('Content-Length', '0')
  const outgoing = send({
    agent,
    protocol: target.protocol,
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method: request.method,
    path: pathAt(target, url),
    // Told to close, a target that answers early might cut the request off, and its answer with it.
    headers: ['host', target.host, 'connection', 'keep-alive', ...headers],
  })
  return request.pipe(outgoing)
}

/** Of a request: a body without a length stays chunked. Trailers aren't passed on, so they aren't announced. */
const ofConnection = /^(?:host|connection|keep-alive|proxy-connection|trailer|upgrade)$/i

/** Of a response, whose body Node delimits anew */
const hops = /^(?:connection|keep-alive|proxy-connection|trailer|transfer-encoding|upgrade)$/i

/** With these Node adds nothing: a request usually has no body. */
const bodyless = /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/

function without(names: RegExp, raw: readonly string[]): string[] {
  return pairsOf(raw)
    .filter(([name]) => !names.test(name))
    .flat()
}

/** Tells the client why there is no response of the target. */
function refuse(response: ServerResponse, reason: string, status = 502): void {
  if (response.headersSent) return void response.destroy()
  // What the target's own head has left in `response` is overridden: its reason phrase, and that it has no body. But a
  // client that is still sending would be cut off by the close, and miss the response.
  const connection = response.req.complete && { connection: 'close' }
  const headers = { 'content-type': 'application/json', ...connection, [errorHeader]: reason }
  response.writeHead(status, STATUS_CODES[status], headers)
  response.end(JSON.stringify({ error: `proxysim record: ${reason}` }))
}

/** If there was a connection, the target may have carried out the request: that belongs in the recording. */
function wasConnected({ code = '', syscall }: NodeJS.ErrnoException): boolean {
  return /^(?:ECONNRESET|EPIPE|HPE_)/.test(code) || syscall === 'read'
}

function failureOf(error: NodeJS.ErrnoException): string {
  if (error.code?.startsWith('HPE_')) return "the target's response can't be read"
  return wasConnected(error) ? 'the target broke off without a response' : "the target can't be reached"
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'no answer'
}
