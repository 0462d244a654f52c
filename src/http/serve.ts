import { raw, type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { endConnection } from '../faults/effects/drop.ts'
import { batch, endOfTurn, whenIdle } from '../batch.ts'
import { countHeader } from './countHeader.ts'
import { handleRequest, type Plane } from './handleRequest.ts'
import type { WireBody, WireRequest, WireResponse } from './Wire.ts'

/**
 * Bytes beyond the limit that are read from a body that is too large. Many clients only read the response after they
 * have sent the whole body, but a body may be endless.
 */
const drainLimit = 16 * 1024 * 1024

/** Bytes to buffer for a slow reader of a stream before it is disconnected */
const maxBacklog = 1024 * 1024

/** Express middleware that runs the pipeline. */
export function serve(open: () => Plane | Promise<Plane>, stopping: AbortSignal): RequestHandler {
  const begin = batch(endOfTurn(), (exchange: ExpressExchange) => void carry(exchange))
  const finish = batch(whenIdle, send)

  async function carry(exchange: ExpressExchange): Promise<void> {
    if (isCutOff(exchange.req)) return
    try {
      const plane = open()
      exchange.response = await handleRequest(
        plane instanceof Promise ? await plane : plane,
        exchange.request,
      )
      finish(exchange)
    } catch (error) {
      exchange.next(error)
    }
  }

  return (req, res, next) => begin(new ExpressExchange(req, res, next, stopping))
}

/** An Express request and its response. */
class ExpressExchange {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
  readonly request: WireRequest
  readonly gone: Gone
  response: WireResponse | undefined

  constructor(req: Request, res: Response, next: NextFunction, stopping: AbortSignal) {
    this.req = req
    this.res = res
    this.next = next
    const gone = new Gone(stopping)
    this.gone = gone
    this.request = {
      method: req.method,
      url: req.originalUrl,
      headers: req.headers,
      count: (header) => countHeader(req.rawHeaders, header),
      body: (limit) => readBody(req, res, limit),
      signal: () => gone.signal,
    }
    res.once('close', () => {
      gone.abort()
      if (!res.writableFinished) this.response?.lost?.()
    })
  }
}

/**
 * Whether the client disconnected or the simulator is stopping. The signal is created lazily: it costs more than the
 * rest of a request.
 */
class Gone {
  readonly #stopping: AbortSignal
  #controller: AbortController | undefined
  #aborted = false
  readonly #stop = (): void => this.abort()

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted || this.#stopping.aborted) this.#controller.abort()
      else this.#stopping.addEventListener('abort', this.#stop)
    }
    return this.#controller.signal
  }

  abort(): void {
    this.#aborted = true
    if (!this.#controller) return
    this.#stopping.removeEventListener('abort', this.#stop)
    this.#controller.abort()
  }
}

/** Whether the connection ended before all of the request had arrived. Such a request is not carried out. */
function isCutOff({ complete, socket }: Request): boolean {
  return !complete && !socket.writable
}

/** Never settles if the body never arrives. */
function readBody(req: Request, res: Response, limit: number): Promise<WireBody> {
  const length = req.headers['content-length']
  if (length === undefined && req.headers['transfer-encoding'] === undefined)
    return Promise.resolve({ bytes: undefined })
  // A small body usually arrives with the headers and can be read synchronously. A lone request is handled before the
  // parser calls it complete.
  const isHere = req.complete || req.readableLength === Number(length)
  if (isHere && req.headers['content-encoding'] === undefined && req.readableLength <= limit)
    return Promise.resolve({ bytes: (req.read() as Buffer | null) ?? undefined })
  return new Promise((resolve) => {
    const refuse = (why: { unreadable: string; tooLarge?: boolean }): void => {
      res.shouldKeepAlive = false // the rest of the body won't be read
      resolve(why)
    }
    const refuseSize = (): void =>
      refuse({ unreadable: `the body is larger than ${limit} bytes`, tooLarge: true })
    let received = 0
    req.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > limit + drainLimit) refuseSize()
    })
    raw({ type: () => true, limit })(req, res, (error?: unknown) => {
      if (isCutOff(req)) return
      if (error) {
        const { type, message } = error as { type?: string; message: string }
        if (type === 'entity.too.large') refuseSize()
        else refuse({ unreadable: whyUnreadable(type, message) })
      } else if (Buffer.isBuffer(req.body)) resolve({ bytes: req.body })
    })
  })
}

function whyUnreadable(type: string | undefined, message: string): string {
  if (type === 'encoding.unsupported') return 'the Content-Encoding is not supported'
  return `the body cannot be read: ${message}`
}

function send(exchange: ExpressExchange): void {
  try {
    write(exchange, exchange.response as WireResponse)
  } catch (error) {
    exchange.next(error)
  }
}

function write({ req, res, gone }: ExpressExchange, response: WireResponse): void {
  const { status, headers, body, drop, lost } = response
  if (res.closed) return lost?.()
  if (drop !== undefined) return endConnection(drop, req, res, response)
  res.writeHead(status, headers)
  if (req.method === 'HEAD') res.end()
  else if (response.stream) stream(res, response.stream, gone.signal)
  else res.end(body)
}

function stream(res: Response, start: NonNullable<WireResponse['stream']>, signal: AbortSignal): void {
  res.flushHeaders()
  if (signal.aborted) return void res.end() // the simulator is stopping already
  signal.addEventListener('abort', () => res.end(), { once: true })
  start((piece) => {
    if (res.destroyed || res.writableEnded) return
    if (res.writableLength > maxBacklog) res.destroy()
    else res.write(piece)
  })
}
