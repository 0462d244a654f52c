import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readReply, sendRaw } from '../support/raw.ts'
import { folder } from '../support/start.ts'
import { hasTerminal, launch, onTerminal, proxysim, refused, served, type Launched } from './proxysim.ts'

const authorization = `Basic ${btoa('reseller:secret')}`
const headers = { authorization, 'content-type': 'application/json' }

async function order(url: string): Promise<number> {
  const options = { method: 'POST', headers, body: JSON.stringify({ clientid: 11 }) }
  return (await fetch(`${url}/api/product/101`, options)).status
}

async function services(url: string): Promise<number> {
  const reply = await fetch(`${url}/api/services`, { headers })
  return ((await reply.json()) as unknown[]).length
}

test('without a command it serves, prints its URL and login, and keeps its state in data/db.json', async () => {
  const cwd = folder()
  const first = launch(['-p', '0'], { cwd })
  const url = await served(first)
  const [welcome] = await first.printed(/[^]*data\/db\.json.*\n/)
  for (const text of ['reseller', 'secret', 'default', `${url}/docs`, '--scenario default starts over'])
    expect(welcome).toContain(text)
  expect(welcome).not.toContain('\u001b')
  const before = await services(url)
  expect(await order(url)).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.ended).toMatchObject({ code: 0, stderr: '' })

  const second = launch(['serve', '--port', '0', '--json'], { cwd })
  const [document] = await second.printed(/^\{[^]*\n\}\n/)
  const { url: again, ...shown } = JSON.parse(document) as { url: string }
  expect(shown).toMatchObject({ scenario: 'default', accounts: [{ login: 'reseller', password: 'secret' }] })
  expect(await services(again)).toBe(before + 1)
  second.child.kill('SIGINT')
  expect(await second.ended).toMatchObject({ code: 0, stderr: '' })
})

