import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

interface Component {
  name: string
  version: string
  scope: string
  licenses: unknown[]
}

/** A folder of a user's in which the package is installed, gone at the end of the test. */
function userProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proxysim-user-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/proxysim'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

function run(file: string, args: readonly string[], cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { cwd, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

describe('what is bundled can be seen', () => {
  const { bomFormat, metadata, components, dependencies } = JSON.parse(read('dist/sbom.cdx.json')) as {
    bomFormat: string
    metadata: { component: { name: string; version: string } }
    components: Component[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const names = components.map(({ name }) => name)

  test('in a CycloneDX bill of materials, which names all of it and no tools', () => {
    const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string }
    expect(bomFormat).toBe('CycloneDX')
    expect(metadata.component).toMatchObject({ name, version })
    // the program, the dashboard, the docs page, the guide
    for (const one of [
      'express',
      'express-openapi-validator',
      'lowdb',
      'preact',
      'eventsource-parser',
      'minisearch',
    ])
      expect(names).toContain(one)
    for (const one of ['vitest', 'vite', 'typescript', 'rolldown', 'tsx']) expect(names).not.toContain(one)
    for (const one of components)
      expect(one).toMatchObject({ scope: 'required', licenses: [expect.anything()] })
    const refs = new Set(['', ...components.map((one) => `${one.name}@${one.version}`)])
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([])
  })

  test('each part with the text of its license', () => {
    const notices = read('dist/THIRD-PARTY-LICENSES.txt')
      .split(/\n\n-{80}\n\n|packages\.\n\n/)
      .slice(1)
    expect(notices.map((notice) => notice.split(' (', 1).join('')).toSorted()).toEqual(
      components.map(({ name, version }) => `${name} ${version}`).toSorted(),
    )
    // None is shorter than this.
    for (const notice of notices) expect(notice.length, notice).toBeGreaterThan(500)
  })

  test('and has no dependencies to install', () => {
    const { dependencies: needed = {} } = JSON.parse(read('package.json')) as { dependencies?: object }
    expect(needed).toEqual({})
  })
})

describe('types', () => {
  test('are one file, which names no package and nothing inside', () => {
    const declarations = readdirSync(`${root}dist`, { recursive: true, encoding: 'utf8' })
    expect(declarations.filter((file) => file.endsWith('.d.ts'))).toEqual(['index.d.ts'])
    expect(read('dist/index.d.ts')).not.toMatch(/\bfrom ['"]|import\(|\bzod\b|declare function \w+\(\{/)
  })

  test('serve a user who checks libraries too, and who adds scenarios of their own', () => {
    const folder = userProject()
    writeFileSync(
      join(folder, 'user.ts'),
      `import { openSimulator, startSimulator, type SimulatorHandle } from 'proxysim'
declare module 'proxysim' {
  interface ScenarioNames { mine: true }
}
export const loads = (sim: SimulatorHandle, text: string) => [sim.load('mine'), sim.load('default'), sim.load(text)]
// @ts-expect-error no scenario of that name
export const typo = () => startSimulator({ scenario: 'low-fund' })
export const opened = async (): Promise<number> => {
  await using sim = await openSimulator({ scenario: './mine.yaml' })
  return (await sim.world()).credit + (await sim.har()).log.entries.length
}
`,
    )
    const flags =
      '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022 --skipLibCheck false'
    const lib = '--lib es2023,esnext.disposable --types node --typeRoots'.split(' ')
    const { status, output } = run(
      `${root}node_modules/typescript/bin/tsc`,
      [...flags.split(' '), ...lib, `${root}node_modules/@types`, 'user.ts'],
      folder,
    )
    expect(output).toBe('')
    expect(status).toBe(0)
  })
})

test('the command runs from any folder, and a clone need not be built by hand', () => {
  const folder = userProject()
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const { bin } = JSON.parse(read('package.json')) as { bin: { proxysim: string } }
  expect(run(`${root}${bin.proxysim}`, ['--version'], folder)).toEqual({ status: 0, output: `${version}\n` })
  // In the package there is nothing to build from.
  const installed = join(folder, 'installed')
  mkdirSync(join(installed, 'bin'), { recursive: true })
  writeFileSync(join(installed, 'package.json'), read('package.json'))
  writeFileSync(join(installed, bin.proxysim), read(bin.proxysim))
  symlinkSync(`${root}dist`, join(installed, 'dist'))
  expect(existsSync(join(installed, 'scripts'))).toBe(false)
  expect(run(join(installed, bin.proxysim), ['--version'], folder)).toEqual({
    status: 0,
    output: `${version}\n`,
  })
})

test('a build that fails leaves the last one whole, for the simulators that run from it, and nothing else', () => {
  const clone = mkdtempSync(join(tmpdir(), 'proxysim-clone-'))
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }))
  for (const part of ['src', 'scripts', 'ui', 'package.json', 'tsconfig.json'])
    cpSync(`${root}${part}`, join(clone, part), { recursive: true })
  symlinkSync(`${root}node_modules`, join(clone, 'node_modules'))
  mkdirSync(join(clone, 'dist'))
  writeFileSync(join(clone, 'dist/cli.js'), 'the last build')
  const { status, output } = run('--import', ['tsx', 'scripts/build.ts'], clone)
  expect(status, output).toBe(1)
  expect(output).toMatch(/ENOENT.*openapi\.yaml/)
  expect(readdirSync(join(clone, 'dist'))).toEqual(['cli.js'])
  expect(readdirSync(clone).filter((name) => name.startsWith('dist'))).toEqual(['dist'])
})

test('the package has what people and programs read', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  })
  const [{ files } = { files: [] }] = JSON.parse(stdout) as { files: { path: string }[] }[]
  const paths = files.map(({ path }) => path)
  for (const path of [
    'llms.txt',
    'docs/agents.md',
    'examples/php/Reseller.php',
    'SECURITY.md',
    'CHANGELOG.md',
  ])
    expect(paths).toContain(path)
  expect(
    paths.filter((path) => /^docs\/(?:decisions|screenshots)|\.cache|^test\/|^src\//.test(path)),
  ).toEqual([])
})
