import { once } from 'node:events'
import { type Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export interface Question {
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged. */
  raw?: string | Buffer | undefined
  /** Added to the default headers, or replaces them; names in lower case. undefined omits one. */
  headers?: Record<string, string | string[] | undefined>
  agent?: Agent
}

export interface Answered<T> {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body, if it was sent as JSON; else undefined. */
  json: T
}

/**
 * Sends a request as a client would; the path is sent unchanged.
 * @throws an error with a `code`, such as ECONNRESET, if the connection breaks
 */
export async function ask<T = unknown>(
  url: string,
  method: string,
  path: string,
  { body, raw = body === undefined ? undefined : JSON.stringify(body), headers, agent }: Question = {},
): Promise<Answered<T>> {
  const usual = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(raw !== undefined && { 'content-length': String(Buffer.byteLength(raw)) }),
  }
  const sent = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined)
  const { hostname: host, port } = new URL(url)
  const options = { host, port, method, path, headers: Object.fromEntries(sent), ...(agent && { agent }) }
  const asking = request(options).end(raw)
  asking.on('error', () => {}) // before the response, it rejects; later, the body does
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
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

/** The Authorization header of `login:password`, or of any other text. */
export function basic(credentials: string | Uint8Array): string {
  return `Basic ${Buffer.from(credentials as string).toString('base64')}`
}
