import http, { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { createValidator } from '../../contract/validator/createValidator.ts'
import { hostGuard, pageGuard } from '../../http/guards.ts'
import { listen } from '../../http/listen.ts'
import { pairsOf } from '../../lib/http.ts'
import { UserError } from '../../lib/UserError.ts'
import { realTime } from '../../world/time.ts'
import { HarFile } from './HarFile.ts'
import { Recording, type Message, type RecordingOptions } from './Recording.ts'

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
  counts: Readonly<Recording['counts']>
  close: () => Promise<void>
}

/** A reverse proxy in front of the real service that records what passes through. @throws UserError */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const target = targetOf(options)
  const validator = await createValidator(options.contract)
  const allowsHost = hostGuard(options.host, options.allowedHosts ?? [])
  let isStopping = false

  /** Each response is recorded before it is passed on, so a kill loses none that the client has. */
  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = realTime()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let request: Message | undefined
    try {
      request = await received(incoming)
      const answer = await ask(target, request, gone.signal)
      const { statusCode = 502, statusMessage = '', rawHeaders } = answer.head
      response.sendDate = false
      const headers = pairsOf(rawHeaders).filter(([name]) => !hops.test(name))
      response.writeHead(statusCode, statusMessage, headers.flat())
      recording.add({ started, request, response: answer })
      response.end(answer.body)
    } catch (cause) {
      const { code, message, wasSent = true } = cause as AskError
      const left = isStopping ? 'the recorder was stopped' : 'the client disconnected'
      const failed = wasSent ? 'the target gave no complete response' : "the target can't be reached"
      const reason = gone.signal.aborted
        ? `${left} before the response was complete`
        : `${failed} (${code ?? message})`
      // If it reached the target, it may have been carried out: that belongs in the recording.
      if (request && wasSent) recording.add({ started, request, error: reason })
      if (isStopping || !gone.signal.aborted) options.onFailure(reason)
      refuse(response, reason)
    }
  }

  const pending = new Set<Promise<void>>()
  const server = createServer()
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // It carries requests to the real service: a page of another site must not send any.
    const refusal = allowsHost(request) ?? pageGuard(request)
    if (refusal) return refuse(response, refusal.reason, refusal.status)
    const passed: Promise<void> = pass(request, response).finally(() => pending.delete(passed))
    pending.add(passed)
  }
  const { url, close } = await listen(server, handle, options.port, options.host)
  // Only now, so that a start that fails leaves no file behind; no request is read before the next turn of the event loop.
  let file: HarFile
  try {
    file = new HarFile(options.output)
  } catch (error) {
    server.close()
    throw error
  }
  const recording = new Recording({ ...options, file, target, validator })
  return {
    url,
    counts: recording.counts,
    async close() {
      isStopping = true
      await close()
      await Promise.all(pending)
      file.close()
    },
  }
}

/** Of this machine: those that only it reaches, and those that stand for all that it has */
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

async function received(head: IncomingMessage): Promise<Message> {
  return { head, body: Buffer.concat((await head.toArray()) as Buffer[]) }
}

interface AskError extends NodeJS.ErrnoException {
  /** Whether the target may have got the request. @default true */
  wasSent?: boolean
}

/** Sends a request on as it was written, but for the host: the real service is known by its own name. */
function ask(target: URL, { head, body }: Message, signal: AbortSignal): Promise<Message> {
  return new Promise((resolve, reject) => {
    const outgoing = (target.protocol === 'https:' ? https : http).request({
      // No connection is used twice: if the target closes an idle one just then, nobody knows whether it got the request.
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
    outgoing.end(body)
  })
}

/** Headers of a request that belong to one connection. Trailers aren't passed on, so they aren't announced. */
const ofConnection = /^(?:host|connection|keep-alive|proxy-connection|expect|trailer|upgrade)$/i

/** Those of a response, whose body Node delimits anew */
const hops = /^(?:connection|keep-alive|proxy-connection|trailer|transfer-encoding|upgrade)$/i

/** Tells the client, with a header that only the recorder sends, why there is no response of the target. */
function refuse(response: ServerResponse, reason: string, status = 502): void {
  const headers = { 'content-type': 'application/json', connection: 'close', 'proxysim-record-error': reason }
  response.writeHead(status, STATUS_CODES[status], headers)
  response.end(JSON.stringify({ error: `proxysim record: ${reason}` }))
}
