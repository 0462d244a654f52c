import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { parseResponse, sendAndRead } from '../support/raw.ts'
import { waitForEvent, start, type TestSimulator } from '../support/start.ts'

/* A client that closes its side after the request still waits for the response, unlike one that has disconnected. */

function order(sim: TestSimulator, body: string | Buffer = '{"clientid":11}', ...more: string[]): Buffer {
  const lines = [
    'POST /api/product/101 HTTP/1.1',
    'Host: localhost',
    `Authorization: ${sim.authorization()}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...more,
  ]
  return Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n')), Buffer.from(body)])
}

interface Shown {
  requests: { case: string | null; status: number }[]
}

const findings = async ({ admin }: TestSimulator): Promise<string[]> =>
  (await admin<{ finding: string }[]>('GET', '/findings')).json.map(({ finding }) => finding)

describe('a complete request followed by FIN gets its response:', () => {
  test.each<[what: string, fault: object | undefined, body?: Buffer, ...headers: string[]]>([
    ['a plain body', undefined],
    ['a gzip body', undefined, gzipSync('{"clientid":11}'), 'Content-Encoding: gzip'],
    ['a delay', { delay: 30 }],
    ['a delay after the operation', { delay: 30, phase: 'after' }],
    ['a delayed response of a fault', { delay: 30, respond: { status: 200, body: { orderId: 1 } } }],
  ])('%s', async (_what, fault, body, ...headers) => {
    const sim = await start()
    if (fault) await sim.admin('POST', '/faults', { operation: 'orderService', ...fault })
    const reply = await sendAndRead(sim.port, (socket) => void socket.end(order(sim, body, ...headers)))
    expect(parseResponse(reply)).toMatchObject({
      status: 200,
      body: expect.stringContaining('orderId') as string,
    })
    expect(await findings(sim)).not.toContain('order-lost')
  })

  test.each([
    ['the control plane', 'POST /__admin/requests/wait', '{"timeout":30}', 408],
    ['a page', 'GET /docs/guide/errors.md', '', 200],
    ['a refusal', 'GET /nowhere', '', 404],
  ])('%s', async (_what, line, body, status) => {
    const sim = await start()
    const bytes = `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const reply = await sendAndRead(sim.port, (socket) => void socket.end(bytes))
    expect(parseResponse(reply).status).toBe(status)
  })
})

test.each(['destroy', 'resetAndDestroy'] as const)(
  'an order is orphaned if its client disconnects (%s)',
  async (end) => {
    for (const phase of ['before', 'after']) {
      const sim = await start()
      await sim.admin('POST', '/faults', { operation: 'orderService', delay: 60, phase })
      const begun = waitForEvent(sim, 'change')
      const socket = connect(sim.port, '127.0.0.1')
      socket.write(order(sim))
      await begun
      socket[end]()
      await expect.poll(() => findings(sim)).toContain('order-lost')
      const reason = 'the connection was closed before the whole response was sent'
      expect((await sim.admin<Shown>('GET', '/requests')).json.requests).toMatchObject([{ reason }])
    }
  },
)
