import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Logger } from 'pino'

/** The 404 for unknown paths: Express itself would send HTML. */
export const answerUnknown: RequestHandler = (req, res) => {
  res.status(404).json({ error: `Not Found: there is no ${req.method} ${req.path}` })
}

/** The response to thrown errors: Express itself would send a stack trace. */
export function answerThrown(log: Logger): ErrorRequestHandler {
  return (error: { status?: unknown; message?: unknown }, req, res, _next) => {
    const status =
      typeof error?.status === 'number' && error.status >= 400 && error.status < 500 ? error.status : 500
    if (status === 500) log.error({ err: error, path: req.originalUrl }, 'a request failed')
    if (res.headersSent) res.destroy()
    else res.status(status).json({ error: status === 500 ? 'Internal Server Error' : String(error.message) })
  }
}
