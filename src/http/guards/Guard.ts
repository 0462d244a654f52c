import type { IncomingMessage } from 'node:http'

/** Says why a request is refused before any route, if it is. */
export type Guard = (req: IncomingMessage) => GuardRefusal | undefined

export interface GuardRefusal {
  status: number
  case: string
  reason: string
  headers?: Record<string, string>
}
