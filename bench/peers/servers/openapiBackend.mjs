// openapi-backend as its guide sets it up: requests validated, answers made up from the contract.
//   node openapiBackend.mjs FOLDER-WITH-NODE_MODULES PORT CONTRACT
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const [, , installed, port, definition] = process.argv
const { OpenAPIBackend } = createRequire(`${installed}/`)('openapi-backend')

/** @typedef {import('node:http').ServerResponse} Response */

/** @param {Response} res @param {number} status @param {unknown} body */
function send(res, status, body) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  res
    .writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    .end(text)
}

const api = new OpenAPIBackend({ definition, ajvOpts: { strict: false }, quick: true })
const handlers = {
  /** @param {any} context @param {unknown} _req @param {Response} res */
  notImplemented(context, _req, res) {
    const { status, mock } = api.mockResponseForOperation(context.operation.operationId, { code: 200 })
    send(res, status, mock)
  },
  /** @param {any} context @param {unknown} _req @param {Response} res */
  validationFail(context, _req, res) {
    send(res, 400, { errors: context.validation.errors })
  },
  /** @param {unknown} _context @param {unknown} _req @param {Response} res */
  notFound(_context, _req, res) {
    send(res, 404, { error: 'not found' })
  },
  /** @param {unknown} _context @param {unknown} _req @param {Response} res */
  unauthorizedHandler(_context, _req, res) {
    send(res, 401, 'Unauthenticated')
  },
}
api.register(handlers)
for (const name of Object.keys((await api.loadDocument()).components?.securitySchemes ?? {}))
  api.registerSecurityHandler(name, (/** @type {any} */ context) =>
    String(context.request.headers.authorization).startsWith('Basic '),
  )
await api.init()

createServer((req, res) => {
  /** @type {Buffer[]} */
  const pieces = []
  req.on('data', (piece) => pieces.push(piece))
  req.on('end', () => {
    const text = Buffer.concat(pieces).toString()
    const request = {
      method: req.method,
      path: req.url,
      headers: req.headers,
      body: text && JSON.parse(text),
    }
    api
      .handleRequest(request, req, res)
      .catch((/** @type {Error} */ error) => send(res, 500, { error: error.message }))
  })
}).listen(Number(port), '127.0.0.1')
