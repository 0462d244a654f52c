import type { Request, Response } from 'express'
import { isApi } from './isUnder.ts'

/** A guard's no. */
export interface GuardRefusal {
  status: number
  /** What `Sim-Case` says of it, under `/api` */
  case: string
  reason: string
}

/** Answers `{error}`; under `/api` with the headers that every error there has. */
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

/** What a header can carry. */
function printable(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?')
}
