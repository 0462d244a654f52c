import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../support/start.ts'
import { launch, proxysim, refusal, served } from './proxysim.ts'

const authorization = `Basic ${btoa('reseller:secret')}`

test('every flag of serve can be set by the environment', async () => {
  const { stdout } = await proxysim(['serve', '--help'])
  const options = stdout.slice(stdout.indexOf('Options:'), stdout.indexOf('Examples:')).split(/\n(?= {2}-)/)
  const flags = options
    .map((text) => ({
      flag: /--[a-z-]+/.exec(text)?.[0] ?? '',
      variable: /env:\s+([A-Z_]+)\)/.exec(text)?.[1],
    }))
    .filter(({ flag }) => flag !== '' && flag !== '--help')
  expect(flags.length).toBeGreaterThan(12)
  const own: Record<string, string> = { '--port': 'PORT', '--host': 'HOST' }
  for (const { flag, variable } of flags)
    expect(variable, flag).toBe(own[flag] ?? `PROXYSIM_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`)
})

test('values from the environment are used', async () => {
  const cwd = folder()
  const env = {
    PORT: '0',
    PROXYSIM_SCENARIO: 'low-funds',
    PROXYSIM_DB: 'mine.json',
    PROXYSIM_FSYNC: 'true',
    PROXYSIM_NO_EXPLAIN: '1',
    PROXYSIM_ASSUME: 'productSort=desc, geo=object',
    PROXYSIM_JOURNAL: '1',
    PROXYSIM_ALLOWED_HOST: 'one.example, two.example',
    PROXYSIM_CORS: 'http://localhost:3000,http://localhost:4000',
    PROXYSIM_LOG_LEVEL: 'info',
    PROXYSIM_ADMIN_TOKEN: 'mine',
  }
  const running = launch([], { env, cwd })
  const url = await served(running)
  const order = await fetch(`${url}/api/product/101`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', origin: 'http://localhost:4000' },
    body: '{"clientid":11}',
  })
  expect([order.status, order.headers.get('sim-case')]).toEqual([422, null])
  expect(order.headers.get('access-control-allow-origin')).toBe('http://localhost:4000')
  const products = await fetch(`${url}/api/products/orderby/price`, { headers: { authorization } })
  const prices = ((await products.json()) as { price: number }[]).map(({ price }) => price)
  expect(prices).toEqual(prices.toSorted((a, b) => b - a))
  const headers = { authorization: 'Bearer mine' }
  expect(await (await fetch(`${url}/__admin/requests`, { headers })).json()).toMatchObject({ dropped: 1 })
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  expect(code).toBe(0)
  expect(stderr.split('\n').filter((line) => line.includes('"request"'))).toHaveLength(2)
  expect(existsSync(join(cwd, 'mine.json'))).toBe(true)
})

test('an empty variable counts as unset, and a switch can be off', async () => {
  const env = {
    PORT: '',
    PROXYSIM_SCENARIO: '',
    PROXYSIM_JOURNAL: '',
    PROXYSIM_ADMIN_TOKEN: '',
    PROXYSIM_NO_EXPLAIN: 'false',
    PROXYSIM_FSYNC: '0',
  }
  const running = launch(['--in-memory', '--port', '0'], { env })
  const url = await served(running)
  expect((await fetch(`${url}/api/clients`)).headers.get('sim-case')).toBe('unauthenticated')
  expect((await fetch(`${url}/__admin/health`)).status).toBe(200)
  expect(await (await fetch(`${url}/__admin/health`)).json()).toMatchObject({ scenario: 'default' })
})

test('a flag on the command line wins, even over one that it excludes', async () => {
  const cwd = folder()
  const memory = launch(['--port', '0', '--in-memory', '--scenario', 'default'], {
    cwd,
    env: { PROXYSIM_DB: 'mine.json', PROXYSIM_SCENARIO: 'no-such-scenario' },
  })
  await memory.printed(/in memory/)
  const variables = { PROXYSIM_FSYNC: '1', PROXYSIM_STORE_PREFIX: 'a', PROXYSIM_ACCOUNT_TTL: 'P7D' }
  await launch(['--port', '0', '--in-memory'], { cwd, env: variables }).printed(/in memory/)
  const file = launch(['--port', '0', '--db', 'flag.json'], { cwd, env: { PROXYSIM_IN_MEMORY: '1' } })
  await file.printed(/state +flag\.json/)
  const limit = { PROXYSIM_STORE: 'redis://127.0.0.1:1', PROXYSIM_MAX_ACCOUNTS: '5' }
  await launch(['--port', '0', '--db', 'other.json'], { cwd, env: limit }).printed(/state +other\.json/)
  expect(existsSync(join(cwd, 'mine.json'))).toBe(false)
})

test.each<[string, Record<string, string>, string]>([
  ['a number', { PROXYSIM_JOURNAL: 'many' }, "'many' from env 'PROXYSIM_JOURNAL' is invalid"],
  ['a choice', { PROXYSIM_LOG_LEVEL: 'loud' }, "'loud' from env 'PROXYSIM_LOG_LEVEL' is invalid"],
  ['a reading', { PROXYSIM_ASSUME: 'desc' }, "'desc' from env 'PROXYSIM_ASSUME' is invalid"],
  ['a switch', { PROXYSIM_FSYNC: 'maybe' }, 'PROXYSIM_FSYNC=maybe is neither on'],
  ['a scenario', { PROXYSIM_SCENARIO: 'low-fund' }, '(set by PROXYSIM_SCENARIO)'],
  ['a contract', { PROXYSIM_CONTRACT: 'nowhere.yaml' }, '(set by PROXYSIM_CONTRACT)'],
  [
    'two that exclude each other',
    { PROXYSIM_DB: 'x.json', PROXYSIM_IN_MEMORY: '1' },
    "'PROXYSIM_DB' cannot be used with environment variable 'PROXYSIM_IN_MEMORY'",
  ],
  [
    'one without effect',
    { PROXYSIM_FSYNC: '1', PROXYSIM_IN_MEMORY: '1' },
    "'PROXYSIM_FSYNC' cannot be used with environment variable 'PROXYSIM_IN_MEMORY'",
  ],
])('a wrong variable is named: %s', async (_what, env, message) => {
  expect(await proxysim(['--port', '0'], { env, cwd: folder() })).toMatchObject(refusal(message))
})

test('exec uses them too', async () => {
  const { stdout } = await proxysim(['exec', '--', process.execPath, '-e', ask], {
    env: { PROXYSIM_SCENARIO: 'low-funds' },
  })
  expect(stdout).toContain('0.5')
})

const ask = `fetch(process.env.PROXYSIM_URL + '/__admin/accounts/reseller')
  .then((reply) => reply.json())
  .then(({ credit }) => console.log(credit))`
