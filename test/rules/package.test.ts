import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  resolved?: string
  hasInstallScript?: boolean
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
const manifest = read('package.json') as {
  dependencies?: Record<string, string>
  devDependencies: Record<string, string>
  scripts: Record<string, string>
  allowScripts: Record<string, boolean>
}
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }

test('every dependency is pinned to one version', () => {
  const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  )
  expect(loose).toEqual([])
})

test('the package installs nothing, and of what a clone installs, only named packages have an install script, which npm skips', () => {
  const { dependencies = {}, allowScripts, scripts } = manifest
  expect(Object.keys(dependencies)).toEqual([])
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([])
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = new Set(withScript.map(([path]) => path.replace(/^.*node_modules\//, '')))
  expect([...names].filter((name) => allowScripts[name] !== false && name !== 'fsevents')).toEqual([])
  expect(names.size).toBeGreaterThan(0)
})

test('the lock names no registry but the public one', () => {
  const elsewhere = Object.values(packages)
    .map(({ resolved }) => resolved)
    .filter((url) => url !== undefined && !url.startsWith('https://registry.npmjs.org/'))
  expect(elsewhere).toEqual([])
})
