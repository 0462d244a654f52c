import { startSimulator } from 'proxysim'
import { expect, test } from 'vitest'
import { createCertificate } from '../support/certificate.ts'
import { cli, usageError } from './inProcess.ts'
import { launch } from './proxysim.ts'

test('health asks at the port, host and TLS of serve, from flags or variables, and no proxy', async () => {
  await using sim = await startSimulator()
  const { port } = new URL(sim.url)
  const healthy = { code: 0, stdout: 'ok\n', stderr: '' }
  expect(await cli(['health', '-p', port])).toEqual(healthy)
  expect(await cli(['health', '--host', '0.0.0.0'], { PORT: port })).toEqual(healthy)
  const env = { PORT: '1', PROXYSIM_PORT: port, http_proxy: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' }
  expect(await cli(['health'], env)).toEqual(healthy)
  const gone = await cli(['health', '-p', '1'])
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('Not healthy at 127.0.0.1 port 1') })
  expect(await cli(['health', '-p', '0'])).toMatchObject(usageError('The port is 0'))
})

test('health asks a server with TLS, and names the reason if it is not healthy', async () => {
  await using sim = await startSimulator({ tls: createCertificate() })
  const { port } = new URL(sim.url)
  expect(await cli(['health', '-p', port, '--tls-cert', 'cert.pem'])).toMatchObject({
    code: 0,
    stdout: 'ok\n',
  })
  expect(await cli(['health', '-p', port])).toMatchObject({ code: 1 })
})

test.skipIf(process.platform !== 'linux')(
  'health takes the flags of a process; SIGHUP stops it',
  async () => {
    await using other = await startSimulator() // has the same port on another address
    const { port } = new URL(other.url)
    const running = launch(['serve', '--host', '127.0.0.2', '-p', port, '--in-memory'])
    await running.printed(/listening/)
    const pid = String(running.child.pid)
    expect(await cli(['health', '--pid', pid])).toMatchObject({ code: 0, stdout: 'ok\n' })
    await other.close()
    expect(await cli(['health', '--pid', pid])).toMatchObject({ code: 0, stdout: 'ok\n' })
    running.child.kill('SIGHUP')
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  },
)
