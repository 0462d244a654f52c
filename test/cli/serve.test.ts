import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readReply, sendRaw } from '../support/raw.ts'
import { hasRedis, RedisServer } from '../support/redis.ts'
import { folder } from '../support/start.ts'
import { launch, proxysim, refusal, served } from './proxysim.ts'

const headers = { authorization: `Basic ${btoa('reseller:secret')}`, 'content-type': 'application/json' }

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
  const first = launch(['--port', '0'], { cwd })
  const url = await served(first)
  const [welcome] = await first.printed(/[^]*data\/db\.json\n/)
  expect(welcome.split('\n').length).toBeLessThan(10)
  for (const text of ['reseller', 'secret', 'default', `${url}/docs`]) expect(welcome).toContain(text)
  expect(welcome).not.toContain('\u001b')
  const before = await services(url)
  expect(await order(url)).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.ended).toMatchObject({ code: 0, stderr: '' })

  const second = launch(['serve', '--port', '0'], { cwd })
  expect(await services(await served(second))).toBe(before + 1)
  second.child.kill('SIGINT')
  expect(await second.ended).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(join(cwd, 'data/db.json'))).toBe(true)
})

test('in memory it leaves nothing behind', async () => {
  const cwd = folder()
  const running = launch(['--port', '0', '--in-memory', '--no-explain', '--scenario', 'low-funds'], { cwd })
  const url = await served(running)
  expect(await order(url)).toBe(422)
  const refused = await fetch(`${url}/api/clients`)
  expect([refused.status, refused.headers.get('sim-case')]).toEqual([401, null])
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})

