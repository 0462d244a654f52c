import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { escapeMarkup } from '../../lib/text.ts'

/** The 404 for unknown paths: JSON, or a page for a browser. */
export const answerUnknown: RequestHandler = (req, res) => {
  res.status(404).vary('accept')
  if (req.accepts(['json', 'html']) === 'html') res.type('html').send(unknownPage(req.path))
  else res.json({ error: `Not Found: there is no ${req.method} ${req.path}` })
}

function unknownPage(path: string): string {
  return `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not found</title></head>
  <body>
    <h1>There is no page ${escapeMarkup(path)}</h1>
    <p>Try the <a href="/">dashboard</a>, the <a href="/docs">contract</a>,
      the <a href="/docs/admin">control plane</a> or the <a href="/docs/guide">guide</a>.</p>
  </body>
</html>
`
}

/** The response to thrown errors: Express itself would send a stack trace. */
export function answerThrown(log: Logger): ErrorRequestHandler {
  return (error: { status?: unknown; message?: unknown }, req, res, _next) => {
    const status =
      typeof error?.status === 'number' && error.status >= 400 && error.status < 500 ? error.status : 500
    const hasLeft = req.socket.destroyed // sending a file then fails
    if (status === 500 && !hasLeft) log.error({ err: error, path: req.originalUrl }, 'a request failed')
    if (res.headersSent) res.destroy()
    else res.status(status).json({ error: status === 500 ? 'Internal Server Error' : String(error.message) })
  }
}
