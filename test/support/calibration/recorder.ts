import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createNetServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startRecorder, type RecorderOptions } from '../../../src/lab/calibration/record/startRecorder.ts'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { createFolder } from '../start.ts'
import type { NaiveService } from './NaiveService.ts'

const contract = await loadContract()

export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export type RequestHandler = (...args: Parameters<RequestListener>) => unknown

/** Starts the service to record. */
export function startRealService(answer: RequestHandler): Promise<string> {
  return listen(createServer((asked, response) => void answer(asked, response)))
}

/** Starts a service that sends these bytes to each connection. */
export async function startRawService(bytes: string): Promise<string> {
  const service = createNetServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(bytes, 'latin1'))
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  onTestFinished(() => void service.close())
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`
}

/** Returns a handler that serves the naive service over HTTP. */
export function serveNaive(service: NaiveService): RequestHandler {
  return async (asked, response) => {
    const body = await readBody(asked)
    const path = asked.url?.split('?', 1)[0] ?? ''
    const { authorization } = asked.headers
    const naiveRequest = { method: asked.method ?? '', path, authorization, body: body.toString() }
    const answer = service.handle(naiveRequest, Date.now())
    response.writeHead(answer.status, answer.type === undefined ? {} : { 'content-type': answer.type })
    response.end(answer.body)
  }
}

export function respondWithJson(
  status: number,
  body: string | Buffer,
  headers: object = {},
): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}

export async function readBody(message: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await message.toArray()) as Buffer[])
}

interface Entry {
  startedDateTime: string
  request: {
    method: string
    url: string
    headers: { name: string }[]
    bodySize: number
    postData?: { text: string }
  }
  response: { status: number; content: { text?: string } }
  _error?: string
}

/** Starts a recorder in front of a service. `lines` has the contract violations, `entries()` reads the entries so far. */
export async function startRecording(target: string, options: Partial<RecorderOptions> = {}) {
  const output = join(createFolder(), 'real.har')
  const [lines, failures]: [string[], string[]] = [[], []]
  const recorder = await startRecorder({
    target,
    output,
    contract,
    host: '127.0.0.1',
    port: 0,
    keep: [],
    onViolation: (line) => lines.push(line),
    onFailure: (reason) => failures.push(reason),
    ...options,
  })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= recorder.close())
  onTestFinished(close)
  const { url, counts } = recorder
  const entries = (): Entry[] => readEntries(output) as Entry[]
  return { url, counts, output, lines, failures, entries, close, call: call.bind(undefined, url) }
}

export function readEntries(file: string): unknown[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { log: { entries: unknown[] } }).log.entries
}

interface CallOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Sends a request with an unchanged path. */
export async function call(url: string, path: string, { body, ...options }: CallOptions = {}) {
  const outgoing = request(url, { path, agent: false, ...options }).end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, statusMessage: message = '', rawHeaders } = response
  return { status, message, headers: rawHeaders, body: await readBody(response) }
}
