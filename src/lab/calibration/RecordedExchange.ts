import type { ContractOperation } from '../../contract/Contract.ts'
import { type Instant, readCredentials } from '../simulator.ts'

/** A recorded request and its response. */
export interface RecordedExchange {
  /** Number, starting at 1 across all files */
  number: number
  /** Time by the service's clock */
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
  response: RecordedResponse
}

export interface RecordedResponse {
  status: number
  /** Whether the recording shows that no Content-Type was sent */
  lacksContentType?: boolean
  /** Content type without its parameters; undefined if none was sent or recorded */
  contentType: string | undefined
  body: string
  /** The body parsed as JSON; undefined if it isn't JSON */
  value: unknown
}

/** The kind of credentials in a request. If the recording doesn't contain them, it is inferred from the response. */
export type Credentials = 'valid' | 'wrong' | 'none' | 'malformed-header' | 'malformed-credentials'

/** A login with its password or token */
export interface BasicCredentials {
  login: string
  /** `login:secret`, as sent */
  key: string
}

/** Parses an Authorization header; undefined if it isn't Basic with valid credentials. */
export function parseAuthorization(header: string): BasicCredentials | undefined {
  const credentials = readCredentials(header)
  if ('case' in credentials) return undefined
  const { login, secret } = credentials
  return { login, key: `${login}:${secret}` }
}
