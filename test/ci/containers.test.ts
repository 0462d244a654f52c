import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { launch, proxysim, refusal } from '../cli/proxysim.ts'
import { folder } from '../support/start.ts'
import { buildImage, instructions } from './buildImage.ts'

const cli = new URL('../../dist/cli.js', import.meta.url).pathname

vi.setConfig({ testTimeout: 60_000, hookTimeout: 600_000 })

/** Lines that need the base image: its package manager, its user. */
const notRun = /^apk add /

let image = ''
const ran: string[] = []
let made = ''

interface Compose {
  services: {
    replica: Replica
    simulator: {
      environment: Record<string, string>
      healthcheck: { test: string[] }
      volumes: string[]
    }
  }
  volumes: Record<string, unknown>
}

interface Replica {
  environment: Record<string, string>
  profiles: string[]
  healthcheck: { test: string[] }
}

/** compose.yaml with variables substituted, as compose does it. */
function compose(env: Record<string, string>): Compose {
  const text = readFileSync(new URL('../../compose.yaml', import.meta.url), 'utf8')
  const substituted = (held: string): string =>
    held.replaceAll(
      /\$\{(?<name>\w+)(?<how>:[-+?])(?<word>(?:\$\{[^}]*\}|[^}])*)\}/g,
      (_, name: string, how: string, word: string) => {
        const value = env[name] ?? ''
        if (how === ':+') return value === '' ? '' : substituted(word)
        if (how === ':?' && value === '') throw new Error(`${name}: ${word}`)
        return value === '' ? substituted(word) : value
      },
    )
  const file = parse(substituted(text), { merge: true }) as Compose
  for (const { environment } of [file.services.simulator, file.services.replica])
    for (const [name, value] of Object.entries(environment)) environment[name] = value ?? env[name] ?? ''
  return file
}

/** Runs a program as the image would, with a folder of this test as its volume. @returns its port once it listens */
async function startInImage(words: readonly string[], env: Record<string, string>): Promise<number> {
  const root = folder()
  const port = await freePort()
  const [program = '', ...args] = words
  const own = instructions()
    .filter(({ word }) => word === 'ENV')
    .flatMap(({ rest }) => rest.split(' ').map((pair) => pair.split('=')))
  const child = spawn(program, args, {
    cwd: join(root, instructions().findLast(({ word }) => word === 'WORKDIR')?.rest ?? ''),
    env: {
      ...Object.fromEntries(own),
      PATH: [join(image, 'usr/local/bin'), process.env['PATH']].join(delimiter),
      ...env,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('listening at')) resolve()
      })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(output)))
  })
  return port
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  return address.port
}

const hasWget = spawnSync('wget', ['--version']).error === undefined
if (!hasWget)
  process.stderr.write('There is no wget on this machine: the image of the Dockerfile is not tried.\n')

describe.skipIf(!hasWget)('the image, without its base', () => {
  /** `npm ci` and the build as in the image, from npm's cache. */
  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'proxysim-image-'))
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      npm_config_prefer_offline: 'true',
    }
    const stages = await buildImage({
      into: made,
      run: async (line, cwd) => {
        ran.push(line)
        if (!notRun.test(line)) await promisify(execFile)('sh', ['-ec', line], { cwd, env })
      },
    })
    image = stages['image'] ?? ''
  })
  afterAll(() => rmSync(made, { recursive: true, force: true }))

  test('each RUN line was run, except those that need the base image', () => {
    expect(ran.map((line) => line.replaceAll(made, ''))).toEqual([
      'npm ci --ignore-scripts --no-audit --no-fund',
      'npm run build',
      expect.stringMatching(notRun),
      'ln -s /image/app/dist/cli.js /image/usr/local/bin/proxysim',
    ])
  })

  test('its command serves, its health check passes, and SIGTERM ends it with 0', async () => {
    const of = (word: string): string => instructions().find((found) => found.word === word)?.rest ?? ''
    expect(of('VOLUME')).toBe('/data')
    const port = await startInImage(JSON.parse(of('CMD')) as string[], { PROXYSIM_ADMIN_TOKEN: 'choose-one' })
    const check = of('HEALTHCHECK').replace(/^.*?CMD /, '')
    expect(spawnSync('sh', ['-c', check], { env: { ...process.env, PORT: String(port) } }).status).toBe(0)
    const nobody = { env: { ...process.env, PORT: String(await freePort()) } }
    expect(spawnSync('sh', ['-c', check], nobody).status).toBe(1)

    const admin = `http://127.0.0.1:${port}/__admin/accounts`
    expect((await fetch(admin)).status).toBe(401)
    const headers = { authorization: 'Bearer choose-one' }
    expect(await (await fetch(admin, { headers })).json()).toMatchObject([{ login: 'reseller' }])
    expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200)
  })

  test('without a token it does not start', async () => {
    await expect(startInImage(['proxysim', 'serve', '--in-memory'], {})).rejects.toThrow('--admin-token')
  })

  test('compose: the image uses the environment, and its health check passes', async () => {
    const env = {
      PROXYSIM_ADMIN_TOKEN: 'mine',
      PROXYSIM_SCENARIO: 'low-funds',
      PROXYSIM_NO_EXPLAIN: '1',
      PROXYSIM_IN_MEMORY: '1',
    }
    const { environment, healthcheck, volumes } = compose(env).services.simulator
    expect(volumes).toEqual(['state:/data'])
    const port = await startInImage(['proxysim', 'serve'], environment)
    const [kind, program = '', ...args] = healthcheck.test
    expect(kind).toBe('CMD')
    const check = args.map((word) => word.replace(':4010/', `:${port}/`))
    expect(spawnSync(program, check).status).toBe(0)

    const answer = await fetch(`http://127.0.0.1:${port}/api/product/101`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('reseller:secret')}`, 'content-type': 'application/json' },
      body: '{"clientid": 11}',
    })
    expect([answer.status, answer.headers.get('sim-reason')]).toEqual([422, null])
    const reach = (host: string) =>
      spawnSync('wget', ['-qO', '/dev/null', '--header', `Host: ${host}`, `http://127.0.0.1:${port}/docs`])
    expect(reach('simulator:4010').status).toBe(0)
    expect(reach('elsewhere:4010').status).not.toBe(0)
  })
})

