import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from 'proxysim'
import { expect, onTestFinished, test } from 'vitest'
import { createFolder } from '../support/start.ts'
import { cli as inProcess, createClient } from './inProcess.ts'
import { cli, hasTerminal, launch, launchInTerminal, proxysim } from './proxysim.ts'

// Tests that need separate processes: signals, terminals, closed pipes, the working directory.

test('exec forwards signals to its command, and waits for it to end', async () => {
  const signals = ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const
  const program = `
    for (const name of ${JSON.stringify(signals)}) process.on(name, () => console.log('got ' + name))
    process.on('SIGQUIT', () => process.exit(9))
    setInterval(() => {}, 1000)
    console.log('ready')`
  const running = launch(['exec', '--', ...createClient(program)])
  await running.printed(/ready/)
  for (const signal of signals) {
    running.child.kill(signal)
    await running.printed(new RegExp(`got ${signal}`))
  }
  running.child.kill('SIGQUIT')
  const { code, stderr } = await running.ended
  expect(code).toBe(9)
  expect(stderr).not.toContain('sent no request')
})

test.skipIf(!hasTerminal)('Ctrl-C in a terminal reaches the command once, also without input', async () => {
  const [, file = ''] = createClient(`
    let count = 0
    const keepAlive = setInterval(() => {}, 1000)
    process.on('SIGINT', async () => {
      if (++count > 1) return
      // If the simulator's process also forwarded the signal, it would arrive before these responses.
      for (let i = 0; i < 3; i++) await ask('GET', '/api/clients')
      console.log('signals: ' + count)
      clearInterval(keepAlive)
    })
    console.log('started')`)
  const running = launchInTerminal(`exec -- "${process.execPath}" "${file}" < /dev/null`)
  await running.printed(/started/)
  running.child.stdin?.write('\u0003')
  const { code, stdout } = await running.ended
  expect([code, stdout]).toEqual([0, expect.stringContaining('signals: 1')])
})

test.each([
  ['SIGINT', 'in a stage', `PROXYSIM_FAULT.endsWith('empty')`, ['reset', 'empty'], 'after 1 of 2 runs'],
  [
    'SIGQUIT',
    'between two stages',
    'PROXYSIM_WORKER',
    ['reset', '--overlap'],
    'after 1 run, before the next stage',
  ],
] as const)(
  '%s %s ends all children of a sweep, and it reports the runs so far',
  async (signal, _, hangs, faults, when) => {
    const pids = join(createFolder(), 'pids')
    const program = `
    import { appendFileSync } from 'node:fs'
    import { spawn } from 'node:child_process'
    await ask('GET', '/api/clients').catch(() => {})
    if (process.env.${hangs}) {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      appendFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid)
      setInterval(() => {}, 1000)
    }`
    const junit = join(createFolder(), 'sweep.xml')
    const accepted = join(createFolder(), 'accepted.yaml')
    writeFileSync(accepted, 'getCredit 503: { verdict: stuck, reason: known }')
    const flags = ['--faults', ...faults, '--jobs', '1', '--report', junit, '--write-accepted', accepted]
    const running = inProcess(['sweep', ...flags, '--', ...createClient(program)])
    const started = (): number[] =>
      existsSync(pids) ? (readFileSync(pids, 'utf8').match(/\d+/g) ?? []).map(Number) : []
    await expect.poll(() => started().length).toBe(2)
    process.emit(signal, signal)
    const { code, stdout, stderr } = await running
    expect([code, stdout], stderr).toEqual([
      128 + constants.signals[signal],
      expect.stringMatching(/^first +listClients +ok: reset$/m),
    ])
    expect(stdout).toContain(`\nNo problem. 1 run: 1 ok. Interrupted ${when}.\n`)
    expect(readFileSync(junit, 'utf8')).toContain(`<failure message="Interrupted ${when}."`)
    expect(stderr).toContain(`\nproxysim: Interrupted ${when}.\nproxysim: ${accepted} was not written`)
    expect(readFileSync(accepted, 'utf8')).toContain('reason: known')
    await expect.poll(() => started().filter(isAlive)).toEqual([])
  },
)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('exec writes a scenario for each finding and refused request, also before a reset and if its output is closed', async () => {
  const cwd = createFolder()
  const program = `
    await ask('POST', '/api/product/101', { clientid: 11, ip: '203.0.113.77' })
    await ask('POST', '/api/product/101', { clientid: 99 })
    await ask('POST', '/__admin/reset')
    await ask('GET', '/api/service/1')
    process.exit(7)`
  const flags = ['--on-failure', 'repro', '--report', 'report.json']
  const names = [
    '1-orderService-unknown-field.yaml',
    '2-orderService-client-not-found.yaml',
    '3-getService-unprocessable.yaml',
  ]
  const running = launch(['exec', ...flags, '--', ...createClient(program)], { cwd })
  running.child.stdout?.destroy()
  expect(await running.ended).toMatchObject({ code: 7 })
  const { repros } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as { repros: string[] }
  expect(repros).toEqual(names.map((name) => `proxysim-repro/${name}`))
  expect(readdirSync(join(cwd, 'proxysim-repro'))).toEqual(names)
  const files = repros.map((file) => join(cwd, file))
  for (const file of files)
    expect(readFileSync(file, 'utf8')).toMatch(
      /^# curl .* "\$\{PROXYSIM_URL:-http:\/\/127\.0\.0\.1:4010\}"'\/api\/.*'\ndescription: /,
    )
  expect(await inProcess(['check', ...files])).toMatchObject({ code: 0 })
})

