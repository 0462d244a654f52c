// Express with express-openapi-validator set up as in its guide, with both validations on: no state, no journal.
import { createServer } from 'node:http'
import express from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { addRoutes, listen, unauthenticated } from './responses.mjs'

const app = express()
app.use(express.json())
app.use(
  OpenApiValidator.middleware({
    apiSpec: `${process.env.BENCH_PRODUCT}/openapi.yaml`,
    validateRequests: true,
    validateResponses: true,
  }),
)
addRoutes(app)
app.use(
  /** @type {express.ErrorRequestHandler} */ (error, _req, res, _next) => {
    if (error.status === 401) res.status(401).type('text/plain').send(unauthenticated.body)
    else res.status(error.status ?? 500).json({ error: error.message })
  },
)
listen(createServer(app))
