// Express with express-openapi-validator as its guide sets it up, both validations on: no state, no journal.
import { createServer } from 'node:http'
import express from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { ordered, products, service, unauthenticated, updated } from '../../lib/answers.mjs'
import { listen } from '../../lib/serve.mjs'

/** @param {import('../../lib/answers.mjs').Answer} answer @returns {express.RequestHandler} */
function answering({ body }) {
  const value = JSON.parse(body)
  return (_req, res) => {
    res.json(value)
  }
}

const app = express()
app.use(express.json())
app.use(
  OpenApiValidator.middleware({
    apiSpec: `${process.env.BENCH_PRODUCT}/openapi.yaml`,
    validateRequests: true,
    validateResponses: true,
  }),
)
app.get('/api/products', answering(products))
app.get('/api/service/:id', answering(service))
app.post('/api/product/:pid', answering(ordered))
app.put('/api/service/:id', answering(updated))
app.use(
  /** @type {express.ErrorRequestHandler} */ (error, _req, res, _next) => {
    if (error.status === 401) res.status(401).type('text/plain').send(unauthenticated.body)
    else res.status(error.status ?? 500).json({ error: error.message })
  },
)

listen(createServer(app))
