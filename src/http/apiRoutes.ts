import { raw, type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { endConnection } from '../faults/effects/drop.ts'
import type { Simulation } from '../Simulation.ts'
import { whenIdle, endOfTurn, batch } from '../batch.ts'
import { countHeader } from './countHeader.ts'
import type { WireBody, WireResponse, WireRequest } from './Wire.ts'
import { handleRequest } from './handleRequest.ts'

/** Bytes that a body may have. */
const largestBody = 1024 * 1024

/**
 * Bytes after which an answer no longer waits for the end of the body. A body that is too large is read to its end,
 * as many clients look for an answer only then; but there may be no end.
 */
const drainLimit = 16 * largestBody

const tooLarge = `the body is larger than ${largestBody} bytes`

const readRaw = raw({ type: () => true, limit: largestBody })

/** Carries requests of Express to the road, and its replies back. */
export function apiHandler(simulation: Simulation): RequestHandler {
  const begin = batch(endOfTurn, (exchange: Exchange) => void carry(exchange))
  const finish = batch(whenIdle, send)

  async function carry(exchange: Exchange): Promise<void> {
    try {
      exchange.reply = await handleRequest(simulation, exchange.request)
      finish(exchange)
    } catch (error) {
      exchange.next(error)
    }
  }

  return (req, res, next) => begin(new Exchange(req, res, next))
}

/** A request of Express and what becomes of it. */
class Exchange {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
  readonly request: WireRequest
  reply: WireResponse | undefined

  constructor(req: Request, res: Response, next: NextFunction) {
    this.req = req
    this.res = res
    this.next = next
    const gone = new Gone()
    this.request = plain(req, res, gone)
    res.once('close', () => {
      if (res.writableFinished) return
      gone.abort()
      this.reply?.lost?.()
    })
  }
}

/** Whether the client went away. The signal is made for the few that ask: it costs more than the rest of a request. */
class Gone {
  #controller: AbortController | undefined
  #aborted = false

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#aborted) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.#aborted = true
    this.#controller?.abort()
  }
}

function plain(req: Request, res: Response, gone: Gone): WireRequest {
  return {
    method: req.method,
    url: req.originalUrl,
    headers: req.headers,
    count: (header) => countHeader(req.rawHeaders, header),
    body: () => readBody(req, res),
    signal: () => gone.signal,
  }
}

function readBody(req: Request, res: Response): Promise<WireBody> {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
    return Promise.resolve({ bytes: undefined })
  // A small body comes with its headers: then it is all there, and nothing has to be waited for.
  if (req.complete && req.headers['content-encoding'] === undefined && req.readableLength <= largestBody)
    return Promise.resolve({ bytes: (req.read() as Buffer | null) ?? undefined })
  return new Promise((resolve) => {
    const refuse = (unreadable: string): void => {
      res.shouldKeepAlive = false // what is left of the body will not be read
      resolve({ unreadable })
    }
    let received = 0
    req.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > drainLimit) refuse(tooLarge)
    })
    readRaw(req, res, (error?: unknown) => {
      if (error) refuse(whyUnreadable(error as { type?: string; message: string }))
      else resolve({ bytes: Buffer.isBuffer(req.body) ? req.body : undefined })
    })
  })
}

function whyUnreadable({ type, message }: { type?: string; message: string }): string {
  if (type === 'entity.too.large') return tooLarge
  if (type === 'encoding.unsupported') return 'the Content-Encoding is not taken'
  return `the body can't be read: ${message}`
}

function send({ req, res, next, reply }: Exchange): void {
  try {
    write(req, res, reply as WireResponse)
  } catch (error) {
    next(error)
  }
}

function write(req: Request, res: Response, response: WireResponse): void {
  const { status, headers, body, drop, lost } = response
  if (res.closed) lost?.()
  else if (drop !== undefined) endConnection(drop, req, res, response)
  else {
    res.writeHead(status, headers)
    res.end(body)
  }
}
