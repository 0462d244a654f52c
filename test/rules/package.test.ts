import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  resolved?: string
  hasInstallScript?: boolean
  dev?: boolean
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
const manifest = read('package.json') as Record<'dependencies' | 'devDependencies', Record<string, string>>
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }

test('every dependency is pinned to one version', () => {
  const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  )
  expect(loose).toEqual([])
})

test('nothing that users install runs a script at install', () => {
  const runs = Object.entries(packages).filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev)
  expect(runs.map(([path]) => path)).toEqual([])
})

test('the lock names no registry but the public one', () => {
  const elsewhere = Object.values(packages)
    .map(({ resolved }) => resolved)
    .filter((url) => url !== undefined && !url.startsWith('https://registry.npmjs.org/'))
  expect(elsewhere).toEqual([])
})
