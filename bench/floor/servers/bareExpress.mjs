// Express as it comes: no check, no state, no journal.
import { createServer } from 'node:http'
import express from 'express'
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
app.use((req, res, next) => {
  if (req.headers.authorization) next()
  else res.status(401).type('text/plain').send(unauthenticated.body)
})
app.use(express.json())
app.get('/api/products', answering(products))
app.get('/api/service/:id', answering(service))
app.post('/api/product/:pid', answering(ordered))
app.put('/api/service/:id', answering(updated))

listen(createServer(app))
