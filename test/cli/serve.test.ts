import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connectSimulator, startSimulator } from 'proxysim'
import { expect, onTestFinished, test } from 'vitest'
import { parseResponse, sendRaw } from '../support/raw.ts'
import { createFolder } from '../support/start.ts'
import { cli, usageError, whileServing } from './inProcess.ts'
import { bin, hasTerminal, launch, launchInTerminal, waitForUrl } from './proxysim.ts'

const authorization = `Basic ${btoa('reseller:secret')}`
const headers = { authorization, 'content-type': 'application/json' }

async function order(url: string): Promise<number> {
  const options = { method: 'POST', headers, body: JSON.stringify({ clientid: 11 }) }
  return (await fetch(`${url}/api/product/101`, options)).status
}

async function countServices(url: string): Promise<number> {
  const response = await fetch(`${url}/api/services`, { headers })
  return ((await response.json()) as unknown[]).length
}

test('without a command, it serves, prints its URL and login, and keeps its state in data/db.json', async () => {
  const cwd = createFolder()
  const first = launch(['-p', '0'], { cwd })
  const url = await waitForUrl(first)
  const [welcome] = await first.printed(/[^]*data\/db\.json.*\n/)
  for (const text of ['reseller', 'secret', 'default', `${url}/docs`, '--scenario default starts over'])
    expect(welcome).toContain(text)
  expect(welcome).not.toContain('\u001b')
  expect(readFileSync(join(cwd, 'data/.gitignore'), 'utf8')).toBe('*\n')
  const before = await countServices(url)
  expect(await order(url)).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.ended).toMatchObject({ code: 0, stderr: '' })

  const second = launch(['serve', '--port', '0', '--json'], { cwd })
  const [document] = await second.printed(/^\{[^]*\n\}\n/)
  const { url: again, ...shown } = JSON.parse(document) as { url: string }
  expect(shown).toMatchObject({ scenario: 'default', accounts: [{ login: 'reseller', password: 'secret' }] })
  expect(await countServices(again)).toBe(before + 1)
  second.child.kill('SIGINT')
  expect(await second.ended).toMatchObject({ code: 0, stderr: '' })
})

test('a start reports the location and origin of the state, and a start that replaces it keeps a backup', async () => {
  const db = join(createFolder(), 'deep/db.json')
  const stateLine = async (args: string[], act?: (url: string) => Promise<unknown>) =>
    /state +(.*)\n/.exec(await whileServing(['--port', '0', ...args], act))?.[1]
  expect(await stateLine(['--db', db], order)).toContain(`${db}, resumed by the next start;`)
  expect(await stateLine(['--db', db])).toBe(
    `resumed from ${db} (default, 1 change since); --scenario default starts over`,
  )
  expect(await stateLine(['--db', db, '--scenario', 'low-funds'])).toMatch(
    /; the previous state \(default\) is in .*deep\/db\.json\.bak$/,
  )
  expect(await stateLine(['--db', `${db}.bak`])).toContain('(default,')
  const again = ['--db', db, '--scenario', 'low-funds']
  const create = async (url: string) => (await connectSimulator(url)).createAccount()
  const patch = async (url: string) => (await connectSimulator(url)).patch({ credit: 7 })
  expect(await stateLine(again, create)).not.toContain('previous')
  expect(await stateLine(again, patch)).toContain('previous')
  expect(await stateLine(again)).toContain('previous')
  expect(await stateLine(['--in-memory', '-s', 'low-funds'])).toBe('in memory, lost when it stops')
})

test('an older Node is refused in one line', async () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })'
  const program = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(older)}`, bin]
  expect(await launch(['check'], { program }).ended).toMatchObject({
    code: 2,
    stderr: 'proxysim: needs Node 20.19 or later; this is 18.20.8.\n',
  })
})

test('a local simulator is called directly, without the proxy', async () => {
  await using sim = await startSimulator()
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', PROXYSIM_URL: sim.url }
  expect(await launch(['clock'], { env }).ended).toMatchObject({ code: 0, stderr: '' })
})

test('flags configure which requests are refused', async () => {
  const flags =
    '--port 0 --in-memory --log-level error --no-explain --allowed-host sim.example,other.example --cors http://localhost:3000 --admin-token let-me-in'
  await whileServing(flags.split(' '), async (url) => {
    const named = async (host: string): Promise<number> => {
      const request = `GET /api/clients HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      return parseResponse(await sendRaw(Number(new URL(url).port), request)).status
    }
    expect([await named('third.example'), await named('other.example')]).toEqual([421, 401])
    const origin = 'http://localhost:3000'
    const cors = await fetch(`${url}/api/clients`, { headers: { ...headers, origin } })
    expect(cors.headers.get('access-control-allow-origin')).toBe(origin)
    const unexplained = await fetch(`${url}/api/clients`)
    expect([unexplained.status, unexplained.headers.get('sim-case')]).toEqual([401, null])
    expect((await fetch(`${url}/__admin/requests`)).status).toBe(401)
  })
})

