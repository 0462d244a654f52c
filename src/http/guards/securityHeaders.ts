import type { RequestHandler } from 'express'
import { isApi } from './isUnder.ts'

/** What a page needs more it says itself, in a policy of its own. */
const headers = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Tells browsers to hold what is not `/api` tightly. `/api` looks as the real service does. */
export const securityHeaders: RequestHandler = (req, res, next) => {
  if (!isApi(req.path)) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  next()
}
