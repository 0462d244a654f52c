import express, { type Express, type NextFunction, type RequestHandler } from 'express'
import type { Simulation } from '../Simulation.ts'
import { apiPlane } from './apiPlane.ts'
import { isApi } from './guards/paths.ts'
import { serve } from './serve.ts'
import { answerThrown, answerUnknown } from './guards/errorHandlers.ts'

/** The Express application. `/api` runs the pipeline directly, `rest` serves the control plane and the pages. */
export function createApp(
  simulation: Simulation,
  guards: readonly RequestHandler[],
  rest: RequestHandler,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // would cause 304s, which the contract doesn't have
  app.set('query parser', false)
  const serveApi = serve(apiPlane(simulation), simulation.stopping.signal)
  app.use(
    compose([
      closeWhenDraining(simulation),
      ...guards,
      (req, res, next) => (isApi(req.path) ? serveApi(req, res, next) : next()),
    ]),
  )
  app.use(rest)
  app.use(answerUnknown)
  app.use(answerThrown(simulation.log))
  return app
}

/** Closes keep-alive connections with their next response while the simulator drains. */
function closeWhenDraining(simulation: Simulation): RequestHandler {
  return (_req, res, next) => {
    if (simulation.isDraining) res.setHeader('connection', 'close')
    next()
  }
}

/** Combines middleware into one handler, as every layer of Express's own router slows down each request. */
function compose(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    let index = 0
    const runNext: NextFunction = (error?: unknown) => {
      const handler = error === undefined ? handlers[index++] : undefined
      if (handler) void handler(req, res, runNext)
      else next(error)
    }
    runNext()
  }
}
