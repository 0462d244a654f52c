import type { Socket } from 'node:net'
import { hasNoContent } from '../../lib/http.ts'
import type { FaultEffect, Send } from './FaultEffect.ts'

export const dropModes = ['reset', 'empty', 'truncate'] as const

export type DropMode = (typeof dropModes)[number]

export interface DropFault {
  /** How the connection ends: `reset`, closed without a response (`empty`) or halfway through it (`truncate`) */
  drop?: DropMode
}

const modes: Record<DropMode, { description: string; received: 'part' | 'nothing'; send: Send }> = {
  reset: {
    description: 'resets the connection',
    received: 'nothing',
    send: (req) => reset(req.socket),
  },
  empty: {
    description: 'closes the connection without a response',
    received: 'nothing',
    send: (req) => req.socket.destroy(),
  },
  truncate: {
    description: 'closes the connection halfway through the response',
    received: 'part',
    send(req, res, { status, headers, body }) {
      if (req.method === 'HEAD' || hasNoContent(status)) return void req.socket.destroy()
      res.writeHead(status, body === '' ? { ...headers, 'content-length': '1' } : headers)
      const half = Buffer.from(body).subarray(0, Math.floor(Buffer.byteLength(body) / 2))
      res.write(half, () => req.socket.destroy())
      if (half.length === 0) res.flushHeaders()
    },
  },
}

/** Resets the TCP connection. Only TCP has resets, so over TLS it is the socket below, which Node only has as `_parent`. */
function reset(socket: Socket & { _parent?: Socket }): void {
  ;(socket._parent ?? socket).resetAndDestroy()
}

/** Ends the connection without a response, or halfway through it. */
export const drop: FaultEffect<DropMode> = {
  schema: ({ oneOf }) =>
    oneOf(dropModes).describe(
      'How the connection ends: reset, closed without a response (empty), or halfway through it (truncate).',
    ),
  description: (mode) => modes[mode].description,
  flags: [
    {
      flag: '--drop <how>',
      description: 'reset the connection, close it without a response, or cut the response off',
      choices: dropModes,
    },
  ],
  replace: (mode, original) => ({ ...original, received: modes[mode].received }),
  send: (mode) => modes[mode].send,
}
