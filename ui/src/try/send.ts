import { basic } from '../lib/basic.ts'
import { isBodyless, type ApiRequest } from '../lib/snippets/ApiRequest.ts'

export interface Received {
  status: number
  case: string | null
  reason: string | null
  body: unknown
  durationMs: number
}

/** Sends a request of the API as a client would; undefined where the connection broke. */
export async function send({ method, url, user, headers, body }: ApiRequest): Promise<Received | undefined> {
  const started = performance.now()
  try {
    const reply = await fetch(url, {
      method,
      cache: 'no-store',
      credentials: 'omit',
      headers: { ...headers, ...(user !== undefined && { authorization: basic(user) }) },
      ...(body !== undefined && !isBodyless(method) && { body }),
    })
    const text = await reply.text()
    return {
      status: reply.status,
      case: reply.headers.get('sim-case'),
      reason: reply.headers.get('sim-reason'),
      body: parse(text),
      durationMs: performance.now() - started,
    }
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
