import type { Response } from 'express'
import type { Write } from './AdminOperation.ts'

/** Any answer of an operation. */
export type SomeAnswer =
  | { status: number }
  | { status: number; body: unknown }
  | { status: number; type: string; text: string }
  | { status: number; stream: (write: Write) => void }

/** Bytes that may wait for a reader of a stream; beyond them it is cut off, so that it can't fill our memory. */
const longestBacklog = 1024 * 1024

/** Writes an answer; the only place that does. */
export function sendAnswer(res: Response, answer: SomeAnswer, signal: () => AbortSignal): void {
  res.status(answer.status).set('cache-control', 'no-store')
  if ('stream' in answer && res.req.method !== 'HEAD') stream(res, answer.stream, signal())
  else if ('text' in answer) res.set('content-type', `${answer.type}; charset=utf-8`).send(answer.text)
  else if ('body' in answer) res.json(answer.body)
  else res.end()
}

function stream(res: Response, start: (write: Write) => void, signal: AbortSignal): void {
  res.set('content-type', 'text/event-stream; charset=utf-8').flushHeaders()
  signal.addEventListener('abort', () => res.end(), { once: true })
  start((piece) => {
    if (res.destroyed || res.writableEnded) return
    if (res.writableLength > longestBacklog) res.destroy()
    else res.write(piece)
  })
}