test('a request in progress at SIGTERM is answered', async () => {
  const running = launch(['--port', '0', '--in-memory'])
  const url = await served(running)
  const fault = JSON.stringify({ operation: 'listClients', delay: 60_000 })
  await fetch(`${url}/__admin/faults`, { method: 'POST', headers, body: fault })
  const answer = fetch(`${url}/api/clients`, { headers })
  // The order, sent after it, is answered: so the delayed one is there.
  expect(await order(url)).toBe(200)
  running.child.kill('SIGTERM')
  expect((await answer).status).toBe(200)
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

test('hosts, origins, the token and the size of the journal can be set by flags', async () => {
  const flags = [
    '--allowed-host',
    'sim.example',
    '--cors',
    'http://localhost:3000',
    '--admin-token',
    'let-me-in',
  ]
  const running = launch(['--port', '0', '--in-memory', '--journal', '1', ...flags])
  const url = await served(running)
  const { port } = new URL(url)
  const named = (host: string): Promise<string> =>
    sendRaw(Number(port), `GET /api/clients HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(readReply(await named('other.example')).status).toBe(421)
  expect(readReply(await named('sim.example')).status).toBe(401)
  const cors = await fetch(`${url}/api/clients`, { headers: { ...headers, origin: 'http://localhost:3000' } })
  expect(cors.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
  expect((await fetch(`${url}/__admin/requests`)).status).toBe(401)
  const journal = await fetch(`${url}/__admin/requests`, { headers: { authorization: 'Bearer let-me-in' } })
  expect(await journal.json()).toMatchObject({ total: 1, dropped: 1 })
})

test('PORT and HOST from the environment are used, but flags win', async () => {
  const port = await freePort()
  const running = launch(['--in-memory'], { env: { PORT: String(port), HOST: '127.0.0.1' } })
  expect(await served(running)).toBe(`http://127.0.0.1:${port}`)
  expect(await proxysim(['--in-memory'], { env: { PORT: 'many' } })).toMatchObject(refusal('from 0'))
  const other = launch(['--in-memory', '--port', '0'], { env: { PORT: 'many' } })
  expect(await served(other)).not.toBe(`http://127.0.0.1:${port}`)
})

test('a port in use is reported in one line', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  expect(await proxysim(['--in-memory', '--port', String(port)])).toMatchObject(
    refusal(`Port ${port} of 127.0.0.1 is taken.`),
  )
})

test.each([
  [['--in-memory', '--scenario', 'low-fund'], 'There is no scenario "low-fund"'],
  [['--in-memory', '--scenario', './nowhere.yaml'], "./nowhere.yaml can't be read"],
  [['--in-memory', '--contract', 'nowhere.yaml'], "nowhere.yaml can't be read"],
  [['--in-memory', '--scenarios', '/nowhere'], "/nowhere can't be read"],
  [['--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
  [['srve'], "unknown command 'srve' (Did you mean serve?)"],
  [['serve', 'now'], "too many arguments for 'serve'"],
  [['--port', '70000'], 'A port is a whole number'],
  [['--db', 'x.json', '--in-memory'], "'--db <file>' cannot be used with option '--in-memory'"],
  [
    ['--in-memory', '--account-ttl', 'P7D'],
    "'--account-ttl <duration>' cannot be used with option '--in-memory'",
  ],
  [['--in-memory', '--max-accounts', '5'], "'--max-accounts <n>' cannot be used with option '--in-memory'"],
  [
    ['--in-memory', '--store-prefix', 'a'],
    "'--store-prefix <name>' cannot be used with option '--in-memory'",
  ],
  [['--db', 'x.json', '--account-ttl', 'P7D'], 'The account TTL P7D (--account-ttl) needs a shared store'],
  [
    ['--db', 'x.json', '--max-accounts', '5'],
    'The limit of 5 accounts (--max-accounts) needs a shared store',
  ],
  [['--in-memory', '--fsync'], "'--fsync' cannot be used with option '--in-memory'"],
  [['--store', 'redis://:50%zz@127.0.0.1:1'], 'Write %25 for a percent sign'],
  [['--store', 'redis://127.0.0.1:1', '--fsync'], "'--fsync' cannot be used with option '--store <url>'"],
  [['--in-memory', '--drain', '2147484'], 'It must be a number of seconds from 0 to 86400.'],
  [['--log-level', 'loud'], 'Allowed choices are trace'],
  [['--in-memory', '--host', '0.0.0.0'], 'Set a token with --admin-token'],
])('%j is refused in one line', async (args, message) => {
  expect(await proxysim([...args, ...(args.includes('--port') ? [] : ['--port', '0'])])).toMatchObject(
    refusal(message),
  )
})

test.skipIf(!hasRedis)('ends if the state cannot be read for the lines that it prints first', async () => {
  const redis = await RedisServer.start()
  onTestFinished(() => redis.stop())
  const flags = ['--port', '0', '--store', redis.url, '--drain', '0']
  const first = launch(flags)
  await served(first)
  first.child.kill('SIGTERM')
  await first.ended
  const epoch = String(await redis.command('GET', 'proxysim:epoch'))
  await redis.command('SET', `proxysim:${epoch}:w:reseller`, 'not its history')
  const { code, stdout, stderr } = await proxysim(flags)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('WRONGTYPE')
})

test('a file that is not ours is refused and left unchanged', async () => {
  const cwd = folder()
  writeFileSync(join(cwd, 'mine.json'), '{"mine":true}')
  for (const flags of [[], ['--scenario', 'default']])
    expect(await proxysim(['--port', '0', '--db', 'mine.json', ...flags], { cwd })).toMatchObject(
      refusal('mine.json'),
    )
  expect(readFileSync(join(cwd, 'mine.json'), 'utf8')).toBe('{"mine":true}')
})

test('a state that cannot be saved at the end is reported in one line', async () => {
  const cwd = folder()
  const running = launch(['--port', '0', '--db', 'gone/x.json', '--log-level', 'error'], { cwd })
  await served(running)
  await expect.poll(() => existsSync(join(cwd, 'gone/x.json'))).toBe(true)
  rmSync(join(cwd, 'gone'), { recursive: true })
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^proxysim: The state was not saved: [^\n]*x\.json could not be replaced \(ENOENT[^\n]*\n$/,
  )
})

test('an invalid scenario file is refused with line and column', async () => {
  const cwd = folder()
  writeFileSync(
    join(cwd, 'bad.yaml'),
    'description: x\nextends: default\naccounts:\n  reseller:\n    credits: 1\n',
  )
  expect(await proxysim(['--in-memory', '--port', '0', '--scenario', 'bad.yaml'], { cwd })).toMatchObject(
    refusal('bad.yaml:5:5: accounts.reseller.credits: Unknown field "credits". Did you mean "credit"?'),
  )
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
