// Express with its defaults: no checks, no state, no journal.
import { createServer } from 'node:http'
import express from 'express'
import { addRoutes, listen, unauthenticated } from './responses.mjs'

const app = express()
app.use((req, res, next) => {
  if (req.headers.authorization) next()
  else res.status(401).type('text/plain').send(unauthenticated.body)
})
app.use(express.json())
addRoutes(app)
listen(createServer(app))
