// The floor: node:http that only sends the same bytes and headers.
import { createServer } from 'node:http'
import { listen, ordered, products, service, unauthenticated, updated } from './responses.mjs'

const byRequest = {
  'GET /api/products': products,
  'GET /api/service/5001': service,
  'POST /api/product/101': ordered,
  'PUT /api/service/5001': updated,
}

const server = createServer((req, res) => {
  const path = req.url?.startsWith('/api/service/') ? '/api/service/5001' : req.url
  const { status, headers, body } = req.headers.authorization
    ? byRequest[/** @type {keyof typeof byRequest} */ (`${req.method} ${path}`)]
    : unauthenticated
  if (req.method === 'GET') {
    res.writeHead(status, headers).end(body)
    return
  }
  req.on('data', () => {})
  req.on('end', () => res.writeHead(status, headers).end(body))
})
listen(server)
