import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
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
  test('are one file, which names no package and nothing inside', () => {
    const declarations = readdirSync(`${root}dist`, { recursive: true, encoding: 'utf8' })
    expect(declarations.filter((file) => file.endsWith('.d.ts'))).toEqual(['index.d.ts'])
    expect(read('dist/index.d.ts')).not.toMatch(/\bfrom ['"]|import\(|\bzod\b|declare function \w+\(\{/)
  })

  test('serve a user who checks libraries too, and who adds scenarios of their own', () => {
    const project = createProject()
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
      '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022 --skipLibCheck false --lib es2023,esnext.disposable --types node --typeRoots'
    const tsc = `${root}node_modules/typescript/bin/tsc`
    const types = `${root}node_modules/@types`
    expect(run([tsc, ...flags.split(' '), types, 'user.mts'], project)).toEqual({ status: 0, output: '' })
  })
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

test('a build that fails leaves the last one whole, for the simulators that run from it, and nothing else', () => {
  const clone = createFolder()
  for (const part of ['src', 'scripts', 'ui', 'package.json', 'tsconfig.json'])
    cpSync(`${root}${part}`, join(clone, part), { recursive: true })
  symlinkSync(`${root}node_modules`, join(clone, 'node_modules'))
  mkdirSync(join(clone, 'dist'))
  writeFileSync(join(clone, 'dist/cli.js'), 'the last build')
  expect(run(['--import', 'tsx', 'scripts/build.ts'], clone)).toEqual({
    status: 1,
    output: expect.stringMatching(/ENOENT.*openapi\.yaml/) as string,
  })
  expect(readFileSync(join(clone, 'dist/cli.js'), 'utf8')).toBe('the last build')
  expect(readdirSync(join(clone, 'dist'))).toEqual(['cli.js'])
  expect(readdirSync(clone).filter((file) => file.startsWith('dist'))).toEqual(['dist'])
})

test('the package contains the documentation', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' })
  const [{ files } = { files: [] }] = JSON.parse(stdout) as { files: { path: string }[] }[]
  const paths = files.map(({ path }) => path)
  const wanted = 'llms.txt docs/agents.md examples/php/Reseller.php SECURITY.md CHANGELOG.md'.split(' ')
  expect(paths).toEqual(expect.arrayContaining(wanted))
  const unwanted = /^docs\/(?:decisions|screenshots)|\.cache|^test\/|^src\//
  expect(paths.filter((path) => unwanted.test(path))).toEqual([])
})
