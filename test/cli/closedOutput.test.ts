import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../support/start.ts'
import { client } from './client.ts'
import { cli, launch, proxysim, served } from './proxysim.ts'

/** A client that notices nothing, and one that fails. */
const careless = `await ask('POST', '/api/product/101', { clientid: 11 }).catch(() => {})`
const failing = `await ask('GET', '/api/clients'); console.log('failing'); process.exit(4)`

const save = ['--save-state', 'state.yaml']

test.each([
  ['matrix', 1, ['--only', 'geo=object'], failing, ['report.json']],
  ['sweep', 1, ['--faults', 'reset'], careless, ['report.json', 'report.repro']],
  ['exec', 3, ['--min-coverage', '90', ...save], careless, ['report.json', 'state.yaml']],
  ['exec', 4, ['--on-failure', 'repro', ...save], failing, ['report.json', 'state.yaml']],
])(
  '%s whose reader has gone exits with %d, and writes its files',
  async (name, code, flags, program, files) => {
    const cwd = folder()
    const running = launch([name, ...flags, '--report', 'report.json', '--', ...client(program)], { cwd })
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code })
    expect(readdirSync(cwd)).toEqual(files)
  },
)

test('a closed standard error ends neither a run nor its report', async () => {
  const file = join(folder(), 'report.json')
  const args = ['matrix', '--verbose', '--only', 'geo=object', '--report', file, '--', ...client(failing)]
  const running = launch(args)
  running.child.stderr?.destroy()
  expect(await running.ended).toMatchObject({ code: 1 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ readings: [{}, {}] })
})

test('requests --follow ends if nobody reads', async () => {
  const url = await served(launch(['--port', '0', '--in-memory']))
  const running = launch(['requests', '--follow', '--url', url])
  const beat = setInterval(() => void fetch(`${url}/api/clients`).catch(() => {}), 50)
  try {
    await running.printed(/listClients/)
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  } finally {
    clearInterval(beat)
  }
})

test('a full disk is told in one line, with exit 2', async () => {
  const program = ['sh', '-c', 'exec "$0" "$@" >/dev/full', process.execPath, cli]
  const stderr = "proxysim: Standard output can't be written (ENOSPC).\n"
  expect(await proxysim(['probe'], { program })).toMatchObject({ code: 2, stderr })
})

test('a log that cannot be written stops neither requests nor the end', async () => {
  const program = ['sh', '-c', 'exec "$0" "$@" 2>/dev/full', process.execPath, cli]
  const running = launch(['serve', '--port', '0', '--in-memory', '--log-level', 'info'], { program })
  const url = await served(running)
  for (const _ of Array.from({ length: 20 })) expect((await fetch(`${url}/api/clients`)).status).toBe(401)
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, signal: null })
})

test.each([
  ['is whole once it is read', 100, 100],
  ['lacks the lines beyond 1 MB', 300, 250],
])('a log that nobody reads stops no requests, and %s', async (_what, sent, most) => {
  const running = launch(['serve', '--port', '0', '--in-memory', '--log-level', 'info'])
  running.child.stderr?.pause()
  const url = await served(running)
  const path = `/api/${'x/'.repeat(2000)}` // what is unauthenticated is redacted, and so short
  const headers = { authorization: `Basic ${btoa('reseller:secret')}` }
  for (const _ of Array.from({ length: sent }))
    expect((await fetch(url + path, { headers })).status).toBe(404)
  running.child.stderr?.resume()
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  expect(code).toBe(0)
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id)
  expect(lines).toEqual(Array.from({ length: Math.min(lines.length, most) }, (_, index) => index + 1))
  expect(lines.length).toBeGreaterThanOrEqual(100)
})

test('a log that is read slowly does not hold up the end for long', async () => {
  const running = launch(['serve', '--port', '0', '--in-memory', '--log-level', 'info'])
  const { child, ended } = running
  child.stderr?.pause()
  const url = await served(running)
  const headers = { authorization: `Basic ${btoa('reseller:secret')}` }
  for (const _ of Array.from({ length: 300 })) await fetch(`${url}/api/${'x/'.repeat(2000)}`, { headers })
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const sip = setInterval(() => child.stderr?.resume().once('data', () => child.stderr?.pause()), 800)
  await exited
  clearInterval(sip)
  child.stderr?.resume()
  const { code, stderr } = await ended
  expect(code).toBe(0)
  expect(stderr.length).toBeLessThan(800_000) // of 1 MB, at 64 KB a time
}, 30_000)
