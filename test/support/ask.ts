import { once } from 'node:events'
import { type Agent, request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface RequestOptions {
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged. */
  raw?: string | Buffer | undefined
  /** Headers to add or replace, with names in lower case. undefined omits a default header. */
  headers?: Record<string, string | string[] | undefined>
  agent?: Agent
}

export interface TestResponse<T> {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parsed body; undefined if it is not JSON. */
  json: T
}

/**
 * Sends a request as a client would, with an unchanged path.
 * @throws an error with a `code`, such as ECONNRESET, if the connection breaks
 */
export async function ask<T = unknown>(
  url: string,
  method: string,
  path: string,
  { body, raw = body === undefined ? undefined : JSON.stringify(body), headers, agent }: RequestOptions = {},
): Promise<TestResponse<T>> {
  const defaultHeaders = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(raw !== undefined && { 'content-length': String(Buffer.byteLength(raw)) }),
  }
  const sentHeaders = Object.entries({ ...defaultHeaders, ...headers }).filter(
    ([, value]) => value !== undefined,
  )
  const { protocol, hostname: host, port } = new URL(url)
  const options = {
    host,
    port,
    method,
    path,
    headers: Object.fromEntries(sentHeaders),
    rejectUnauthorized: false,
    ...(agent && { agent }),
  }
  const request = protocol === 'https:' ? requestHttps : requestHttp
  const outgoing = request(options).end(raw)
  outgoing.on('error', () => {}) // `once` rejects before the response, reading the body after it
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString()
  const { 'content-type': type, 'content-encoding': coding } = response.headers
  const isJson = type?.startsWith('application/json') && coding === undefined && text !== ''
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: (isJson ? JSON.parse(text) : undefined) as T,
  }
}

/** Returns the Authorization header for `login:password` or any other text. */
export function basic(credentials: string | Uint8Array): string {
  return `Basic ${Buffer.from(credentials as string).toString('base64')}`
}