test('flags take precedence over variables, even over those that can’t be combined with them', async () => {
  const db = join(createFolder(), 'db.json')
  const env = {
    PORT: '0',
    PROXYSIM_SCENARIO: 'low-funds',
    PROXYSIM_DB: db,
    PROXYSIM_NO_EXPLAIN: '1',
    PROXYSIM_IN_MEMORY: '0',
    PROXYSIM_ASSUME: 'productSort=desc, geo=object',
    PROXYSIM_JOURNAL: '',
  }
  const act = async (url: string): Promise<void> => {
    const products = await fetch(`${url}/api/products/orderby/price`, { headers })
    const prices = ((await products.json()) as { price: number }[]).map(({ price }) => price)
    expect(prices).toEqual(prices.toSorted((a, b) => b - a))
    expect(await order(url)).toBe(422)
  }
  expect(await whileServing([], act, env)).toContain(db)
  for (const [flags, state] of [
    [['--in-memory'], 'in memory'],
    [['--db', `${db}.other`], `${db}.other`],
  ] as const) {
    const wrong = { PROXYSIM_DB: `${db}.unused`, PROXYSIM_SCENARIO: 'no-such-scenario', PORT: 'many' }
    const excluded = { ...wrong, PROXYSIM_IN_MEMORY: flags[0] === '--db' ? '1' : '' }
    expect(await whileServing(['--port', '0', '-s', 'default', ...flags], undefined, excluded)).toContain(
      state,
    )
  }
  expect(existsSync(`${db}.unused`)).toBe(false)
})

test('a request in progress on SIGTERM gets its response', async () => {
  let response: Promise<Response> | undefined
  await whileServing(['--port', '0', '--in-memory'], async (url) => {
    const fault = JSON.stringify({ operation: 'listClients', delay: 60_000 })
    await fetch(`${url}/__admin/faults`, { method: 'POST', headers, body: fault })
    response = fetch(`${url}/api/clients`, { headers })
    // The order was sent later and has its response, so the delayed request has arrived, too.
    expect(await order(url)).toBe(200)
  })
  expect((await response)?.status).toBe(200)
})

test('a second signal stops without waiting for requests', async () => {
  const running = launch(['--port', '0', '--in-memory'])
  const { port } = new URL(await waitForUrl(running))
  const hanging = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void hanging.destroy())
  hanging.on('error', () => {})
  hanging.write(
    'POST /api/product/101 HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
  )
  await new Promise((resolve) => hanging.once('data', resolve)) // the server is waiting for the body now
  running.child.kill('SIGINT')
  running.child.kill('SIGTERM')
  expect([130, 143]).toContain((await running.ended).code)
})

test('a start that can’t succeed is refused in one line, and the state stays unchanged', async () => {
  const at = createFolder()
  const [mine, db] = [join(at, 'mine.json'), join(at, 'db.json')]
  writeFileSync(mine, '{"mine":true}')
  await (await startSimulator({ db })).close()
  const before = readFileSync(db)
  await using other = await startSimulator()
  const { port } = new URL(other.url)
  for (const [args, message] of [
    [['--port', port, '-s', 'low-funds'], `Port ${port} of 127.0.0.1 is taken.`],
    [['--port', port, '-s', 'low-fund'], 'Did you mean "low-funds"?'],
    [['--db', mine], 'mine.json'],
    [['-s', 'low-fund'], 'Unknown scenario "low-fund". Did you mean "low-funds"?'],
    [['-s', './nowhere.yaml'], './nowhere.yaml'],
    [['--host', '0.0.0.0'], '--admin-token'],
    [['--store', 'redis://:50%zz@127.0.0.1:1'], '%25'],
  ] as const) {
    const place = args[0] === '--db' || args[0] === '--store' ? [] : ['--db', db]
    expect(await cli(['serve', '--port', '0', ...place, ...args])).toMatchObject(usageError(message))
  }
  expect(readFileSync(db)).toEqual(before)
  expect(existsSync(`${db}.bak`)).toBe(false)
  expect(readFileSync(mine, 'utf8')).toBe('{"mine":true}')
})

test('an unread log blocks neither requests nor the shutdown', async () => {
  const running = launch(['serve', '--port', '0', '--in-memory', '--log-level', 'info'])
  running.child.stderr?.pause()
  const url = await waitForUrl(running)
  const path = `/api/${'x/'.repeat(7000)}`
  for (let i = 0; i < 100; i++) expect((await fetch(url + path, { headers })).status).toBe(404)
  running.child.kill('SIGTERM')
  expect(await once(running.child, 'exit')).toEqual([0, null])
})

test.skipIf(!hasTerminal)('on a terminal, it logs each request with its reason, unless --quiet', async () => {
  const getLog = async (flags: string): Promise<string> => {
    const running = launchInTerminal(`--port 0 --in-memory ${flags}`)
    const [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+(?=\/docs)/)
    await fetch(`${url}/api/service/77`, { headers })
    running.child.kill('SIGTERM')
    return (await running.ended).stdout
  }
  const [logged, quiet] = await Promise.all([getLog(''), getLog('--quiet')])
  expect(logged).toMatch(
    /\u001b\[33m422.* GET \/api\/service\/77 .* ms.*unprocessable.* there is no service 77/,
  )
  expect(quiet).not.toContain('/api/service/77')
})
