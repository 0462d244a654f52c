import { performance } from 'node:perf_hooks'
import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers'
import { transferableAbortController } from 'node:util'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { describeArrival } from './connections.ts'
import { hasArrived, readBody } from './readBody.ts'
import type { Arrival, Handler, WireBody, WireRequest, WireResponse } from './Wire.ts'

/** Maximum number of bytes buffered for a client that reads a stream slowly. Beyond it, the client is disconnected */
const maxBacklog = 1024 * 1024

/** Express middleware that runs a handler. */
export function serve(handler: Handler, stopping: AbortSignal): RequestHandler {
  return batch(async (req, res) => {
    const request = new HttpRequest(req, res, stopping)
    return request.send(await handler(request))
  })
}

/** A request on a connection, and the way to respond to it. */
export class HttpRequest implements WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: WireRequest['headers']
  readonly arrival: Arrival
  readonly #req: Request
  readonly #res: Response
  readonly #stopping: AbortSignal
  /** When the client closed its side of the connection, if something waits for that */
  #disconnectedAt: number | undefined

  constructor(req: Request, res: Response, stopping: AbortSignal) {
    this.method = req.method
    this.url = req.originalUrl
    this.headers = req.headers
    this.arrival = describeArrival(req.socket)
    this.#req = req
    this.#res = res
    this.#stopping = stopping
  }

  origin(): string {
    return getOrigin(this.#req)
  }

  hasArrived(): boolean {
    return hasArrived(this.#req)
  }

  body(limit: number): WireBody | Promise<WireBody> {
    return readBody(this.#req, limit)
  }

  signal(): AbortSignal {
    const { socket } = this.#req
    // A client that gives up closes its side of the connection.
    const onEnd = (): void => void (this.#disconnectedAt ??= performance.now())
    socket.once('end', onEnd)
    this.#res.once('close', () => socket.off('end', onEnd))
    return createSignal(this.#res, this.#stopping)
  }

  async send(response: WireResponse): Promise<void> {
    const { status, headers, body, send, onUndelivered } = response
    const [req, res] = [this.#req, this.#res]
    const reportUndelivered = (): void => onUndelivered?.(this.#disconnectedAt ?? performance.now())
    if (res.closed) return reportUndelivered()
    // Node reports a response as finished even if writing it failed.
    if (onUndelivered)
      res.once('close', () => (res.writableFinished && !req.socket.errored) || reportUndelivered())
    if (send) return send(req, res, response)
    res.writeHead(status, headers)
    if (req.socket.readableEnded) await probe(res)
    if (req.method === 'HEAD') res.end()
    else if (response.stream) stream(res, response.stream, createSignal(res, this.#stopping))
    else res.end(body)
  }
}

/** The simulator's origin from the client's point of view: `http://127.0.0.1:4010`. */
export function getOrigin({ headers, socket }: IncomingMessage): string {
  const { localAddress = '127.0.0.1', localPort } = socket
  // HTTP/1.0 doesn't require a Host.
  const address = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
  return `${'encrypted' in socket ? 'https' : 'http'}://${headers.host ?? address}`
}

/**
 * A client that has closed its side of the connection may still be reading, or may have disconnected. If it has disconnected, its
 * machine answers the headers with a reset, so writing the rest fails and the response counts as undelivered.
 */
async function probe(res: Response): Promise<void> {
  res.flushHeaders()
  await new Promise(setImmediate)
}

/** Aborted when the client disconnects or the simulator stops. Created on demand, because it costs more than the rest of a request. */
function createSignal(res: Response, stopping: AbortSignal): AbortSignal {
  const controller = transferableAbortController()
  const abort = (): void => {
    stopping.removeEventListener('abort', abort)
    controller.abort()
  }
  stopping.addEventListener('abort', abort)
  res.once('close', abort)
  if (stopping.aborted || res.closed) abort()
  return controller.signal
}

function stream(res: Response, start: NonNullable<WireResponse['stream']>, signal: AbortSignal): void {
  res.flushHeaders()
  if (signal.aborted) return void res.end() // the simulator is already stopping
  signal.addEventListener('abort', () => res.end(), { once: true })
  const write = (chunk: string): void => {
    if (res.destroyed || res.writableEnded) return
    if (res.writableLength > maxBacklog) res.destroy()
    else res.write(chunk)
  }
  start(write)
  // Two comments of server-sent events. If the client has disconnected, the second one fails (see `probe`).
  const check = (): void => {
    write(':\n\n')
    setImmediate(write, ':\n\n')
  }
  if (res.req.socket.readableEnded) check()
  else res.req.socket.once('end', check)
}

/**
 * Collects the requests of one turn of the event loop, and handles all of them at its end. Each step of the pipeline then
 * runs for all requests in a row, while its code is in the CPU cache. With 32 connections, this saves a quarter of a request's CPU
 * time; a single request costs nothing measurable (docs/decisions/0015).
 */
export function batch(handle: (req: Request, res: Response) => Promise<void>): RequestHandler {
  let waiting: { req: Request; res: Response; next: NextFunction }[] = []
  const handleAll = (): void => {
    const calls = waiting
    waiting = []
    // oxlint-disable-next-line promise/no-callback-in-promise -- Express accepts errors only this way
    for (const { req, res, next } of calls) handle(req, res).catch(next)
  }
  return (req, res, next) => {
    if (waiting.push({ req, res, next }) === 1) setImmediate(handleAll)
  }
}
