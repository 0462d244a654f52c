import express, { type Express, type RequestHandler } from 'express'
import type { Simulation } from '../Simulation.ts'
import { apiHandler } from './apiRoutes.ts'
import { answerThrown, answerUnknown } from './guards/lastWord.ts'

/** The Express application; it never listens. `/api` goes the road, everything else is the control plane's and the pages'. */
export function createApp(
  simulation: Simulation,
  guards: readonly RequestHandler[],
  rest: RequestHandler,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // it would give 304s, which the contract does not have
  app.set('query parser', false)
  for (const guard of guards) app.use(guard)
  app.use('/api', apiHandler(simulation))
  app.use(rest)
  app.use(answerUnknown)
  app.use(answerThrown(simulation.log))
  return app
}
