import type { Response } from 'express'

/** Responds with `{error}`. */
export function refuseRequest(res: Response, status: number, reason: string): void {
  res.status(status).setHeader('cache-control', 'no-store').json({ error: reason })
}
