import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const source = new URL('../../src/', import.meta.url)

/** Packages and files of ours that are loaded as soon as a file is: what it imports by more than its types. */
function loadedBy(file: string): { packages: string[]; files: string[] } {
  const packages = new Set<string>()
  const files = new Set<string>()
  const visit = (url: URL): void => {
    if (files.has(url.href)) return
    files.add(url.href)
    const text = readFileSync(url, 'utf8')
    for (const [, specifier = ''] of text.matchAll(
      /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm,
    ))
      if (specifier.startsWith('.')) visit(new URL(specifier, url))
      else if (!specifier.startsWith('node:')) packages.add(specifier)
  }
  visit(new URL(file, source))
  return { packages: [...packages], files: [...files].map((href) => href.slice(source.href.length)) }
}

test('the command line loads no command until one is known', () => {
  const { packages, files } = loadedBy('cli.ts')
  expect(packages).toEqual(['commander'])
  expect(files.filter((file) => file.startsWith('cli/commands/'))).toEqual([])
  expect(files.length).toBeLessThan(20)
})

test.each([
  'scenarios',
  'load',
  'reset',
  'clock',
  'faults',
  'requests',
  'coverage',
  'state',
  'check',
  'serve',
])('the command %s loads no server before it needs one', (name) => {
  const { packages } = loadedBy(`cli/commands/${name}.ts`)
  expect(packages.filter((used) => used !== 'commander')).toEqual([])
})

test('a client that only connects loads no server', () => {
  expect(loadedBy('index.ts').packages).toEqual([])
})
