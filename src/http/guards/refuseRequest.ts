import type { Request, Response } from 'express'
import { isApi } from './isUnder.ts'

/** Why a guard refuses a request. */
export interface GuardRefusal {
  status: number
  /** Sent as `Sim-Case` under `/api` */
  case: string
  reason: string
}

/** Responds with `{error}`, and under `/api` with the headers that explain every error. */
export function refuseRequest(
  req: Request,
  res: Response,
  { status, case: name, reason }: GuardRefusal,
  explain: boolean,
): void {
  if (explain && isApi(req.path)) {
    res.setHeader('sim-case', name)
    res.setHeader('sim-reason', printable(reason))
  }
  res.status(status).setHeader('cache-control', 'no-store').json({ error: reason })
}

/** A header may only contain ASCII. */
function printable(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?')
}
