import type { ContractOperation } from '../../contract/Contract.ts'
import { type Instant, readCredentials } from '../simulator.ts'

/** A recorded request and its response. */
export interface Exchange {
  /** Number, starting at 1 across all files */
  number: number
  /** Time by the service's clock */
  at: Instant
  /** Whether the recording contains no times at all */
  isTimeless?: boolean
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
  /** Key for caches: reads with the same request and response share one object */
  cacheKey: object
  /** Whether the previous exchange, or an unusable call after it, may have made an unrecorded change */
  mayFollowUnrecordedChange?: boolean
}

export interface RecordedResponse {
  /** The documented status of a success, if the service sent another one */
  status: number
  /** The status as sent, if it differs */
  recordedStatus?: number
  /** Whether the body began with U+FEFF, which `body` leaves out */
  hasByteOrderMark?: boolean
  /** Whether the recording shows that no Content-Type was sent */
  lacksContentType?: boolean
  /** Content type without its parameters; undefined if none was sent or recorded */
  contentType: string | undefined
  body: string
  /** The body parsed as JSON; undefined if it isn't JSON */
  value: unknown
}

/** The kind of credentials in a request. If the recording doesn't contain them, it is inferred from the response. */
export type Credentials = 'valid' | 'wrong' | 'none' | MalformedCredentials

export type MalformedCredentials = 'malformed-header' | 'malformed-credentials'

/** A login with its password or token */
export interface BasicCredentials {
  login: string
  /** `login:secret`, as sent */
  key: string
  /** Secret values to hide */
  secrets: string[]
}

/** Parses an Authorization header. */
export function parseAuthorization(header: string): BasicCredentials | MalformedCredentials {
  const credentials = readCredentials(header)
  if ('case' in credentials)
    return credentials.case === 'invalid-authorization-header' ? 'malformed-header' : 'malformed-credentials'
  const { login, secret } = credentials
  return { login, key: `${login}:${secret}`, secrets: [login, secret, header.slice('basic '.length).trim()] }
}
