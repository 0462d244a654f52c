import type { ContractOperation } from '../contract/Contract.ts'
import { fromBase64 } from '../world/base64.ts'
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
  /** What calls since the exchange before may have changed, as their outcome wasn't recorded: see `maySet` */
  doubts?: readonly string[]
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

/** The credentials in an Authorization header, or what is wrong with it. */
export function basicOf(
  header: string,
): { login: string; key: string; secrets: string[] } | 'malformed-header' | 'malformed-credentials' {
  const [, encoded] = /^basic +(\S+) *$/i.exec(header) ?? []
  if (encoded === undefined) return 'malformed-header'
  const key = fromBase64(encoded)
  const colon = key?.indexOf(':') ?? -1
  if (key === undefined || colon < 0) return 'malformed-credentials'
  const login = key.slice(0, colon)
  return { login, key, secrets: [login, key.slice(colon + 1), encoded] }
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
