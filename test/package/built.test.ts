import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { read, root, createProject } from '../support/project.ts'
import { createFolder } from '../support/start.ts'

interface Manifest {
  name: string
  version: string
  bin: { proxysim: string }
  dependencies?: object
}
const { name, version, bin, dependencies = {} } = JSON.parse(read('package.json')) as Manifest

function run(args: readonly string[], cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

describe('bundled packages are listed', () => {
  interface Bill {
    bomFormat: string
    metadata: { component: { name: string; version: string } }
    components: { name: string; version: string; scope: string; licenses: unknown[] }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const bill = JSON.parse(read('dist/sbom.cdx.json')) as Bill
  const names = bill.components.map((one) => one.name)

  test('in a CycloneDX bill of materials, which names all of it and no tools', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name, version } } })
    // the program, the dashboard, the docs page, the guide
    const bundled = [
      'express',
      'express-openapi-validator',
      'lowdb',
      'preact',
      'eventsource-parser',
      'minisearch',
    ]
    expect(names).toEqual(expect.arrayContaining(bundled))
    for (const tool of ['vitest', 'vite', 'typescript', 'rolldown', 'tsx']) expect(names).not.toContain(tool)
    for (const one of bill.components)
      expect(one).toMatchObject({ scope: 'required', licenses: [expect.anything()] })
    const refs = new Set(['', ...bill.components.map((one) => `${one.name}@${one.version}`)])
    const named = bill.dependencies.flatMap(({ dependsOn }) => dependsOn)
    expect(named.filter((ref) => !refs.has(ref))).toEqual([])
  })

  test('each part with the text of its license', () => {
    const notices = read('dist/THIRD-PARTY-LICENSES.txt')
      .split(/\n\n-{80}\n\n|packages\.\n\n/)
      .slice(1)
    expect(notices.map((notice) => notice.split(' (', 1).join('')).toSorted()).toEqual(
      bill.components.map((one) => `${one.name} ${one.version}`).toSorted(),
    )
    // None has fewer lines than this.
    for (const notice of notices) expect(notice.length, notice).toBeGreaterThan(500)
  })

  test('and has no dependencies to install', () => {
    expect(dependencies).toEqual({})
  })
})

