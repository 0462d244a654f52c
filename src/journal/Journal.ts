import { isDeep } from './isDeep.ts'
import type { Clues, JournalEntry } from './JournalEntry.ts'
import { redactHeaders, redactText, redactKnown, redactValue } from './redact.ts'

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

/** A body longer than this is cut in the journal, so that its bound is one of memory too. */
const longestBody = 32 * 1024

/** One kept entry; what costs time is done when it is looked at. */
export class Kept {
  readonly clues: Clues
  readonly #closing: Omit<Closing, 'secrets' | 'clues'>
  #entry: JournalEntry | undefined

  constructor({ secrets, clues, ...closing }: Closing) {
    this.clues = clues
    this.#closing = {
      ...closing,
      path: redactKnown(closing.path, secrets),
      reason: closing.reason === null ? null : redactKnown(closing.reason, secrets),
      requestHeaders: redactHeaders(closing.requestHeaders),
      requestBody: keep(closing.requestBody, secrets),
      responseBody: keep(closing.responseBody, secrets),
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
      response: { headers: redactHeaders(responseHeaders), body: shown(responseBody) },
      change: change ?? null,
      violations: rest.violations,
    }
    return this.#entry
  }
}

function keep(body: string | undefined, secrets: readonly string[]): string | undefined {
  if (body === undefined) return undefined
  if (body.length <= longestBody) return redactText(body, secrets)
  // A slice would hold on to the whole text; a copy does not. What is cut may be a part of a secret, so the
  // slice is cleaned with some more behind it.
  const start = Buffer.from(body.slice(0, longestBody + 1024)).toString()
  return `${redactKnown(cutSecrets(start), secrets).slice(0, longestBody)}… (${body.length} characters in all)`
}

/** Of a long text that is no longer whole JSON, values behind secret names are covered by their look. */
function cutSecrets(text: string): string {
  return text.replace(/("(?:password|tokens?)"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi, '$1"[redacted]"')
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
