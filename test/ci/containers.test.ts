/** Tests the Dockerfile and compose.yaml without a container engine: stages are built in folders, and commands run as processes. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { serve } from '../../src/cli/commands/serve.ts'
import { Command } from 'commander'
import { launch } from '../cli/proxysim.ts'
import { parseCodeBlocks } from '../docs/codeBlocks.ts'
import { read, root } from '../support/project.ts'
import { createFolder } from '../support/start.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 600_000 })

/** The instructions of the Dockerfile in order, with continued lines joined */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ word: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
const getArguments = (word: string): string => instructions.findLast((one) => one.word === word)?.rest ?? ''

/** Builds each stage of the Dockerfile in its own folder, and adapts RUN lines to that. @returns the folder of the last stage */
async function buildImage(into: string): Promise<string> {
  const allowed = read('.dockerignore').trim().split('\n')
  expect(allowed.filter((line) => !line.startsWith('!'))).toEqual(['*'])
  const context = allowed
    .map((line) => line.slice(1))
    .filter((path) => path !== '' && existsSync(join(root, path)))
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_prefer_offline: 'true' }
  let stage = ''
  let workdir = '/'
  for (const { word, rest } of instructions)
    if (word === 'FROM') {
      stage = join(into, / AS (\w+)$/.exec(rest)?.[1] ?? 'image')
      for (const made of ['app', 'usr/local/bin']) mkdirSync(join(stage, made), { recursive: true })
    } else if (word === 'WORKDIR') workdir = rest
    else if (word === 'COPY') {
      const words = rest.split(' ')
      const from = words[0]?.startsWith('--from=')
        ? join(into, words.shift()?.slice('--from='.length) ?? '')
        : root
      const to = words.pop() ?? ''
      for (const path of words.flatMap((named) => (named === '.' ? context : [named]))) {
        const target = /^\.?$|\/$/.test(to) || to === '.' ? join(to, basename(path)) : to
        cpSync(join(from, path), join(stage, workdir, target), { recursive: true })
      }
    } else if (word === 'RUN' && rest.startsWith('npm ci ')) {
      // The same installation as of this checkout, which takes a minute
      symlinkSync(join(root, 'node_modules'), join(stage, workdir, 'node_modules'))
    } else if (word === 'RUN' && !rest.startsWith('apk ')) {
      const line = rest.replaceAll(/(?<= )\/(?=app|usr|data)/g, `${stage}/`)
      await promisify(execFile)('sh', ['-ec', line], { cwd: join(stage, workdir), env })
    }
  return stage
}

interface Service {
  environment: Record<string, string | null>
  healthcheck: { test: string[] }
}

/** compose.yaml with its variables substituted. */
function compose(env: Record<string, string>): Record<string, Service> {
  const substituted = (text: string): string =>
    text.replaceAll(
      /\$\{(\w+)(:[-+?])((?:\$\{[^}]*\}|[^}])*)\}/g,
      (_, name: string, how: string, word: string) => {
        const value = env[name] ?? ''
        if (how === ':+') return value === '' ? '' : substituted(word)
        if (how === ':?' && value === '') throw new Error(`${name}: ${word}`)
        return value === '' ? substituted(word) : value
      },
    )
  const { services } = parse(substituted(read('compose.yaml')), { merge: true }) as {
    services: Record<string, Service>
  }
  for (const { environment = {} } of Object.values(services))
    for (const [name, value] of Object.entries(environment)) environment[name] = value ?? env[name] ?? ''
  return services
}

const hasWget = spawnSync('wget', ['--version']).error === undefined
if (!hasWget) process.stderr.write('wget is not installed, so the image of the Dockerfile is not tested.\n')

