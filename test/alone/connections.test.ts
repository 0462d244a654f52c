import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { maxConnections } from '../../src/http/limits.ts'
import { parseResponse, sendAndRead } from '../support/raw.ts'
import { launch } from '../cli/proxysim.ts'

test('connections beyond the limit are closed and reported, and the others are served', async () => {
  const [, port] = (await launch(['--port', '0', '--in-memory']).printed(/127\.0\.0\.1:(\d+)/)).map(
    Number,
  ) as [0, number]
  const sockets: Socket[] = []
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  for (let open = 0; open < maxConnections; open += 100) {
    const more = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    sockets.push(...more)
    await Promise.all(more.map((socket) => once(socket, 'connect')))
  }
  const request = 'GET /__admin/requests HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  expect(await sendAndRead(port, (socket) => void socket.write(request))).toBe('')
  const [first] = sockets as [Socket]
  let text = ''
  first.on('data', (bytes) => (text += String(bytes))).write(request)
  await once(first, 'close')
  expect(parseResponse(text)).toMatchObject({
    status: 200,
    body: expect.stringContaining(`${maxConnections} connections are open`) as string,
  })
})
