import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { folder } from '../support/start.ts'
import { launch, proxysim, refusal, served, type Launched } from './proxysim.ts'

const authorization = `Basic ${btoa('reseller:secret')}`

async function get(url: string, path: string, headers: Record<string, string> = { authorization }) {
  const reply = await fetch(`${url}${path}`, { headers })
  await reply.text()
}

/** Resolves when it follows: what it prints of the request that is sent until then is in nobody's way. */
async function following(running: Launched, url: string): Promise<void> {
  const beat = setInterval(() => void get(url, '/api/clients/first'), 100)
  await running.printed(/first/).finally(() => clearInterval(beat))
}

test('--follow prints each new request as it comes, until Ctrl-C', async () => {
  const url = await served(launch(['--port', '0', '--in-memory']))
  await get(url, '/api/billing/credit')
  const running = launch(['requests', '--follow', '--url', url])
  await following(running, url)
  await get(url, '/api/products')
  await running.printed(/#\d+ +\S+Z +200 +listProducts +GET \/api\/products\n/)
  await get(url, '/api/services', {})
  await running.printed(
    /401 +listServices +GET \/api\/services +unauthenticated: there is no Authorization header\n/,
  )
  running.child.kill('SIGINT')
  const { code, stderr, stdout } = await running.ended
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout, 'what was before').not.toContain('getCredit')
})

test('a case is one that Sim-Case shows', async () => {
  const url = await served(launch(['--port', '0', '--in-memory']))
  await fetch(`${url}/__admin/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operation: '*', respond: { status: 503 } }),
  })
  const running = launch(['requests', '--follow', '--case', 'forced', '--url', url])
  const beat = setInterval(() => void get(url, '/api/billing/credit'), 100)
  await running.printed(/503 +getCredit/).finally(() => clearInterval(beat))
  running.child.kill('SIGTERM')
  await running.ended
  const listed = await proxysim(['requests', '--case', 'forced', '--limit', '1', '--url', url])
  expect(listed.stdout).toMatch(/503 +getCredit/)
})

test('filters apply, and --json prints one entry per line', async () => {
  const url = await served(launch(['--port', '0', '--in-memory']))
  const running = launch(['requests', '--follow', '--json', '--status', '4xx', '--url', url])
  await following(running, url)
  await get(url, '/api/products')
  await get(url, '/api/services?token=tok_abcdefgh', {})
  await running.printed(/unauthenticated.*\n/)
  running.child.kill('SIGTERM')
  const { stdout } = await running.ended
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; status: number })
  expect(entries.at(-1)).toMatchObject({ status: 401, path: '/api/services?token=[redacted]' })
  expect(entries.every(({ status }) => status >= 400)).toBe(true)
})

test('it waits for a simulator that stops and starts again', async () => {
  const first = launch(['--port', '0', '--in-memory'])
  const url = await served(first)
  const running = launch(['requests', '--follow', '--url', url])
  await following(running, url)
  first.child.kill('SIGTERM')
  await first.ended
  const second = launch(['--port', new URL(url).port, '--in-memory'])
  await served(second)
  const beat = setInterval(() => void get(url, '/api/products'), 100)
  await running.printed(/listProducts/).finally(() => clearInterval(beat))
  running.child.kill('SIGINT')
  expect(await running.ended).toMatchObject({
    code: 0,
    stderr: `proxysim: the simulator at ${url} has stopped; waiting for it to start again\nproxysim: the simulator is back\n`,
  })
})

test.each([
  [['--operation', 'listProduct'], 'there is no operation "listProduct"'],
  [['--account', 'nobody'], 'nobody'],
  [['--limit', '3'], "'--follow' cannot be used with option '--limit <n>'"],
  [['clear'], '`proxysim requests clear` takes no --follow'],
])('--follow %j is refused in one line', async (args, message) => {
  const url = await served(launch(['--port', '0', '--in-memory']))
  expect(await proxysim(['requests', '--follow', '--url', url, ...args])).toMatchObject(refusal(message))
})

test('--follow is refused if nothing answers', async () => {
  expect(await proxysim(['requests', '--follow', '--url', 'http://127.0.0.1:1'])).toMatchObject(
    refusal('No simulator answers at http://127.0.0.1:1'),
  )
})

test('--log-level info logs each request, without its credentials; warn does not', async () => {
  const logged = launch(['--port', '0', '--in-memory', '--log-level', 'info'])
  const quiet = launch(['--port', '0', '--in-memory'])
  for (const running of [logged, quiet]) {
    const url = await served(running)
    await get(url, '/api/products?password=hunter22hunter22')
    await get(url, '/api/services', { authorization: 'Bearer hunter22hunter22' })
    running.child.kill('SIGTERM')
  }
  const { stderr } = await logged.ended
  expect(stderr).not.toContain('hunter22')
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(lines).toMatchObject([
    {
      level: 30,
      msg: 'request',
      id: 1,
      account: 'reseller',
      operation: 'listProducts',
      method: 'GET',
      path: '/api/products?password=[redacted]',
      status: 200,
      case: null,
      ms: expect.any(Number) as number,
    },
    { status: 400, case: 'invalid-authorization-header', path: '/api/services' },
  ])
  expect((await quiet.ended).stderr).toBe('')
})

test('undo restores what a load or reset replaced, and can be undone', async () => {
  const url = await served(launch(['--port', '0', '--in-memory'], { cwd: folder() }))
  const run = async (...args: string[]) => proxysim([...args, '--url', url])
  const credit = async (): Promise<number> => {
    const { stdout } = await run('state', '--json')
    return (JSON.parse(stdout) as { credit: number }[])[0]?.credit ?? NaN
  }
  expect(await run('undo')).toMatchObject(refusal('There is nothing to undo'))
  await run('state', 'patch', '{"credit":77}')
  await run('load', 'low-funds')
  await run('state', 'patch', '{"credit":3}')
  const { code, stdout } = await run('undo')
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^Brought back .*\(default, as of .*Run it again to redo/),
  ])
  expect(await credit()).toBe(77)
  expect((await run('undo')).stdout).toContain('(low-funds, as of')
  expect(await credit()).toBe(3)
  await run('reset')
  expect(await credit()).toBe(0.5)
  await run('undo')
  expect(await credit()).toBe(3)
  await run('reset', '--account', 'reseller')
  expect(await credit()).toBe(0.5)
  await run('undo')
  expect(await credit()).toBe(3)
  await run('undo')
  expect(await credit()).toBe(0.5)
})

test.skipIf(spawnSync('script', ['--version']).error !== undefined)(
  'on a terminal the log is for people, and in colour',
  async () => {
    const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
    const command = `${process.execPath} ${cli} --port 0 --in-memory --log-level info`
    const child = spawn('script', ['-qfc', command, '/dev/null'], {
      env: { PATH: process.env['PATH'], TERM: 'xterm' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString('latin1')
    })
    const printed = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = pattern.exec(output)?.[0]
        if (found !== undefined) return found
        await once(child.stdout, 'data')
      }
    }
    const url = await printed(/http:\/\/127\.0\.0\.1:\d+(?=\/docs)/)
    await get(url, '/api/service/77')
    const line = await printed(/#1.*\r\n/)
    expect(line).toContain('\u001b[33m422')
    expect(line).toMatch(/GET \/api\/service\/77 .* ms.*unprocessable.* there is no service 77/)
    expect(output).not.toContain('{"level"')
  },
)