describe.skipIf(!hasWget)('the image without its base image', () => {
  let made = ''
  let image = ''
  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'proxysim-image-'))
    image = await buildImage(made)
  })
  afterAll(() => rmSync(made, { recursive: true, force: true }))

  /** Runs the image's command, with a temporary folder as its volume. @returns the port */
  async function startInImage(given: Record<string, string | null>): Promise<string> {
    const program = JSON.parse(getArguments('CMD')) as string[]
    const own = getArguments('ENV')
      .split(' ')
      .map((pair) => pair.split('='))
    const PATH = [join(image, 'usr/local/bin'), process.env['PATH']].join(delimiter)
    const env = { ...Object.fromEntries(own), PATH, ...given, PORT: '0', PROXYSIM_DB: 'data/db.json' }
    const { child, ended, printed } = launch([], {
      program,
      env,
      cwd: join(createFolder(), getArguments('WORKDIR')),
    })
    const [, port = ''] = await printed(/listening at http:\S+:(\d+)/)
    onTestFinished(async () => {
      child.kill('SIGTERM')
      expect(await ended).toMatchObject({ code: 0 })
    })
    return port
  }

  test('its command serves, its health check passes, and SIGTERM ends it with 0', async () => {
    const port = await startInImage({ PROXYSIM_ADMIN_TOKEN: 'choose-one' })
    expect(getArguments('HEALTHCHECK')).toContain('CMD ["proxysim", "health", "--pid", "1"]')
    const PATH = process.env['PATH']
    const check = (to: string) =>
      spawnSync(join(image, 'usr/local/bin/proxysim'), ['health'], {
        env: { PATH, PORT: to, HOST: '0.0.0.0' },
      })
    expect([check(port).status, check('1').status]).toEqual([0, 1])
    expect(existsSync(join(image, 'app/LICENSE'))).toBe(true)
    const get = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
    expect((await get('/__admin/accounts')).status).toBe(401)
    expect((await get('/__admin/accounts', { authorization: 'Bearer choose-one' })).status).toBe(200)
    expect((await get('/docs/guide/errors.md')).status).toBe(200)
  })

  test('without a token it does not start', async () => {
    await expect(startInImage({})).rejects.toThrow('--admin-token')
  })

  test('in compose, it uses the environment, its health check passes, and it accepts its service name as Host', async () => {
    const { environment, healthcheck } = compose({ PROXYSIM_ADMIN_TOKEN: 'mine', PROXYSIM_NO_EXPLAIN: '1' })[
      'simulator'
    ] as Service
    const port = await startInImage(environment)
    expect(healthcheck.test).toEqual(['CMD', 'proxysim', 'health', '--pid', '1'])
    const reach = (host: string) =>
      spawnSync('wget', ['-qO', '/dev/null', '--header', `Host: ${host}`, `http://127.0.0.1:${port}/docs`])
        .status
    expect(reach('simulator:4010')).toBe(0)
    expect(reach('elsewhere:4010')).not.toBe(0)
  })
})

test('the base image is a release with its date, and can be replaced', () => {
  const [argument] = instructions
  expect(argument?.rest).toMatch(/^NODE_IMAGE=node:\d+\.\d+\.\d+-alpine(?:@sha256:[\da-f]{64})?$/)
  expect(read('compose.yaml')).toContain(
    `\${PROXYSIM_NODE_IMAGE:-${argument?.rest.replace('NODE_IMAGE=', '')}}`,
  )
  const bases = instructions
    .filter(({ word }) => word === 'FROM')
    .map(({ rest }) => /\$\{\w+\}/.exec(rest)?.[0])
  expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}']))
  expect(read('Dockerfile')).toMatch(/newest release of its line on \d{4}-\d\d-\d\d/)
})

test('compose requires a token, and passes every variable of serve to the simulator and its replicas', () => {
  expect(() => compose({})).toThrow('PROXYSIM_ADMIN_TOKEN: choose one')
  const { simulator, replica } = compose({ PROXYSIM_ADMIN_TOKEN: 'mine' })
  const variables = serve(new Command())
    .options.flatMap(({ envVar }) => envVar ?? [])
    .filter((name) => name.startsWith('PROXYSIM_'))
  expect(Object.keys(simulator?.environment ?? {}).toSorted()).toEqual(variables.toSorted())
  expect(Object.keys(replica?.environment ?? {}).toSorted()).toEqual(variables.toSorted())
  expect(replica?.environment).toMatchObject({ PROXYSIM_STORE: 'redis://store:6379', PROXYSIM_DB: '' })
})

test('the recipe waits for the health check, at the port of the image', () => {
  const recipes = parseCodeBlocks(read('docs/operate.md')).filter(
    ({ language }) => !['sh', 'yaml'].includes(language),
  )
  expect(recipes.map(({ language }) => language)).toEqual(['java'])
  for (const { text } of recipes) {
    expect(text).toContain('/__admin/health')
    expect(new Set(text.match(/\b\d{4}\b/g))).toEqual(new Set([getArguments('EXPOSE')]))
  }
})
