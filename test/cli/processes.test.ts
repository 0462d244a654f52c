import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../support/start.ts'
import { client } from './inProcess.ts'
import { cli, hasTerminal, launch, onTerminal, proxysim, served, type Launched } from './proxysim.ts'

// What only a process of its own can show: signals, terminals, pipes that are closed, the working directory.

const authorization = `Basic ${btoa('reseller:secret')}`

test('signals reach the command of exec, which decides', async () => {
  const running = launch([
    'exec',
    '--',
    ...client(
      `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready')`,
    ),
  ])
  await running.printed(/ready/)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(9)
})

test.skipIf(!hasTerminal)('Ctrl-C in a terminal reaches the command once, also without input', async () => {
  const [, file = ''] = client(`
    let count = 0
    const keepAlive = setInterval(() => {}, 1000)
    process.on('SIGINT', async () => {
      if (++count > 1) return
      // A second signal, forwarded by the simulator's process, would come before its next responses.
      for (let i = 0; i < 3; i++) await ask('GET', '/api/clients')
      console.log('signals: ' + count)
      clearInterval(keepAlive)
    })
    console.log('started')`)
  const running = onTerminal(`exec -- "${process.execPath}" "${file}" < /dev/null`)
  await running.printed(/started/)
  running.child.stdin?.write('\u0003')
  const { code, stdout } = await running.ended
  expect([code, stdout]).toEqual([0, expect.stringContaining('signals: 1')])
})

test('Ctrl-C ends all children of a sweep', async () => {
  const pids = join(folder(), 'pids')
  const program = `
    import { appendFileSync } from 'node:fs'
    import { spawn } from 'node:child_process'
    await ask('GET', '/api/clients').catch(() => {})
    if (process.env.PROXYSIM_FAULT !== 'none') {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      appendFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid)
      setInterval(() => {}, 1000)
    }`
  const running = launch(['sweep', '--faults', 'reset', 'empty', '--jobs', '1', '--', ...client(program)])
  const started = (): number[] =>
    existsSync(pids) ? (readFileSync(pids, 'utf8').match(/\d+/g) ?? []).map(Number) : []
  await expect.poll(() => started().length, { timeout: 30_000 }).toBe(2)
  running.child.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 130, stdout: '' })
  await expect.poll(() => started().filter(isAlive)).toEqual([])
})

test.each([
  [3, ['--min-coverage', '90'], '', ['report.json']],
  [4, ['--on-failure', 'repro'], 'process.exit(4)', ['proxysim-repro', 'report.json']],
])('exec whose reader has gone exits with %d, and writes its files', async (code, flags, program, files) => {
  const cwd = folder()
  const command = client(`await ask('GET', '/api/service/1'); ${program}`)
  const running = launch(['exec', ...flags, '--report', 'report.json', '--', ...command], { cwd })
  running.child.stdout?.destroy()
  expect(await running.ended).toMatchObject({ code })
  expect(readdirSync(cwd)).toEqual(files)
})

test('--on-failure repro writes a scenario for each refused request, across resets', async () => {
  const cwd = folder()
  const program = `
    await ask('POST', '/api/product/101', { clientid: 99 })
    await fetch(PROXYSIM_URL + '/__admin/reset', { method: 'POST' })
    await ask('GET', '/api/service/1')
    process.exit(7)`
  const { code, stdout } = await proxysim(
    ['exec', '--json', '--on-failure', 'repro', '--', ...client(program)],
    { cwd },
  )
  expect(code).toBe(7)
  const { repros } = JSON.parse(stdout) as { repros: string[] }
  expect(repros).toEqual([
    'proxysim-repro/1-orderService-client-not-found.yaml',
    'proxysim-repro/2-getService-unprocessable.yaml',
  ])
  for (const file of repros)
    expect(readFileSync(join(cwd, file), 'utf8')).toMatch(
      /^# curl .*'http:\/\/127\.0\.0\.1:4010\/api\/.*\ndescription: /,
    )
  expect(await proxysim(['check', ...repros], { cwd })).toMatchObject({ code: 0 })
})

test('a full disk is told in one line, with exit 2', async () => {
  const program = ['sh', '-c', 'exec "$0" "$@" >/dev/full', process.execPath, cli]
  const stderr = "proxysim: Can't write to standard output (ENOSPC).\n"
  expect(await proxysim(['probe'], { program })).toMatchObject({ code: 2, stderr })
})

async function get(url: string, path: string): Promise<void> {
  await (await fetch(`${url}${path}`, { headers: { authorization } })).text()
}

/** Asks again and again until something of it is printed. */
async function until(running: Launched, pattern: RegExp, url: string, path: string): Promise<void> {
  const beat = setInterval(() => void get(url, path).catch(() => {}), 100)
  await running.printed(pattern).finally(() => clearInterval(beat))
}

test('requests --follow prints each new request, also as JSON, waits for a simulator that stops, and ends with Ctrl-C or its reader', async () => {
  const first = launch(['--port', '0', '--in-memory'])
  const url = await served(first)
  await get(url, '/api/billing/credit')
  const running = launch(['requests', '--follow', '--url', url])
  const found = launch(['requests', '--follow', '--json', '--status', '4xx', '--url', url])
  await until(running, /#\d+ +\S+Z +200 +listProducts +GET \/api\/products\n/, url, '/api/products')
  await until(found, /^\{.*"status":422.*\}\n/m, url, '/api/service/77')
  const beat = setInterval(() => void get(url, '/api/service/78').catch(() => {}), 100)
  found.child.stdout?.destroy()
  expect(await found.ended.finally(() => clearInterval(beat))).toMatchObject({ code: 0, stderr: '' })
  first.child.kill('SIGTERM')
  await first.ended
  await served(launch(['--port', new URL(url).port, '--in-memory']))
  await until(running, /listClients/, url, '/api/clients')
  running.child.kill('SIGINT')
  const { code, stdout, stderr } = await running.ended
  expect(code).toBe(0)
  expect(stdout, 'what was before').not.toContain('getCredit')
  expect(stderr).toBe(
    `proxysim: The simulator at ${url} has stopped. Waiting for it to start again …\nproxysim: The simulator is back.\n`,
  )
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
