import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { realTime } from '../../world/time.ts'
import { decompressed, maxKeptBytes } from '../readHar.ts'

/** The bytes of a body, up to a limit. */
class Bytes {
  #chunks: Buffer[] = []
  length = 0

  add(chunk: Buffer): void {
    this.length += chunk.length
    if (this.length <= maxKeptBytes) this.#chunks.push(chunk)
    else this.#chunks = []
  }

  /** undefined if it is too long, or can't be decompressed */
  text(encoding: string | undefined): string | undefined {
    return this.length <= maxKeptBytes
      ? decompressed(Buffer.concat(this.#chunks), encoding)?.toString('utf8')
      : undefined
  }
}

/** An exchange in progress. */
export class PendingExchange {
  readonly request: IncomingMessage
  /** Path and query */
  readonly url: string
  /** Lower-case names */
  readonly headers: IncomingHttpHeaders
  readonly started = realTime()
  readonly requestBytes = new Bytes()
  readonly responseBytes = new Bytes()
  answer: IncomingMessage | undefined
  readonly #keep: (one: PendingExchange, error: string | undefined) => void
  /** Whether it is recorded, or never will be */
  #isOver = false

  constructor(request: IncomingMessage, keep: (one: PendingExchange, error: string | undefined) => void) {
    this.request = request
    this.url = request.url ?? '/'
    this.headers = request.headers
    this.#keep = keep
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** undefined if it hasn't arrived completely, or can't be kept */
  get requestBody(): string | undefined {
    return this.request.readableEnded ? this.requestBytes.text(this.headers['content-encoding']) : undefined
  }

  /** Records it, once. @param error why the response is incomplete */
  finish(error?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#keep(this, error)
  }

  /** It never reached the target, so it isn't recorded. */
  forget(): void {
    this.#isOver = true
  }
}
