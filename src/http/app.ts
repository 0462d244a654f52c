import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import type { Simulation } from '../Simulation.ts'
import { apiPlane } from './apiPlane.ts'
import { isApi, type Admission } from './guards.ts'
import { serve } from './serve.ts'
import type { Logger } from 'pino'
import { escapeMarkup } from '../escapeMarkup.ts'

/** The Express application. `/api` runs the pipeline directly, `rest` serves the control plane and the pages. */
export function createApp(simulation: Simulation, admits: Admission, rest: RequestHandler): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // would cause 304s, which the contract doesn't have
  app.set('query parser', false)
  const serveApi = serve(apiPlane(simulation), simulation.stopping.signal)
  // One handler, as every layer of Express's own router slows down each request.
  app.use((req, res, next) => {
    if (simulation.isDraining) res.setHeader('connection', 'close') // with its next response
    if (!admits(req, res)) return
    if (isApi(req.path)) serveApi(req, res, next)
    else next()
  })
  app.use(rest)
  app.use(answerUnknown)
  app.use(answerThrown(simulation.log))
  return app
}

/** The 404 for unknown paths: JSON, or a page for a browser. */
const answerUnknown: RequestHandler = (req, res) => {
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
function answerThrown(log: Logger): ErrorRequestHandler {
  return (error: { status?: unknown; message?: unknown }, req, res, _next) => {
    const status =
      typeof error?.status === 'number' && error.status >= 400 && error.status < 500 ? error.status : 500
    const hasLeft = req.socket.destroyed // sending a file then fails
    if (status === 500 && !hasLeft) log.error({ err: error, path: req.originalUrl }, 'a request failed')
    if (res.headersSent) res.destroy()
    else res.status(status).json({ error: status === 500 ? 'Internal Server Error' : String(error.message) })
  }
}
