import type { ContractOperation } from '../contract/Contract.ts'
import type { Instant } from '../world/time.ts'

/** With what credentials a request came, as far as a recording tells. */
export type Credentials =
  | { kind: 'good' }
  | { kind: 'wrong' }
  | { kind: 'none' }
  /** An Authorization header that nobody can read */
  | { kind: 'malformed'; header: string }
  /** The recorder keeps no credentials. */
  | { kind: 'unknown' }

/** One request of a recording with its answer. */
export interface Exchange {
  /** From 1, over all files */
  number: number
  /** By the service's clock, in milliseconds */
  at: Instant
  operation: ContractOperation
  path: Record<string, string>
  request: {
    /** Path and query, without what stands before the API's own path */
    url: string
    contentType: string | undefined
    body: string | undefined
    /** What the body holds as JSON */
    value: unknown
    credentials: Credentials
  }
  response: Answer
}

/** An answer as it came. */
export interface Answer {
  status: number
  /** Content type without its parameters; undefined where none was recorded or sent */
  type: string | undefined
  body: string
  /** What the body holds as JSON; undefined where it is none */
  value: unknown
}

/** Reads a body as JSON. */
export function jsonOf(body: string | undefined): unknown {
  if (body === undefined || body === '') return undefined
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}

/** `application/json; charset=utf-8` → `application/json` */
export function mediaOf(contentType: string | undefined): string | undefined {
  const media = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  return media === '' ? undefined : media
}
