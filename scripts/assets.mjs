// The build's second step, after tsc: everything in dist/ that is not compiled from src/.
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

/** Folders of dist/ that this script fills, so tsc's leftovers are not looked for there. */
const ours = ['ui', 'docs', 'precompiled']

/** tsc leaves the output of a deleted source behind; it would be packed and published. */
async function dropOrphans() {
  for (const file of await readdir(dist, { recursive: true })) {
    const source = file.replace(/\.d\.ts$|\.js$/, '.ts')
    if (source === file || ours.includes(file.split(/[/\\]/)[0])) continue
    if (!existsSync(join(root, 'src', source))) await rm(join(dist, file))
  }
}

/** The docs page is served from dist/docs alone, so users need not install Swagger UI. */
async function copySwaggerUi() {
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

async function buildDashboard() {
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

/** Reading a contract's YAML takes half of the time of a start; its JSON is read in a moment. */
async function precompileContracts() {
  const { parse } = await import('yaml')
  const { precompiledName } = await import(new URL('../dist/contract/precompiled.js', import.meta.url).href)
  const to = join(dist, 'precompiled')
  await rm(to, { recursive: true, force: true })
  await mkdir(to)
  for (const file of ['openapi.yaml', 'admin.openapi.yaml']) {
    const text = await readFile(join(root, file), 'utf8')
    await writeFile(join(to, precompiledName(text)), JSON.stringify(parse(text)))
  }
}

await dropOrphans()
await Promise.all([
  chmod(join(dist, 'cli.js'), 0o755),
  copySwaggerUi(),
  buildDashboard(),
  precompileContracts(),
])
await writeFile(join(dist, '.built'), '')
