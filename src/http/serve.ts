import { performance } from 'node:perf_hooks'
import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers'
import { transferableAbortController } from 'node:util'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { getEarliestArrival, getEarliestOpening, observeLoop } from './connections.ts'
import { hasArrived, readBody } from './readBody.ts'
import type { Handler, WireResponse } from './Wire.ts'

/** Maximum number of bytes buffered for a client that reads a stream slowly. Beyond it, the client is disconnected */
const maxBacklog = 1024 * 1024

/** Express middleware that runs the pipeline. */
export function serve(handler: Handler, stopping: AbortSignal): RequestHandler {
  const respondLater = batch(({ req, res, next }: { req: Request; res: Response; next: NextFunction }) => {
    // oxlint-disable-next-line promise/no-callback-in-promise -- Express accepts errors only this way
    respond(handler, stopping, req, res).catch(next)
  })
  return (req, res, next) => respondLater({ req, res, next })
}

async function respond(handler: Handler, stopping: AbortSignal, req: Request, res: Response): Promise<void> {
  // A client that gives up closes its side of the connection.
  let disconnectedAt: number | undefined
  const onEnd = (): void => void (disconnectedAt ??= performance.now())
  const response = await handler({
    method: req.method,
    url: req.originalUrl,
    headers: req.headers,
    connectedAt: getEarliestOpening(req.socket),
    arrivedAt: getEarliestArrival(),
    origin: () => getOrigin(req),
    hasArrived: () => hasArrived(req),
    body: (limit) => readBody(req, limit),
    signal() {
      req.socket.once('end', onEnd)
      res.once('close', () => req.socket.off('end', onEnd))
      return createSignal(res, stopping)
    },
  })
  const { status, headers, body, send, onUndelivered } = response
  const reportUndelivered = (): void => onUndelivered?.(disconnectedAt ?? performance.now())
  if (res.closed) return reportUndelivered()
  // Node reports a response as finished even if writing it failed.
  if (onUndelivered)
    res.once('close', () => (res.writableFinished && !req.socket.errored) || reportUndelivered())
  if (send) return send(req, res, response)
  res.writeHead(status, headers)
  if (req.socket.readableEnded) await probe(res)
  if (req.method === 'HEAD') res.end()
  else if (response.stream) stream(res, response.stream, createSignal(res, stopping))
  else res.end(body)
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
function batch<T>(handle: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const handleAll = (): void => {
    const items = waiting
    waiting = []
    observeLoop()
    for (const item of items) handle(item)
  }
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(handleAll)
  }
}
