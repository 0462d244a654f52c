import { basic } from '../lib/basic.ts'

export interface Sending {
  method: string
  path: string
  login: string
  /** What goes into the password's place; undefined: no Authorization at all */
  secret: string | undefined
  body: string | undefined
}

export interface Received {
  status: number
  case: string | null
  reason: string | null
  body: unknown
  durationMs: number
}

/** Sends a request of the API as a client would; undefined where the connection broke. */
export async function send({ method, path, login, secret, body }: Sending): Promise<Received | undefined> {
  const started = performance.now()
  try {
    const reply = await fetch(path, {
      method,
      cache: 'no-store',
      credentials: 'omit',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(secret !== undefined && { authorization: basic(login, secret) }),
      },
      ...(body !== undefined && { body }),
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
