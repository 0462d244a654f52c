/** Creates the license notices and the bill of materials of the packages in dist/. */
import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Package {
  name: string
  version: string
  license: string
  folder: string
}

/** Finds the packages of modules, sorted by name. */
export async function listPackages(modules: readonly string[]): Promise<Package[]> {
  const folders = new Set(
    modules.flatMap((id) => /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(id)?.[1] ?? []),
  )
  const packages = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(folder, 'package.json'), 'utf8'),
      ) as Package
      return { name, version, license, folder }
    }),
  )
  return packages.toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}

/** Joins the license notices. */
export async function renderLicenses(packages: readonly Package[]): Promise<string> {
  const notices = await Promise.all(
    packages.map(async ({ name, version, license, folder }) => {
      const files = (await readdir(folder)).filter((file) =>
        /^(?:licen[cs]e|notice|copying)(?:\.|-|$)/i.test(file),
      )
      const texts = await Promise.all(files.toSorted().map((file) => readFile(join(folder, file), 'utf8')))
      return `${name} ${version} (${license})\n\n${texts.join('\n').trim()}`.trimEnd()
    }),
  )
  return `dist/ contains code of these packages.\n\n${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string; [key: string]: unknown } }
  components: { 'bom-ref': string; name: string; version: string; properties?: { name: string }[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Creates a CycloneDX bill of materials: npm's, reduced to the bundled packages. */
export function createSbom(packages: readonly Package[], cwd: string): string {
  // The bundled packages are development dependencies, which npm omits because the build sets NODE_ENV to production.
  const { status, stdout } = spawnSync(
    'npm sbom --sbom-format=cyclonedx --sbom-type=application --package-lock-only --include=dev --loglevel=error',
    { cwd, shell: true, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 2] },
  )
  if (status !== 0) throw new Error(`npm sbom exited with ${status}.`)
  // Without time and serial number, the build is reproducible.
  const { serialNumber: _number, ...bom } = JSON.parse(stdout) as Bom
  const { timestamp: _time, component, ...metadata } = bom.metadata
  const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  const components = bom.components
    .filter(({ name, version }) => bundled.has(`${name}@${version}`))
    .map(({ properties: _development, ...part }) => ({ ...part, scope: 'required' }))
  const refs = new Set(components.map((part) => part['bom-ref']))
  const missing = bundled.size - new Set(components.map(({ name, version }) => `${name}@${version}`)).size
  if (missing !== 0) throw new Error(`${missing} bundled packages are not in package-lock.json.`)
  const root = String(component['bom-ref'])
  return `${JSON.stringify(
    {
      ...bom,
      metadata: {
        ...metadata,
        lifecycles: [{ phase: 'build' }],
        component: { ...component, name: root.slice(0, root.lastIndexOf('@')) },
      },
      components,
      dependencies: bom.dependencies
        .filter(({ ref }) => ref === root || refs.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
    },
    null,
    2,
  )}\n`
}
