import type { Response } from 'express'
import { pipeline } from 'node:stream/promises'
import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Write } from './AdminOperation.ts'

/** Any answer of an operation. */
export type SomeAnswer =
  | { status: number }
  | { status: number; body: unknown }
  /** JSON that is long, piece by piece */
  | { status: number; pieces: Iterable<string> }
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
  else if ('pieces' in answer) sendPieces(res, answer.pieces)
  else res.end()
}

/** No faster than they are read. A reader who goes away needs no more of them. */
function sendPieces(res: Response, pieces: Iterable<string>): void {
  res.set('content-type', 'application/json; charset=utf-8')
  if (res.req.method === 'HEAD') res.end()
  else pipeline(paced(pieces), res).catch(() => res.destroy())
}

/** With others' work in between. */
async function* paced(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece
    await othersTurn()
  }
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
