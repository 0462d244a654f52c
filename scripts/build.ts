// Builds dist/. With --quick, it builds only the program, because the first start in a clone waits for the build.
import { existsSync, rmSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type InputOptions, type Plugin } from 'rolldown'
import { parse } from 'yaml'
import { loadContract, precompiledName } from '../src/contract/loadContract.ts'
import { openScenarioLibrary } from '../src/scenario/ScenarioLibrary.ts'
import { listModules } from './listModules.ts'
import { renderLicenses, listPackages, createSbom } from './thirdParty.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/**
 * The build replaces dist/ only once it is complete, so a failed build leaves dist/ unchanged, and a simulator that runs
 * from dist/ keeps working. The process id keeps simultaneous builds apart.
 */
const dist = join(root, `dist.${process.pid}`)

/**
 * Bundles the program and its dependencies. Loading some 900 modules one by one took more than half of the startup
 * time, and users would have to install a hundred packages (docs/decisions/0016).
 * @returns the bundled modules
 */
async function bundleProgram(): Promise<string[]> {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(['cli', 'index', 'server'].map((name) => [name, `src/${name}.ts`])),
    platform: 'node',
    external: /^node:/,
    treeshake: { moduleSideEffects: (id) => id.startsWith('node:timers') || undefined }, // see src/index.ts
    plugins: [urlWithoutWarning],
    onLog,
  })
  const { output } = await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await bundle.close()
  await chmod(join(dist, 'cli.js'), 0o755)
  await writeFile(join(dist, 'index.cjs'), commonJsEntry)
  return listModules(output)
}

/**
 * Jest replaces `require`, `import()` and `process`, and its `require` loads no ES modules. The main context has Node's own
 * `require`, which does.
 */
const commonJsEntry = `'use strict'
const { runInThisContext } = require('node:vm')
const { createRequire } = runInThisContext("process.getBuiltinModule('node:module')")
module.exports = createRequire(__filename)('./index.js')
`

/**
 * Since Node 24, `url.parse` prints a warning unless its caller is in node_modules. Bundled packages aren't, so they use
 * the class that implements it.
 */
const urlWithoutWarning: Plugin = {
  name: 'url-without-warning',
  resolveId: (id) => (id === 'url' ? '\0url.cjs' : undefined),
  load: (id) =>
    id === '\0url.cjs'
      ? `const url = require('node:url')
module.exports = { ...url, parse: (text) => new url.Url().parse(text) }`
      : undefined,
}

/**
 * Bundles the library's types in one file that imports no package. It describes the CommonJS entry, because the types of an ES
 * module may import those of a CommonJS module, but not the other way round.
 */
async function bundleTypes(): Promise<string[]> {
  const { dts } = await import('rolldown-plugin-dts')
  const bundle = await rolldown({
    cwd: root,
    input: 'src/index.ts',
    platform: 'node',
    checks: { pluginTimings: false },
    external: /^node:/,
    plugins: [dts({ emitDtsOnly: true, tsconfig: join(root, 'tsconfig.json'), compilerOptions })],
    onLog,
  })
  const { output } = await bundle.write({ dir: dist, format: 'esm' })
  await bundle.close()
  const types = join(dist, 'index.d.ts')
  // Projects with an older `lib` lack these types.
  const libs = ['es2022.error', 'esnext.disposable'].map((lib) => `/// <reference lib="${lib}" />\n`)
  // TypeScript refuses this mark of a class with private fields if the target is ES5.
  const text = (await readFile(types, 'utf8')).replaceAll(/^ *#private;\n/gm, '')
  await writeFile(join(dist, 'index.d.cts'), libs.join('') + text)
  await writeFile(types, "export * from './index.cjs'\n")
  return listModules(output)
}

const compilerOptions = { noEmit: false, paths: {} }

const onLog: NonNullable<InputOptions['onLog']> = (level, log) => {
  if (level === 'warn') process.stderr.write(`${log.message}\n`)
}

async function buildDashboard(): Promise<string[]> {
  const { build } = await import('vite')
  const results = await build({
    configFile: join(root, 'ui/vite.config.ts'),
    root: join(root, 'ui'),
    logLevel: 'warn',
    build: { outDir: join(dist, 'ui'), emptyOutDir: true },
  })
  return listModules([results].flat().flatMap((part) => ('output' in part ? part.output : [])))
}

async function bundleGuide(): Promise<string[]> {
  const { buildGuide } = await import('./buildGuide.ts')
  return buildGuide(join(dist, 'guide'))
}

/** Converts YAML files to JSON. Parsing YAML would take most of the startup time (docs/decisions/0016). */
async function precompile(): Promise<string[]> {
  const folder = join(dist, 'precompiled')
  await mkdir(folder)
  for (const file of ['openapi.yaml', 'admin.openapi.yaml']) {
    const text = await readFile(join(root, file), 'utf8')
    await writeFile(join(folder, precompiledName(text)), JSON.stringify(parse(text)))
  }
  const scenarios = join(dist, 'scenarios')
  await mkdir(scenarios)
  const library = await openScenarioLibrary(await loadContract())
  for (const { name } of await library.list())
    await writeFile(join(scenarios, `${name}.json`), JSON.stringify((await library.load(name)).document))
  return []
}

// Vitest sets NODE_ENV to `test`, with which Vite builds a dashboard for debugging that is 50% larger.
process.env['NODE_ENV'] = 'production'
// A failed or interrupted build leaves nothing behind. (Removal is retried if files are still being written.)
process.once('exit', () => rmSync(dist, { recursive: true, force: true, maxRetries: 3 }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
await rm(dist, { recursive: true, force: true })
await mkdir(dist)
const quickParts = [bundleProgram(), precompile()]
if (process.argv.includes('--quick')) {
  await finish(quickParts)
  await writeFile(join(dist, '.started'), '')
} else {
  const packages = await listPackages(
    await finish([...quickParts, bundleTypes(), buildDashboard(), bundleGuide()]),
  )
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), await renderLicenses(packages))
  await writeFile(join(dist, 'sbom.cdx.json'), createSbom(packages, root))
  await writeFile(join(dist, '.built'), '')
}
await replaceFolder(join(root, 'dist'), dist)

/** Waits for all parts even if one fails. Otherwise, the others would create the removed folder again. */
async function finish(parts: readonly Promise<string[]>[]): Promise<string[]> {
  await Promise.allSettled(parts)
  return (await Promise.all(parts)).flat()
}

/** Replaces a folder. Chunks of unchanged sources keep their names, so a running simulator still finds its chunks. */
async function replaceFolder(folder: string, replacement: string): Promise<void> {
  const old = `${replacement}.old`
  if (existsSync(folder)) await rename(folder, old)
  await rename(replacement, folder)
  await rm(old, { recursive: true, force: true })
}
