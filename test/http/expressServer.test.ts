import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { expressServer } from '../../src/http/expressServer.ts'

/** What the engine thinks of an object is nowhere to be asked but by its own syntax. */
function fastCheck(): (object: object) => boolean {
  setFlagsFromString('--allow-natives-syntax')
  // oxlint-disable-next-line no-implied-eval, no-new-func
  return new Function('object', 'return %HasFastProperties(object)') as (object: object) => boolean
}

const major = Number(process.versions.node.split('.')[0])

test('requests and responses are those of the application from birth, and keep the shape that the engine is fast with', async ({
  skip,
}) => {
  skip(major > 24, 'what Node gives a message may differ there')
  const isFast = fastCheck()
  const app = express()
  const seen: boolean[][] = []
  app.use((req, res) => {
    seen.push([
      Object.getPrototypeOf(req) === app.request,
      Object.getPrototypeOf(res) === app.response,
      isFast(req),
      isFast(res),
    ])
    res.end()
  })
  const server = expressServer(app, {}).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  for (let i = 0; i < 20; i++) {
    const [response] = (await once(
      get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
      'response',
    )) as [NodeJS.ReadableStream]
    response.resume()
    await once(response, 'end')
  }
  expect(seen).toEqual(Array.from({ length: 20 }, () => [true, true, true, true]))
})
