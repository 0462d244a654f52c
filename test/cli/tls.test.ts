import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from 'proxysim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, proxysim, refused } from './proxysim.ts'

const made = mkdtempSync(join(tmpdir(), 'proxysim-tls-'))
afterAll(() => rmSync(made, { recursive: true, force: true }))
const [cert, key, otherKey] = ['cert.pem', 'key.pem', 'other.pem'].map((name) => join(made, name)) as [
  string,
  string,
  string,
]

beforeAll(() => {
  const self = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...self, ...name, '-keyout', otherKey, '-out', cert], { stdio: 'ignore' })
  execFileSync('openssl', [...self, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' })
})

test('a client that trusts the certificate is served over https, and nobody over http', async () => {
  const flags = ['--port', '0', '--in-memory', '--tls-cert', cert, '--tls-key', key]
  const [url] = await launch(flags).printed(/https:\/\/127\.0\.0\.1:\d+/)
  const ask = (...args: string[]) =>
    execFileSync('curl', ['-s', '--noproxy', '*', '--cacert', cert, '-u', 'reseller:secret', ...args], {
      encoding: 'utf8',
    })
  expect(ask(`${url}/api/billing/credit`)).toBe('{"credit":250}')
  expect(ask('-H', `Origin: ${url}`, '-X', 'POST', `${url}/__admin/reset`)).toContain('"scenario":"default"')
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    connect(Number(new URL(url).port), '127.0.0.1')
      .on('data', (part) => (text += String(part)))
      .on('error', () => {})
      .on('close', () => resolve(text))
      .end('GET /api/clients HTTP/1.1\r\nHost: localhost\r\n\r\n')
  })
  expect(answer).not.toContain('200')
  expect(ask(`${url}/__admin/health`)).toContain('"status":"ok"')
})

test('the handle of the library trusts the certificate that it was given', async () => {
  await using sim = await startSimulator({
    tls: { cert: readFileSync(cert), key: readFileSync(key, 'utf8') },
  })
  expect(sim.url).toMatch(/^https:/)
  await sim.load('low-funds')
  const account = await sim.createAccount()
  await account.patch({ credit: 3 })
  expect((await account.world()).credit).toBe(3)
  await account.delete()
})

test.each([
  [['--tls-cert', 'nowhere.pem', '--tls-key', 'nowhere.pem'], `Can't read "nowhere.pem" (ENOENT)`],
  [['--tls-cert', cert], 'TLS needs a certificate and its key'],
  [['--tls-cert', key, '--tls-key', key], "can't be used"],
  [['--tls-cert', cert, '--tls-key', cert], "can't be used"],
  [['--tls-cert', cert, '--tls-key', otherKey], 'Both must be PEM and belong together'],
])('%j is refused in one line', async (flags, message) => {
  expect(await proxysim(['--port', '0', '--in-memory', ...flags])).toMatchObject(refused(message))
})

test.each([
  [{ cert: 'secret', key: 5 }, 'The option tls must be an object { cert, key } of two texts in PEM.'],
  [{ cert: '/etc/cert.pem', key: '/etc/key.pem' }, 'Both must be PEM'],
])('the options %j are refused', async (tls, message) => {
  await expect(startSimulator({ tls: tls as never })).rejects.toThrow(message)
})
