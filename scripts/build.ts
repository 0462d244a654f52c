// The build's second step, after tsc has written the declarations: everything else in dist/.
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { parse } from 'yaml'
import { loadContract } from '../src/contract/loadContract.ts'
import { precompiledName } from '../src/contract/precompiled.ts'
import { readShippedScenarios } from '../src/scenario/ScenarioLibrary.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

/** Folders of dist/ that this script fills, so tsc's leftovers are not looked for there. */
const ours = ['chunks', 'ui', 'docs', 'precompiled']

/** tsc leaves the declarations of a deleted source behind; they would be packed and published. */
async function dropOrphans(): Promise<void> {
  for (const file of await readdir(dist, { recursive: true })) {
    if (ours.includes(file.split(sep)[0] ?? '')) continue
    const source = file.replace(/\.d\.ts$/, '.ts')
    const isOrphan = source === file ? file.endsWith('.js') : !existsSync(join(root, 'src', source))
    if (isOrphan) await rm(join(dist, file))
  }
}

/**
 * The program in a few files, with all that it uses. Node finds, reads and links each module on its own: of some 900
 * that took more than half of a start, and users would install a hundred packages (docs/decisions/0016).
 */
async function bundle(): Promise<void> {
  await rm(join(dist, 'chunks'), { recursive: true, force: true })
  const bundled = await rolldown({
    cwd: root,
    input: Object.fromEntries(['cli', 'index', 'server'].map((name) => [name, `src/${name}.ts`])),
    platform: 'node',
    external: /^node:/,
    onLog: (level, log) => {
      if (level === 'warn') process.stderr.write(`${log.message}\n`)
    },
  })
  const { output } = await bundled.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await bundled.close()
  const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(modules))
  await chmod(join(dist, 'cli.js'), 0o755)
}

/** The notices of the packages that some modules come from: their licenses ask for them. */
async function licensesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(
    modules.flatMap((id) => /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(id)?.[1] ?? []),
  )
  const notices = await Promise.all(
    [...folders].toSorted().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(folder, 'package.json'), 'utf8'),
      ) as Record<string, string>
      const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice)(?:\.|-|$)/i.test(file))
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
      return `${name} ${version} (${license ?? 'see below'})\n\n${texts.join('\n').trim()}\n`
    }),
  )
  return `dist/ holds code of these packages.\n\n${notices.join(`\n${'-'.repeat(80)}\n\n`)}`
}

/** The docs page is served from dist/docs alone, so users need not install Swagger UI. */
async function copySwaggerUi(): Promise<void> {
  const from = fileURLToPath(new URL('.', import.meta.resolve('swagger-ui-dist/package.json')))
  const to = join(dist, 'docs')
  await mkdir(to, { recursive: true })
  const files = [
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'LICENSE',
    'NOTICE',
  ]
  await Promise.all(files.map((file) => copyFile(join(from, file), join(to, file))))
}

async function buildDashboard(): Promise<void> {
  const configFile = join(root, 'ui/vite.config.ts')
  if (!existsSync(configFile)) return
  const { build } = await import('vite')
  await build({
    configFile,
    root: join(root, 'ui'),
    logLevel: 'warn',
    build: { outDir: join(dist, 'ui'), emptyOutDir: true },
  })
}

/** Reading YAML takes most of the time of a start; its JSON is read in a moment. */
async function precompile(): Promise<void> {
  const to = join(dist, 'precompiled')
  await rm(to, { recursive: true, force: true })
  await mkdir(to)
  for (const file of ['openapi.yaml', 'admin.openapi.yaml']) {
    const text = await readFile(join(root, file), 'utf8')
    await writeFile(join(to, precompiledName(text)), JSON.stringify(parse(text)))
  }
  const contract = await loadContract()
  for (const [sources, document] of await readShippedScenarios(contract))
    await writeFile(join(to, precompiledName(sources)), JSON.stringify(document))
}

await dropOrphans()
await Promise.all([bundle(), copySwaggerUi(), buildDashboard(), precompile()])
await writeFile(join(dist, '.built'), '')
