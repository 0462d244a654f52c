import compression from 'compression'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { adminHandler } from './admin/adminHandler.ts'
import { pages } from './admin/pages.ts'
import type { RequestCheck } from './http/guards.ts'
import { isAdmin, isApi } from './lib/http.ts'
import { servedContract } from './contract/servedContract.ts'
import { apiHandler } from './http/api.ts'
import { summarizeRequest } from './http/refusals.ts'
import { getOrigin, serve } from './http/serve.ts'
import { suggestPath } from './http/suggestPath.ts'
import type { Simulation } from './Simulation.ts'

/** Event streams aren't compressed, so that events are sent immediately. */
const compressible = /^(?:text\/(?!event-stream)|application\/(?:json|yaml|javascript|xml)\b|image\/svg)/

/** Compresses text responses of 1 KB or more for clients that accept compression. */
const compress = compression({
  filter: (_req, res) => compressible.test(String(res.getHeader('content-type'))),
})

/** Creates the Express application. The pipeline handles the API and the control plane; other paths are pages. */
export async function createApp(simulation: Simulation, checkRequest: RequestCheck): Promise<Express> {
  const { contract, refused, stopping } = simulation
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // would cause 304s, which the contract doesn't define
  app.set('query parser', false)
  const serveApi = apiHandler(simulation, checkRequest)
  const serveAdmin = serve(await adminHandler(simulation), stopping.signal)
  // A single handler, because every layer of Express's router slows down each request.
  app.use((req, res, next) => {
    if (simulation.isDraining) res.setHeader('connection', 'close') // closes the connection after this response
    if (isApi(req.path)) serveApi(req, res, next)
    else if (!checkRequest(req, res)) return
    else if (isAdmin(req.path)) compress(req, res, () => serveAdmin(req, res, next))
    else next()
  })
  app.use(compress)
  for (const [format, type] of Object.entries({
    yaml: 'application/yaml',
    json: 'application/json',
  } as const))
    app.get(`/openapi.${format}`, async (req, res) => {
      res.set({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
      res.send(await servedContract(contract, format as 'yaml' | 'json', getOrigin(req)))
    })
  app.use(pages())
  app.use(((req, res) => {
    const suggestion = suggestPath(contract, req.method, req.path)
    const error = `Not Found: there is no ${req.method} ${req.path}. Paths of the API begin with /api.${suggestion}${req.path.startsWith('/health') ? ' Did you mean /__admin/health?' : ''} The dashboard is at / and the docs are at /docs.`
    refused.add(summarizeRequest(req), 404, error)
    res.status(404).json({ error })
  }) satisfies RequestHandler)
  app.use(errorHandler(simulation))
  return app
}

/** Handles thrown errors. Express's own handler would send a stack trace. */
function errorHandler({ log, refused }: Simulation): ErrorRequestHandler {
  return (error: { status?: unknown; message?: unknown }, req, res, _next) => {
    const status =
      typeof error?.status === 'number' && error.status >= 400 && error.status < 500 ? error.status : 500
    const isClosed = req.socket.destroyed // sending a file fails if the client has disconnected
    if (status === 500 && !isClosed) log.error({ err: error, path: req.originalUrl }, 'a request failed')
    if (res.headersSent) return void res.destroy()
    const reason = status === 500 ? 'Internal Server Error' : String(error.message)
    if (status !== 500) refused.add(summarizeRequest(req), status, reason)
    res.status(status).json({ error: reason })
  }
}
