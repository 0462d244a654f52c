// Our captured responses and the functions that the servers share.
import { readFileSync } from 'node:fs'

/** @typedef {{ status: number, headers: Record<string, string>, body: string }} CapturedResponse */

/** @type {Record<string, CapturedResponse>} */
const byWorkload = JSON.parse(readFileSync(process.env.BENCH_RESPONSES ?? '', 'utf8'))

/** @param {string} workload @returns {CapturedResponse} */
function getCaptured(workload) {
  const response = byWorkload[workload]
  if (!response) throw new Error(`No response was captured for ${workload}.`)
  return response
}

export const products = getCaptured('list of 20 products')
export const service = getCaptured('one service')
export const ordered = getCaptured('order')
export const updated = getCaptured('update with setip')
export const unauthenticated = getCaptured('401')

/**
 * Adds the workloads' routes to an Express app.
 * @param {import('express').Express} app
 */
export function addRoutes(app) {
  const responses = /** @type {const} */ ([
    ['get', '/api/products', products],
    ['get', '/api/service/:id', service],
    ['post', '/api/product/:pid', ordered],
    ['put', '/api/service/:id', updated],
  ])
  for (const [method, path, { body }] of responses) {
    const value = JSON.parse(body)
    app[method](path, (_req, res) => {
      res.json(value)
    })
  }
}

/** @param {import('node:http').Server} server */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    console.log(`http://127.0.0.1:${port}`)
  })
}