test('a full disk is reported in one line, with exit 2', async () => {
  const program = ['sh', '-c', 'exec "$0" "$@" >/dev/full', process.execPath, cli]
  const stderr = "proxysim: Can't write to standard output (ENOSPC).\n"
  expect(await proxysim(['--version'], { program })).toMatchObject({ code: 2, stderr })
})

test('a file that a full disk cannot take leaves the earlier one, and nothing else', async () => {
  const sim = await startSimulator()
  onTestFinished(() => sim.close())
  const [folder, link] = [createFolder(), join(createFolder(), 'state.yaml')]
  const file = join(folder, 'real.yaml')
  symlinkSync(file, link)
  const args = ['state', 'export', '--url', sim.url, '--output', link]
  const program = ['sh', '-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, cli] // 4 KB
  const stderr = `proxysim: Can't write ${link} (EFBIG: file too large).\n`
  expect(await inProcess(args)).toMatchObject({ code: 0 })
  const earlier = readFileSync(file, 'utf8')
  chmodSync(file, 0o640)
  await sim.patch({ credit: 7 })
  expect(await proxysim(args, { program })).toMatchObject({ code: 2, stderr })
  expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([['real.yaml'], earlier])
  expect(await inProcess(args)).toMatchObject({ code: 0 })
  expect([readdirSync(folder), statSync(file).mode & 0o777]).toEqual([['real.yaml'], 0o640])
  expect(readFileSync(file, 'utf8')).toContain('credit: 7')
})

test('requests --follow prints new requests, also as JSON, and ends on Ctrl-C or a closed output', async () => {
  const sim = await startSimulator()
  onTestFinished(() => sim.close())
  const { url } = sim
  const authorization = sim.authorization()
  const get = async (path: string): Promise<void> => {
    await (await fetch(url + path, { headers: { authorization } })).text()
  }
  /** Sends requests until the promise is settled. */
  const requestUntil = async <T>(path: string, promise: Promise<T>): Promise<T> => {
    const timer = setInterval(() => void get(path).catch(() => {}), 100)
    return promise.finally(() => clearInterval(timer))
  }
  await get('/api/billing/credit')
  const follow = ['requests', '--follow', '--url', url]
  const line = /#\d+ +\S+Z +reseller +200 +listProducts +GET \/api\/products\n/
  const printed = (text: string) => line.test(text) && process.emit('SIGINT', 'SIGINT')
  const { code, stdout, stderr } = await requestUntil('/api/products', inProcess(follow, {}, printed))
  const found = launch([...follow, '--json', '--status', '4xx'])
  await requestUntil('/api/service/77', found.printed(/^\{.*"status":422.*\}\n/m))
  found.child.stdout?.destroy()
  expect(await requestUntil('/api/service/78', found.ended)).toMatchObject({ code: 0, stderr: '' })
  expect(code).toBe(0)
  expect(stdout, 'earlier requests').not.toContain('getCredit')
  expect(stderr).toBe('')
})
