// Express as it comes: no check, no state, no journal.
import { createServer } from 'node:http'
import express from 'express'
import { answer, listen, unauthenticated } from './responses.mjs'

const app = express()
app.use((req, res, next) => {
  if (req.headers.authorization) next()
  else res.status(401).type('text/plain').send(unauthenticated.body)
})
app.use(express.json())
answer(app)
listen(createServer(app))
