import type { IncomingMessage, ServerResponse } from 'node:http'
import { drops, type Drop } from '../../service/values.ts'
import type { FaultEffect } from './FaultEffect.ts'
import { hasNoContent } from './respond.ts'

interface Sent {
  status: number
  headers: Record<string, string>
  body: string
}

type End = (req: IncomingMessage, res: ServerResponse, sent: Sent) => void

const ways: Record<Drop, { words: string; end: End }> = {
  reset: {
    words: 'resets the connection',
    end: (req) => req.socket.resetAndDestroy(),
  },
  empty: {
    words: 'closes the connection without a response',
    end: (req) => req.socket.destroy(),
  },
  truncate: {
    words: 'closes the connection halfway through the response',
    end(req, res, { status, headers, body }) {
      if (req.method === 'HEAD' || hasNoContent(status)) return void req.socket.destroy()
      res.writeHead(status, body === '' ? { ...headers, 'content-length': '1' } : headers)
      const half = Buffer.from(body).subarray(0, Math.floor(Buffer.byteLength(body) / 2))
      res.write(half, () => req.socket.destroy())
      if (half.length === 0) res.flushHeaders()
    },
  },
}

/** Ends the connection without a response, or halfway through it. */
export const drop: FaultEffect<Drop> = {
  schema: ({ oneOf }) => oneOf(drops).describe('How the connection breaks.'),
  words: (way) => ways[way].words,
  replace: (way, before) => ({ ...before, drop: way }),
}

export function endConnection(way: Drop, ...request: Parameters<End>): void {
  ways[way].end(...request)
}
