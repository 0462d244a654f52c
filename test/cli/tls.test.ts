import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Har } from 'har-format'
import { startSimulator } from 'proxysim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestPage } from '../../src/contract/shapes.ts'
import { cli, usageError, whileServing } from './inProcess.ts'
import { proxysim } from './proxysim.ts'

describe.skipIf(spawnSync('openssl', ['version']).status !== 0)('https', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxysim-tls-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const [cert = '', key = '', otherKey = '', rsaKey = '', lockedKey = ''] = [
    'cert.pem',
    'key.pem',
    'other.pem',
    'rsa.pem',
    'locked.pem',
  ].map((name) => join(folder, name))

  beforeAll(() => {
    const self = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    for (const file of [otherKey, key])
      execFileSync('openssl', [...self, ...name, '-keyout', file, '-out', cert], { stdio: 'ignore' })
    execFileSync('openssl', ['genrsa', '-out', rsaKey], { stdio: 'ignore' })
    const lock = ['pkey', '-in', key, '-aes256', '-passout', 'pass:abcd', '-out', lockedKey]
    execFileSync('openssl', lock, { stdio: 'ignore' })
  })

  test.each<[what: string, use: (socket: Socket) => void]>([
    ['waits', () => {}],
    ['ends', (socket) => socket.end()],
    ['disconnects', (socket) => socket.destroy()],
    ['sends half a handshake', (socket) => socket.write(Buffer.from([0x16, 0x03]))],
  ])('a connection that only %s does not prevent the simulator from stopping', async (_, use) => {
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
    const sim = await startSimulator({ tls })
    const socket = connect(Number(new URL(sim.url).port), '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    use(socket)
    expect((await sim.health()).status).toBe('ok') // by now, the server has accepted the connection
    await sim.close()
    socket.destroy()
  })

  test('the command reports certificates that are not trusted, or for another host', async () => {
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
    await using sim = await startSimulator({ tls })
    const untrusted = usageError('is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)')
    expect(await cli(['clock', '--url', sim.url])).toMatchObject(untrusted)
    const elsewhere = `https://[::ffff:127.0.0.1]:${new URL(sim.url).port}`
    const trusting = { env: { NODE_EXTRA_CA_CERTS: cert } }
    const { stderr } = await proxysim(['clock', '--url', elsewhere], trusting)
    expect(stderr).toContain('is for another host')
  })

  test('the command reports a wrong scheme', async () => {
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
    await using secure = await startSimulator({ tls })
    const plain = secure.url.replace('https', 'http')
    expect(await cli(['clock', '--url', plain])).toMatchObject(
      usageError(
        `No simulator answers at ${plain} (ECONNRESET). If it uses TLS, its URL begins with https://.`,
      ),
    )
    await using sim = await startSimulator()
    const url = sim.url.replace('http', 'https')
    expect(await cli(['clock', '--url', url])).toMatchObject(
      usageError(`The server at ${url} does not use TLS. Use ${sim.url}.`),
    )
  })

  test('a client that trusts the certificate is served over https, but not over http', async () => {
    const flags = ['-p', '0', '--in-memory', '--log-level', 'error', '--tls-cert', cert, '--tls-key', key]
    await whileServing(flags, async (url) => {
      const ask = (path: string, options: object): Promise<string> =>
        new Promise((resolve, reject) => {
          request(url + path, { ca: readFileSync(cert), auth: 'reseller:secret', ...options }, (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (part: string) => (text += part))
            response.on('end', () => resolve(text))
          })
            .on('error', reject)
            .end()
        })
      expect(await ask('/api/billing/credit', {})).toBe('{"credit":250}')
      const reset = { method: 'POST', headers: { origin: url } }
      expect(await ask('/__admin/reset', reset)).toContain('"scenario":"default"')
      const answer = await new Promise<string>((resolve) => {
        let text = ''
        connect(Number(new URL(url).port), '127.0.0.1')
          .on('data', (part) => (text += String(part)))
          .on('error', () => {})
          .on('close', () => resolve(text))
          .end('GET /api/clients HTTP/1.1\r\nHost: localhost\r\n\r\n')
      })
      expect(answer).not.toContain('200')
      const { refused: last } = JSON.parse(await ask('/__admin/requests', {})) as RequestPage
      const reason = 'Plain HTTP was sent to a server that uses TLS. Use https://.'
      expect(last).toMatchObject({ count: 1, last: [{ reason }] })
      await ask('/api/billing/credit', {})
      const { log } = JSON.parse(await ask('/__admin/requests.har', {})) as Har
      expect(log.entries.map((entry) => entry.request.url)).toEqual([`${url}/api/billing/credit`])
      expect(await ask('/__admin/health', {})).toContain('"status":"ok"')
    })
  })

  test('the library’s handle trusts the given certificate', async () => {
    const tls = { cert: readFileSync(cert), key: readFileSync(key, 'utf8') }
    await using sim = await startSimulator({ tls })
    expect(sim.url).toMatch(/^https:/)
    await using account = await sim.createAccount()
    await account.patch({ credit: 3 })
    expect((await account.state()).credit).toBe(3)
  })

  test.each([
    [
      ['--tls-cert', 'nowhere.pem', '--tls-key', 'nowhere.pem'],
      "The file nowhere.pem can't be read (ENOENT).",
    ],
    [['--tls-cert', cert], '--tls-cert needs --tls-key. Add --tls-key FILE.'],
    [['--tls-cert', key, '--tls-key', key], 'the certificate is not valid PEM.'],
    [['--tls-cert', cert, '--tls-key', cert], 'the key is not valid PEM.'],
    [['--tls-cert', cert, '--tls-key', otherKey], 'the key belongs to another certificate.'],
    [['--tls-cert', cert, '--tls-key', rsaKey], 'the key belongs to another certificate.'],
    [['--tls-cert', cert, '--tls-key', lockedKey], 'the key has a passphrase. Remove it'],
  ])('%j is refused in one line', async (flags, message) => {
    expect(await cli(['serve', '--port', '0', '--in-memory', ...flags])).toMatchObject(usageError(message))
  })
})
