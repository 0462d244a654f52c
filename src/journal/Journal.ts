import { isDeep } from './isDeep.ts'
import type { Clues, JournalEntry } from './JournalEntry.ts'
import { redactHeaders, redactKnown, redactPath, redactValue, secretOf } from './redact.ts'
import { redactRequestBody, redactResponseBody } from './redactBody.ts'

/** What the road knows of a request when its entry is closed; `secrets` are taken out of it before it is kept. */
export interface Closing {
  id: number
  time: string
  account: string | null
  operation: string | null
  method: string
  path: string
  status: number | null
  case: string | null
  reason: string | null
  forced: boolean
  durationMs: number
  requestHeaders: Readonly<Record<string, string | string[] | undefined>>
  requestBody: string | undefined
  responseHeaders: Readonly<Record<string, string | string[] | undefined>>
  responseBody: string | undefined
  change: unknown
  violations: string[]
  secrets: readonly string[]
  clues: Clues
}

/** One kept entry; what costs time is done when it is looked at. */
export class Kept {
  readonly clues: Clues
  readonly #closing: Omit<Closing, 'secrets' | 'clues'>
  #entry: JournalEntry | undefined

  constructor({ secrets: known, clues, ...closing }: Closing) {
    const secrets = known.map(secretOf)
    const { requestBody, responseBody } = closing
    this.clues = clues
    this.#closing = {
      ...closing,
      path: redactPath(closing.path, secrets),
      reason: closing.reason === null ? null : redactKnown(closing.reason, secrets),
      requestHeaders: redactHeaders(closing.requestHeaders, secrets),
      requestBody: requestBody === undefined ? undefined : redactRequestBody(requestBody, secrets),
      responseHeaders: redactHeaders(closing.responseHeaders, secrets),
      responseBody:
        responseBody === undefined ? undefined : redactResponseBody(responseBody, closing.operation, secrets),
      change: closing.change === undefined ? undefined : redactValue(closing.change),
      violations: closing.violations.map((violation) => redactKnown(violation, secrets)),
    }
  }

  get id(): number {
    return this.#closing.id
  }

  get account(): string | null {
    return this.#closing.account
  }

  get operation(): string | null {
    return this.#closing.operation
  }

  get status(): number | null {
    return this.#closing.status
  }

  get case(): string | null {
    return this.#closing.case
  }

  /** The entry as it is shown. */
  get entry(): JournalEntry {
    if (this.#entry) return this.#entry
    const { requestHeaders, requestBody, responseHeaders, responseBody, change, ...rest } = this.#closing
    this.#entry = {
      ...rest,
      durationMs: Math.round(rest.durationMs * 1000) / 1000,
      request: { headers: requestHeaders as Record<string, string>, body: shown(requestBody) },
      response: { headers: responseHeaders as Record<string, string>, body: shown(responseBody) },
      change: change ?? null,
      violations: rest.violations,
    }
    return this.#entry
  }
}

function shown(body: string | undefined): unknown {
  if (body === undefined || body === '') return null
  if (isDeep(body)) return body
  try {
    return JSON.parse(body) as unknown
  } catch {
    return body
  }
}

/** The last so many requests, the newest last. */
export class Journal {
  readonly #limit: number
  #ring: Kept[] = []
  #next = 0
  total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(kept: Kept): void {
    this.total++
    if (this.#limit === 0) return
    this.#ring[this.#next] = kept
    this.#next = (this.#next + 1) % this.#limit
  }

  /** Forgets all, also how many there were. */
  clear(): void {
    this.#ring = []
    this.#next = 0
    this.total = 0
  }

  /** How many fell out */
  get dropped(): number {
    return this.total - this.#ring.length
  }

  /** Those that are kept, the oldest first. */
  get kept(): Kept[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }
}
