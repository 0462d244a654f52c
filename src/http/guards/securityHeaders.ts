import type { RequestHandler } from 'express'
import { isApi } from './paths.ts'

/** Pages that need more set their own policy. */
const headers = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Security headers for everything except `/api`, which must look like the real service. */
export const securityHeaders: RequestHandler = (req, res, next) => {
  if (!isApi(req.path)) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  next()
}
