import type { ContractOperation } from '../contract/Contract.ts'
import type { Instant } from '../world/time.ts'

/** The credentials that a request was sent with, as far as the recording shows. */
export type Credentials =
  | { kind: 'good' }
  | { kind: 'wrong' }
  | { kind: 'none' }
  /** An Authorization header that can't be parsed */
  | { kind: 'malformed'; header: string }
  /** The recorder doesn't keep credentials. */
  | { kind: 'unknown' }

/** A recorded request and its response. */
export interface Exchange {
  /** Counted from 1 across all files */
  number: number
  /** Milliseconds, by the service's clock */
  at: Instant
  operation: ContractOperation
  path: Record<string, string>
  request: {
    /** Path and query, without any prefix before the API's own path */
    url: string
    contentType: string | undefined
    body: string | undefined
    /** The body parsed as JSON */
    value: unknown
    credentials: Credentials
  }
  response: Answer
}

/** A response as received. */
export interface Answer {
  status: number
  /** Content type without its parameters; undefined if none was sent or recorded */
  type: string | undefined
  body: string
  /** The body parsed as JSON; undefined if it isn't JSON */
  value: unknown
}

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
