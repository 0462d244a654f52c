import type { ContractOperation } from '../contract/Contract.ts'
import { fromBase64 } from '../world/base64.ts'
import type { Instant } from '../world/time.ts'

/** A recorded request and its response. */
export interface Exchange {
  /** Counted from 1 across all files */
  number: number
  /** By the service's clock */
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
  /** What calls since the exchange before may have changed, whose outcome wasn't recorded (`maySet`) */
  uncertain?: readonly string[]
}

export interface RecordedResponse {
  status: number
  /** Content type without its parameters; undefined if none was sent or recorded */
  type: string | undefined
  body: string
  /** The body parsed as JSON; undefined if it isn't JSON */
  value: unknown
}

/** The credentials that a request was sent with, as far as the recording shows. */
export type Credentials = BasicCredentials | { form: 'none' | 'unknown' | MalformedForm }

export interface BasicCredentials {
  form: 'basic'
  login: string
  /** Login and password: the same for the same credentials */
  key: string
  /** Values that must not be shown */
  secrets: string[]
  /** Whether the service accepts them */
  isGood?: boolean
}

type MalformedForm = 'malformed-header' | 'malformed-credentials'

export function isMalformed({ form }: Credentials): boolean {
  return form === 'malformed-header' || form === 'malformed-credentials'
}

export function lacksCredentials(credentials: Credentials): boolean {
  return credentials.form === 'none' || (credentials.form === 'basic' && !credentials.isGood)
}

/** The credentials in an Authorization header. */
export function credentialsIn(header: string): BasicCredentials | { form: MalformedForm } {
  const [, encoded] = /^basic +(\S+) *$/i.exec(header) ?? []
  if (encoded === undefined) return { form: 'malformed-header' }
  const key = fromBase64(encoded)
  const colon = key?.indexOf(':') ?? -1
  if (key === undefined || colon < 0) return { form: 'malformed-credentials' }
  const login = key.slice(0, colon)
  return { form: 'basic', login, key, secrets: [login, key.slice(colon + 1), encoded] }
}