test('the image is built on one that is pinned by its digest, and can be built on another', () => {
  const froms = instructions().filter(({ word }) => word === 'FROM')
  const [first] = instructions()
  expect(first?.word).toBe('ARG')
  expect(first?.rest).toMatch(/^NODE_IMAGE=node:[\d.]+-alpine@sha256:[\da-f]{64}$/)
  for (const { rest } of froms) expect(rest).toMatch(/^\$\{NODE_IMAGE\}/)
})

test('compose hands every variable of serve to the container', () => {
  const help = spawnSync(process.execPath, [cli, 'serve', '--help'], { encoding: 'utf8' }).stdout
  const variables = [...help.matchAll(/env:\s+(PROXYSIM_\w+)\)/g)].map(([, name = '']) => name)
  expect(variables.length).toBeGreaterThan(10)
  const { environment } = compose({ PROXYSIM_ADMIN_TOKEN: 'mine' }).services.simulator
  expect(Object.keys(environment).toSorted()).toEqual(variables.toSorted())
})

test('the replicas of compose share a store, and have what a single one has', () => {
  const { simulator, replica } = compose({ PROXYSIM_ADMIN_TOKEN: 'mine' }).services
  expect(replica.environment).toMatchObject({ PROXYSIM_STORE: 'redis://store:6379', PROXYSIM_DB: '' })
  expect(Object.keys(replica.environment).toSorted()).toEqual(Object.keys(simulator.environment).toSorted())
  expect(replica).toMatchObject({ profiles: ['replicas'], healthcheck: simulator.healthcheck })
})

test('compose: what is set for a file, for memory or for replicas stops neither kind', async () => {
  const { simulator, replica } = compose({
    PROXYSIM_ADMIN_TOKEN: 'mine',
    PROXYSIM_IN_MEMORY: '1',
    PROXYSIM_STORE_PREFIX: 'mine',
  }).services
  await launch(['--port', '0'], { env: simulator.environment }).printed(/in memory/)
  expect(replica.environment).toMatchObject({ PROXYSIM_STORE_PREFIX: 'mine' })

  const durable = compose({ PROXYSIM_ADMIN_TOKEN: 'mine', PROXYSIM_DB: 'mine.json' }).services
  const env = { ...durable.replica.environment, PROXYSIM_STORE: 'redis://127.0.0.1:1' }
  expect(await proxysim(['--port', '0'], { env })).toMatchObject(refusal('redis://127.0.0.1:1'))
  const shared = { PROXYSIM_STORE: 'redis://mine', PROXYSIM_STORE_PREFIX: 'theirs' }
  const own = compose({ PROXYSIM_ADMIN_TOKEN: 'mine', ...shared }).services.simulator.environment
  expect(own).toMatchObject(shared)
})

test('compose requires a token', () => {
  expect(() => compose({})).toThrow('PROXYSIM_ADMIN_TOKEN: choose one')
  const { services, volumes } = compose({ PROXYSIM_ADMIN_TOKEN: 'mine' })
  expect(services.simulator).not.toHaveProperty('command')
  expect(Object.keys(volumes)).toEqual(['state', 'store'])
})
