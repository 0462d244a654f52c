import { raw, type Request, type Response } from 'express'
import type { Simulation } from '../Simulation.ts'
import type { PlainBody, PlainReply, PlainRequest } from './Plain.ts'
import { road } from './road.ts'

/** Bytes that a body may have. */
const largestBody = 1024 * 1024

/**
 * Bytes after which an answer no longer waits for the end of the body. A body that is too large is read to its end,
 * as many clients look for an answer only then; but there may be no end.
 */
const patience = 16 * largestBody

const tooLarge = `the body is larger than ${largestBody} bytes`

const readRaw = raw({ type: () => true, limit: largestBody })

/** Carries requests of Express to the road, and its replies back. */
export function apiHandler(simulation: Simulation): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    const gone = new Gone()
    let reply: PlainReply | undefined
    res.once('close', () => {
      if (res.writableFinished) return
      gone.abort()
      reply?.lost?.()
    })
    reply = await road(simulation, plain(req, res, gone))
    if (gone.aborted) reply.lost?.()
    send(req, res, reply)
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

  get aborted(): boolean {
    return this.#aborted
  }

  abort(): void {
    this.#aborted = true
    this.#controller?.abort()
  }
}

function plain(req: Request, res: Response, gone: Gone): PlainRequest {
  return {
    method: req.method,
    url: req.originalUrl,
    headers: req.headers,
    count: (header) =>
      req.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === header).length,
    body: () => readBody(req, res),
    signal: () => gone.signal,
  }
}

function readBody(req: Request, res: Response): Promise<PlainBody> {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
    return Promise.resolve({ bytes: undefined })
  return new Promise((resolve) => {
    const refuse = (unreadable: string): void => {
      res.shouldKeepAlive = false // what is left of the body will not be read
      resolve({ unreadable })
    }
    let received = 0
    req.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > patience) refuse(tooLarge)
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

function send(req: Request, res: Response, { status, headers, body, drop }: PlainReply): void {
  if (drop === 'reset') {
    req.socket.resetAndDestroy()
    return
  }
  if (drop === 'empty') {
    req.socket.destroy()
    return
  }
  res.writeHead(status, headers)
  if (drop === 'truncate') {
    const half = Buffer.from(body).subarray(0, Math.floor(Buffer.byteLength(body) / 2))
    res.write(half, () => req.socket.destroy())
    if (half.length === 0) res.flushHeaders()
    return
  }
  res.end(body)
}
