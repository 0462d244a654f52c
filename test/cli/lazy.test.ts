import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const source = new URL('../../src/', import.meta.url)

/** Finds the packages and files that loading a file also loads. Imports of types don't count. */
function findLoaded(file: string): { packages: string[]; files: string[] } {
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

const commands = readdirSync(new URL('cli/commands', source)).map((file) => `cli/commands/${file}`)

test('the command line only loads the command that is called', () => {
  const { packages, files } = findLoaded('cli.ts')
  expect(packages).toEqual(['commander'])
  expect(files.filter((file) => commands.includes(file))).toEqual([])
  expect(files.length).toBeLessThan(20)
})

test.each(['index.ts', ...commands])('%s loads no server before it needs one', (file) => {
  expect(findLoaded(file).packages.filter((used) => used !== 'commander')).toEqual([])
})
