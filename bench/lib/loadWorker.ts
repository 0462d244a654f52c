import { connect, type Socket } from 'node:net'
import { quantile } from './statistics.ts'
import type { Workload } from './Workload.ts'

/** A number of connections that each send a request as soon as the previous response has arrived. */
export interface Load {
  url: string
  workload: Workload
  connections: number
  /** Duration of the load; or set `requests` */
  milliseconds?: number
  /** Number of requests */
  requests?: number
}

export interface Measurement {
  requests: number
  /** Requests per second */
  rate: number
  /** Milliseconds */
  p50: number
  p99: number
  longest: number
}

const { hostname, now } = { hostname: '127.0.0.1', now: () => performance.now() }

/** The last used address. All runs share it, so that no address is used twice. */
let lastAddress = 0x0100_0000

function nextAddress(): string {
  const n = ++lastAddress
  return `${n >>> 24}.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`
}

/** Returns a function that creates each request. Requests without placeholders are created in advance. */
function createRequestFactory(workload: Workload): () => Buffer | string {
  const { path, paths = [path], authorizations = [], body } = workload
  let n = 0
  if (body !== undefined && /\{(ip|n)\}/.test(body))
    return () => formatRequest(workload, body.replace('{ip}', nextAddress).replace('{n}', String(++n)))
  const requests = (authorizations.length > 0 ? authorizations : [undefined]).flatMap((authorization) =>
    paths.map((each) => Buffer.from(formatRequest({ ...workload, path: each }, body, authorization))),
  )
  return () => requests[n++ % requests.length] as Buffer
}

function formatRequest({ method, path, headers }: Workload, body?: string, authorization?: string): string {
  const allHeaders = {
    host: '127.0.0.1',
    ...headers,
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  }
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n')
}

/** The head of a response, and the number of bytes that are still missing. */
interface ResponseHead {
  status: number
  /** Undefined if the body is chunked */
  bytesLeft: number | undefined
  closes: boolean
}

function readHead(head: string): ResponseHead {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(head)
  return {
    status: Number(head.slice(9, 12)),
    bytesLeft: chunked ? undefined : Number(length?.[1] ?? 0),
    closes: /\r\nconnection: *close/i.test(head),
  }
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = '0\r\n\r\n'

/** One connection: sends a request, reads its whole response, and calls `onResponse`. */
class Connection {
  readonly #socket: Socket
  readonly #onResponse: (response: ResponseHead, lastPiece: Buffer) => void
  #head = Buffer.alloc(0)
  #response: ResponseHead | undefined
  #tail = ''

  constructor(
    port: number,
    onResponse: (response: ResponseHead, lastPiece: Buffer) => void,
    onError: (error: Error) => void,
  ) {
    this.#onResponse = onResponse
    const buffer = Buffer.allocUnsafe(256 * 1024)
    this.#socket = connect({
      host: hostname,
      port,
      noDelay: true,
      onread: {
        buffer,
        callback: (size) => {
          this.#read(buffer.subarray(0, size))
          return true
        },
      },
    })
    this.#socket.on('error', onError)
  }

  send(request: Buffer | string): void {
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.removeAllListeners('error')
    this.#socket.on('error', () => {})
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#response) {
      this.#readBody(this.#response, chunk)
      return
    }
    const bytes = this.#head.length > 0 ? Buffer.concat([this.#head, chunk]) : chunk
    const end = bytes.indexOf(headEnd)
    if (end < 0) {
      this.#head = Buffer.from(bytes) // a copy, because the buffer is reused
      return
    }
    this.#head = Buffer.alloc(0)
    this.#response = readHead(bytes.toString('latin1', 0, end))
    this.#readBody(this.#response, bytes.subarray(end + headEnd.length))
  }

  #readBody(response: ResponseHead, chunk: Buffer): void {
    if (response.bytesLeft === undefined) {
      this.#tail = (this.#tail + chunk.subarray(-lastChunk.length).toString('latin1')).slice(
        -lastChunk.length,
      )
      if (this.#tail !== lastChunk) return
      this.#tail = ''
    } else {
      response.bytesLeft -= chunk.length
      if (response.bytesLeft > 0) return
    }
    this.#response = undefined
    this.#onResponse(response, chunk)
  }
}

/** @throws if a response has another status than expected, or a connection breaks */
export function run({
  url,
  workload,
  connections,
  milliseconds,
  requests = Infinity,
}: Load): Promise<Measurement> {
  const port = Number(new URL(url).port)
  const createRequest = createRequestFactory(workload)
  const latencies: number[] = []
  const open = new Set<Connection>()
  return new Promise((resolve, reject) => {
    const began = now()
    const endTime = milliseconds === undefined ? Infinity : began + milliseconds
    let sent = 0
    const timeout = setTimeout(
      () => fail(new Error('The server does not respond.')),
      (milliseconds ?? 120_000) + 30_000,
    )

    function fail(error: Error): void {
      clearTimeout(timeout)
      for (const one of open) one.close()
      reject(new Error(`${workload.name} at ${url}: ${error.message}`))
    }

    function start(): void {
      let sentAt = 0
      const connection: Connection = new Connection(
        port,
        ({ status, closes }, lastPiece) => {
          const time = now()
          latencies.push(time - sentAt)
          if (status !== workload.status) {
            fail(new Error(`Status ${status} instead of ${workload.status}: ${String(lastPiece)}`))
            return
          }
          if (closes) {
            stop()
            if (time < endTime && sent < requests) start()
            else finish(time)
          } else if (time < endTime && sent < requests) send(time)
          else {
            stop()
            finish(time)
          }
        },
        fail,
      )
      open.add(connection)
      send(now())

      function send(time: number): void {
        sentAt = time
        sent++
        connection.send(createRequest())
      }

      function stop(): void {
        connection.close()
        open.delete(connection)
      }
    }

    function finish(time: number): void {
      if (open.size > 0) return
      clearTimeout(timeout)
      resolve({
        requests: latencies.length,
        rate: (latencies.length / (time - began)) * 1000,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
        longest: quantile(latencies, 1),
      })
    }

    for (let i = 0; i < Math.min(connections, requests); i++) start()
  })
}

process.on('message', (load: Load) => {
  run(load).then(
    (measured) => process.send?.({ measured }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
process.on('disconnect', () => process.exit(0))