describe('types', () => {
  const starter = `import { startSimulator, UserError, type StartedSimulator } from 'proxysim'
export const start = (): Promise<StartedSimulator> => startSimulator({ scenario: 'low-funds' })
export const cause = (error: UserError): unknown => error.code
`

  test('are one file, which names no package and nothing inside', () => {
    const declarations = readdirSync(`${root}dist`, { recursive: true, encoding: 'utf8' })
    expect(declarations.filter((file) => /\.d\.c?ts$/.test(file)).toSorted()).toEqual([
      'index.d.cts',
      'index.d.ts',
    ])
    expect(read('dist/index.d.cts')).not.toMatch(/\bfrom ['"]|import\(|\bzod\b|declare function \w+\(\{/)
  })

  test('serve modules and CommonJS files of a user who checks libraries too, and who adds scenarios of their own', () => {
    const project = createProject()
    writeFileSync(join(project, 'user.cts'), starter)
    writeFileSync(
      join(project, 'user.mts'),
      `import { openSimulator, startSimulator, type SimulatorHandle } from 'proxysim'
declare module 'proxysim' {
  interface ScenarioNames { mine: true }
}
export const loads = (sim: SimulatorHandle, text: string) => [sim.load('mine'), sim.load('default'), sim.load(text)]
// @ts-expect-error no scenario of that name
export const typo = () => startSimulator({ scenario: 'low-fund' })
export const opened = async (): Promise<number> => {
  await using sim = await openSimulator({ scenario: './mine.yaml' })
  return (await sim.state()).credit + (await sim.har()).log.entries.length
}
`,
    )
    const flags =
      '--exactOptionalPropertyTypes --module nodenext --target es2022 --lib es2023,esnext.disposable user.mts user.cts'
    expect(compile(flags, project)).toEqual({ status: 0, output: '' })
  })

  /** Compiles a file of the project, libraries included. */
  function compile(flags: string, project: string): ReturnType<typeof run> {
    const tsc = `${root}node_modules/typescript/bin/tsc`
    const common = '--noEmit --strict --skipLibCheck false --types node --typeRoots'
    return run([tsc, ...common.split(' '), `${root}node_modules/@types`, ...flags.split(' ')], project)
  }
})

test('the command runs from any folder, and a clone need not be built by hand', () => {
  const project = createProject()
  const printed = { status: 0, output: `${version}\n` }
  expect(run([`${root}${bin.proxysim}`, '--version'], project)).toEqual(printed)
  // The package contains no sources to build from.
  const installed = join(project, 'installed')
  mkdirSync(join(installed, 'bin'), { recursive: true })
  for (const file of ['package.json', bin.proxysim]) writeFileSync(join(installed, file), read(file))
  symlinkSync(`${root}dist`, join(installed, 'dist'))
  expect(run([join(installed, bin.proxysim), '--version'], project)).toEqual(printed)
})

test('fake timers that a test sets before the first simulator stop neither it nor its handle', () => {
  const project = createProject()
  const script = `import { mock } from 'node:test'
import { startSimulator } from 'proxysim'
mock.timers.enable()
const sim = await startSimulator()
await sim.fault({ operation: 'getCredit', delay: 5 })
const headers = { authorization: sim.authorization() }
const { status } = await fetch(\`\${sim.url}/api/billing/credit\`, { headers })
await sim.waitForRequests({ count: 2, timeout: 5 }).catch(({ message }) => console.log(status, message))
await sim.close()
`
  writeFileSync(join(project, 'faked.mjs'), script)
  expect(run(['--no-warnings', 'faked.mjs'], project)).toEqual({
    status: 0,
    output: '200 1 of 2 requests arrived within 5 ms.\n',
  })
})

/** A suite that uses the server, the handle and their timers */
const suite = `
async function useSimulator({ openSimulator, connectSimulator }) {
  const sim = await openSimulator({ scenario: 'low-funds' })
  await sim.fault({ operation: 'getCredit', delay: 5 })
  await sim.clock.advance('PT1H')
  await sim.load({ description: 'x', accounts: { a: { password: 'b', credit: 4 } } })
  await sim.waitForRequests({ timeout: 5 }).catch(() => {})
  const { version } = await (await connectSimulator(sim.url)).health()
  await sim.close()
  return version
}`

test('the library needs no global that test environments replace', () => {
  const project = createProject()
  const globals =
    'AbortController AbortSignal Blob CustomEvent Event EventTarget FormData Headers MessageChannel MessageEvent ReadableStream Request Response TextDecoder TextDecoderStream TextEncoder TransformStream URL URLSearchParams fetch structuredClone'
  const script = `const names = '${globals}'.split(' ')
for (const name of names) globalThis[name] = class { constructor() { throw new Error('a foreign ' + name) } }
${suite}
console.log(await useSimulator(await import('proxysim')))
`
  writeFileSync(join(project, 'foreign.mjs'), script)
  expect(run(['foreign.mjs'], project)).toEqual({ status: 0, output: `${version}\n` })
})

test('vitest suites for happy-dom can use the library, inlined', () => {
  const environment = 'happy-dom'
  const project = createProject(['vitest', environment])
  writeFileSync(
    join(project, 'dom.test.mjs'),
    `// @vitest-environment ${environment}
import { expect, test } from 'vitest'
import * as proxysim from 'proxysim'
${suite}
test('works', async () => {
  expect(document.title).toBe('')
  expect(await useSimulator(proxysim)).toBe('${version}')
})
`,
  )
  const vitest = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--testTimeout=60000',
    '--maxWorkers=1',
  ]
  const config = { test: { server: { deps: { inline: ['proxysim'] } } } }
  writeFileSync(join(project, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
  const { status, output } = run(vitest, project)
  expect(status, output).toBe(0)
})

test('CommonJS can load the library, even if its runner replaces require, as Jest does', () => {
  const project = createProject()
  const script = `const { Module } = require('node:module')
const { runInNewContext } = require('node:vm')
${suite}
const file = require.resolve('proxysim')
const code = require('node:fs').readFileSync(file, 'utf8')
const load = runInNewContext(Module.wrap(code), {})
const foreign = { exports: {} }
const requireInJest = (name) => {
  if (name !== 'node:vm') throw new Error('Must use import to load ES Module')
  return require(name)
}
load(foreign.exports, requireInJest, foreign, file, require('node:path').dirname(file))
useSimulator(foreign.exports).then(async (version) => {
  console.log(version, foreign.exports.UserError === require('proxysim').UserError, await import('proxysim') === require('proxysim'))
})
`
  writeFileSync(join(project, 'jest.cjs'), script)
  expect(run(['--no-warnings', 'jest.cjs'], project)).toEqual({ status: 0, output: `${version} true true\n` })
})

/** Creates a project with a copy of the package in `installed/`, which a test may change. */
function createInstallation(): string {
  const project = createProject()
  for (const part of ['dist', 'package.json', 'scenarios', 'openapi.yaml', 'admin.openapi.yaml'])
    cpSync(join(root, part), join(project, 'installed', part), { recursive: true })
  return project
}

test('a command that exec or matrix runs may replace the build', () => {
  const project = createInstallation()
  const script = `import { renameSync, existsSync } from 'node:fs'
if (existsSync('installed/dist/chunks')) renameSync('installed/dist/chunks', 'installed/replaced')
const { PROXYSIM_URL, PROXYSIM_LOGIN, PROXYSIM_PASSWORD } = process.env
const authorization = 'Basic ' + btoa(PROXYSIM_LOGIN + ':' + PROXYSIM_PASSWORD)
const headers = { authorization, accept: 'application/json', 'content-type': 'application/json' }
await fetch(PROXYSIM_URL + '/api/product/105', { method: 'POST', headers, body: '{"clientid":99}' })
process.exitCode = Number(process.argv[2] ?? 0)
`
  writeFileSync(join(project, 'replace.mjs'), script)
  const command = [process.execPath, 'replace.mjs']
  const proxysim = (...flags: string[]) => run(['installed/dist/cli.js', ...flags, '--', ...command], project)
  expect(proxysim('matrix', '--only', 'geo=object')).toMatchObject({ status: 0 })
  renameSync(join(project, 'installed/replaced'), join(project, 'installed/dist/chunks'))
  command.push('7')
  expect(proxysim('exec', '--on-failure', 'repro')).toMatchObject({ status: 7 })
  expect(readdirSync(join(project, 'proxysim-repro'))).toEqual(['1-orderService-client-not-found.yaml'])
})

test('a simulator goes on working after its build was replaced or removed', () => {
  const project = createInstallation()
  const script = `import { register } from 'node:module'
import { renameSync } from 'node:fs'
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
const { port1, port2 } = new MessageChannel()
// Reports each module that is loaded.
const hooks = \`let port
export function initialize(data) { port = data }
export async function load(url, context, next) { const result = await next(url, context); port.postMessage(url); return result }\`
register('data:text/javascript,' + encodeURIComponent(hooks), { data: port2, transferList: [port2] })
const { startSimulator } = await import('./installed/dist/index.js')
const sim = await startSimulator({ scenario: 'low-funds' })
// The warm-up ends with the generator.
for (let url = ''; !/chunks.en-/.test(url); ) [url] = await once(port1, 'message')
renameSync('installed/dist', 'installed/replaced')
await sim.load({ description: 'x', accounts: { a: { password: 'b', generate: { clients: 3 } } } })
await sim.patch({ credit: 5 })
await sim.schedule({ after: 'PT1S', patch: { credit: 6 } })
await sim.fault({ operation: 'getCredit', stale: 1 })
await sim.clock.advance('PT1M')
await sim.createAccount({ login: 'other' })
for (const path of ['/openapi.yaml', '/__admin/openapi.yaml', '/__admin/scenario']) {
  const response = await fetch(sim.url + path, { headers: { accept: 'application/yaml' } })
  if (!response.ok) throw new Error(path + ' ' + await response.text())
  await response.text()
}
const yaml = 'description: y\\naccounts: { z: { password: b } }'
const put = { method: 'PUT', headers: { 'content-type': 'application/yaml' }, body: yaml }
console.log((await fetch(sim.url + '/__admin/scenario', put)).status)
await sim.close()
port1.close()
`
  writeFileSync(join(project, 'replaced.mjs'), script)
  expect(run(['--no-warnings', 'replaced.mjs'], project)).toEqual({ status: 0, output: '200\n' })
})

test('a build that fails leaves the last one whole, for the simulators that run from it, and nothing else', () => {
  const clone = createFolder()
  for (const part of ['src', 'scripts', 'ui', 'package.json', 'tsconfig.json'])
    cpSync(`${root}${part}`, join(clone, part), { recursive: true })
  symlinkSync(`${root}node_modules`, join(clone, 'node_modules'))
  mkdirSync(join(clone, 'dist'))
  writeFileSync(join(clone, 'dist/cli.js'), 'the last build')
  expect(run(['--import', 'tsx', 'scripts/build.ts'], clone)).toEqual({
    status: 1,
    output: expect.stringMatching(/openapi\.yaml|can't be bundled/) as string,
  })
  expect(readFileSync(join(clone, 'dist/cli.js'), 'utf8')).toBe('the last build')
  expect(readdirSync(join(clone, 'dist'))).toEqual(['cli.js'])
  expect(readdirSync(clone).filter((file) => file.startsWith('dist'))).toEqual(['dist'])
})
