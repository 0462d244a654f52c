import type { Logger } from 'pino'
import { realTime } from '../world/time.ts'
import { redacted, redactText } from './redact.ts'

/** A request that was refused before it reached the API. Unreadable parts are null. */
export interface RefusedRequest {
  /** ISO 8601, in real time */
  time: string
  method: string | null
  path: string | null
  host: string | null
  /** Null if the connection was closed without a response */
  status: number | null
  reason: string
}

/** The number of requests refused since the last reset, and the last ten of them, newest first. */
export interface RefusedReport {
  count: number
  last: RefusedRequest[]
}

/** The parts of a request that could be read. */
export interface RequestSummary {
  method?: string | undefined
  url?: string | undefined
  host?: string | undefined
}

const maxShown = 10
const maxPath = 1000

/** Requests that were refused before authentication. They are logged, but aren't part of the journal. */
export class RefusedRequests {
  readonly #log: Logger
  #count = 0
  /** The count at the latest reset */
  #cleared = 0
  /** Newest first; a reset doesn't clear it */
  #last: RefusedRequest[] = []

  constructor(log: Logger) {
    this.#log = log
  }

  add({ method, url, host }: RequestSummary, status: number | null, reason: string): void {
    const path = url === undefined ? null : redactText(url.slice(0, maxPath))
    const hostName = host?.replace(/^.*@/, `${redacted}@`).slice(0, 253) ?? null
    const safeReason = redactText(url && path !== null ? reason.replaceAll(url, path) : reason)
    const refused = { method: method ?? null, path, host: hostName, status, reason: safeReason }
    this.#count++
    this.#last = [{ time: new Date(realTime()).toISOString(), ...refused }, ...this.#last].slice(0, maxShown)
    this.#log.warn(refused, 'refused')
  }

  clear(): void {
    this.#cleared = this.#count
  }

  /** @param since count from the last reset or from the start */
  report(since: 'reset' | 'start' = 'reset'): RefusedReport {
    const count = since === 'start' ? this.#count : this.#count - this.#cleared
    return { count, last: this.#last.slice(0, count) }
  }
}
