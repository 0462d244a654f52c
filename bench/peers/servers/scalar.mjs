// Scalar's mock server as its guide sets it up.
//   node scalar.mjs FOLDER-WITH-NODE_MODULES PORT CONTRACT
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [, , installed, port, contract = ''] = process.argv
const require = createRequire(`${installed}/`)

/** @param {string} name */
function load(name) {
  return import(pathToFileURL(require.resolve(name)).href)
}

const { createMockServer } = await import(
  pathToFileURL(`${installed}/node_modules/@scalar/mock-server/dist/index.js`).href
)
const { serve } = await load('@hono/node-server')
const app = await createMockServer({ specification: JSON.parse(readFileSync(contract, 'utf8')) })
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' })
