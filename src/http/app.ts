import express, { type Express, type NextFunction, type RequestHandler } from 'express'
import type { Simulation } from '../Simulation.ts'
import { apiPlane } from './apiPlane.ts'
import { serve } from './serve.ts'
import { answerThrown, answerUnknown } from './guards/errorHandlers.ts'

/** The Express application; it never listens. `/api` goes through the pipeline, everything else is the control plane's and the pages'. */
export function createApp(
  simulation: Simulation,
  guards: readonly RequestHandler[],
  rest: RequestHandler,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // it would give 304s, which the contract does not have
  app.set('query parser', false)
  app.use(inTurn([sayGoodbye(simulation), ...guards]))
  const plane = apiPlane(simulation)
  const api = simulation.metrics?.measured(plane) ?? plane
  app.use(
    '/api',
    serve(() => api, simulation.stopping.signal),
  )
  app.use(rest)
  app.use(answerUnknown)
  app.use(answerThrown(simulation.log))
  return app
}

/** Connections end with the answers that are given while the simulator drains. */
function sayGoodbye(simulation: Simulation): RequestHandler {
  return (_req, res, next) => {
    if (simulation.isDraining) res.setHeader('connection', 'close')
    next()
  }
}

/** One handler that asks several in their order: each that Express itself knows of costs every request a look. */
function inTurn(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    let asked = 0
    const ask: NextFunction = (error?: unknown) => {
      const handler = error === undefined ? handlers[asked++] : undefined
      if (handler) void handler(req, res, ask)
      else next(error)
    }
    ask()
  }
}