/** Starts, does something, and stops. @returns the line on the state */
async function stateLine(
  cwd: string,
  args: string[],
  act: (url: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const running: Launched = launch(['--port', '0', ...args], { cwd })
  const [, line = ''] = await running.printed(/state +(.*)\n/)
  await act(await served(running))
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  return line
}

test('a start says where the state is and where it comes from; one that replaces it keeps a backup', async () => {
  const cwd = folder()
  await stateLine(cwd, [], order)
  const resumed = await stateLine(cwd, [])
  expect(resumed).toMatch(
    /^resumed from data\/db\.json \(default, 1 change since\); --scenario default starts over$/,
  )
  const kept = 'data/db.json; the previous state (default) is in data/db.json.bak'
  expect(await stateLine(cwd, ['--scenario', 'low-funds'])).toBe(kept)
  expect(await stateLine(cwd, ['--db', 'data/db.json.bak'])).toContain(
    'resumed from data/db.json.bak (default,',
  )
  expect(await stateLine(folder(), ['--in-memory', '-s', 'low-funds'])).toBe('in memory, lost when it stops')
})

test('flags of the guards', async () => {
  const flags =
    '--port 0 --in-memory --no-explain --allowed-host sim.example,other.example --cors http://localhost:3000 --admin-token let-me-in'
  const url = await served(launch(flags.split(' ')))
  const { port } = new URL(url)
  const named = async (host: string): Promise<number> => {
    const request = `GET /api/clients HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    return readReply(await sendRaw(Number(port), request)).status
  }
  expect([await named('third.example'), await named('other.example')]).toEqual([421, 401])
  const cors = await fetch(`${url}/api/clients`, { headers: { ...headers, origin: 'http://localhost:3000' } })
  expect(cors.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
  const unexplained = await fetch(`${url}/api/clients`)
  expect([unexplained.status, unexplained.headers.get('sim-case')]).toEqual([401, null])
  expect((await fetch(`${url}/__admin/requests`)).status).toBe(401)
})

test('the environment sets flags, but flags win, even over variables that they exclude', async () => {
  const cwd = folder()
  const env = {
    PORT: '0',
    PROXYSIM_SCENARIO: 'low-funds',
    PROXYSIM_DB: 'mine.json',
    PROXYSIM_NO_EXPLAIN: '1',
    PROXYSIM_ASSUME: 'productSort=desc, geo=object',
    PROXYSIM_JOURNAL: '',
  }
  const running = launch([], { env, cwd })
  const url = await served(running)
  const products = await fetch(`${url}/api/products/orderby/price`, { headers })
  const prices = ((await products.json()) as { price: number }[]).map(({ price }) => price)
  expect(prices).toEqual(prices.toSorted((a, b) => b - a))
  expect(await order(url)).toBe(422)
  running.child.kill('SIGTERM')
  await running.ended
  expect(existsSync(join(cwd, 'mine.json'))).toBe(true)
  const memory = launch(['--port', '0', '--in-memory', '-s', 'default'], {
    cwd,
    env: { PROXYSIM_DB: 'flag.json', PROXYSIM_SCENARIO: 'no-such-scenario', PORT: 'many' },
  })
  await memory.printed(/in memory/)
  expect(existsSync(join(cwd, 'flag.json'))).toBe(false)
})

test('a request in progress at SIGTERM gets its response', async () => {
  const running = launch(['--port', '0', '--in-memory'])
  const url = await served(running)
  const fault = JSON.stringify({ operation: 'listClients', delay: 60_000 })
  await fetch(`${url}/__admin/faults`, { method: 'POST', headers, body: fault })
  const response = fetch(`${url}/api/clients`, { headers })
  // The order, sent after it, has its response: so the delayed one is there.
  expect(await order(url)).toBe(200)
  running.child.kill('SIGTERM')
  expect((await response).status).toBe(200)
  expect((await running.ended).code).toBe(0)
})

test('a second signal does not wait for requests that never end', async () => {
  const running = launch(['--port', '0', '--in-memory'])
  const { port } = new URL(await served(running))
  const hanging = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void hanging.destroy())
  hanging.on('error', () => {})
  hanging.write(
    'POST /api/product/101 HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
  )
  await new Promise((resolve) => hanging.once('data', resolve)) // it waits for the body now
  running.child.kill('SIGINT')
  running.child.kill('SIGTERM')
  expect([130, 143]).toContain((await running.ended).code)
})

test('what cannot be started is refused in one line, and the state stays as it was', async () => {
  const cwd = folder()
  writeFileSync(join(cwd, 'mine.json'), '{"mine":true}')
  await stateLine(cwd, [], order)
  const before = readFileSync(join(cwd, 'data/db.json'))
  const { port } = new URL(await served(launch(['--port', '0', '--in-memory'])))
  for (const [args, message] of [
    [['--port', port, '-s', 'low-funds'], `Port ${port} of 127.0.0.1 is taken.`],
    [['--port', '0', '--db', 'mine.json'], 'mine.json'],
    [['--port', '0', '-s', 'low-fund'], 'Unknown scenario "low-fund". Did you mean "low-funds"?'],
    [['--port', '0', '-s', './nowhere.yaml'], './nowhere.yaml'],
    [['--port', '0', '--contract', 'nowhere.yaml'], 'nowhere.yaml'],
    [['--port', '0', '--host', '0.0.0.0'], '--admin-token'],
    [['--port', '0', '--store', 'redis://:50%zz@127.0.0.1:1'], '%25'],
  ] as const)
    expect(await proxysim(args, { cwd })).toMatchObject(refused(message))
  expect(readFileSync(join(cwd, 'data/db.json'))).toEqual(before)
  expect(existsSync(join(cwd, 'data/db.json.bak'))).toBe(false)
  expect(readFileSync(join(cwd, 'mine.json'), 'utf8')).toBe('{"mine":true}')
})

test('a log that nobody reads stops neither requests nor the end', async () => {
  const running = launch(['serve', '--port', '0', '--in-memory', '--log-level', 'info'])
  running.child.stderr?.pause()
  const url = await served(running)
  const path = `/api/${'x/'.repeat(2000)}`
  for (let i = 0; i < 300; i++) expect((await fetch(url + path, { headers })).status).toBe(404)
  running.child.stderr?.resume()
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  expect(code).toBe(0)
  const ids = stderr
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id)
  expect(ids.length).toBeGreaterThanOrEqual(100) // it lacks the lines beyond 1 MB
  expect(ids).toEqual(ids.map((_id, index) => index + 1))
})

test.skipIf(!hasTerminal)('on a terminal it logs each request with its reason, unless --quiet', async () => {
  const logOf = async (flags: string): Promise<string> => {
    const running = onTerminal(`--port 0 --in-memory ${flags}`)
    const [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+(?=\/docs)/)
    await fetch(`${url}/api/service/77`, { headers })
    running.child.kill('SIGTERM')
    return (await running.ended).stdout
  }
  expect(await logOf('')).toMatch(
    /\u001b\[33m422.* GET \/api\/service\/77 .* ms.*unprocessable.* there is no service 77/,
  )
  expect(await logOf('--quiet')).not.toContain('/api/service/77')
})
