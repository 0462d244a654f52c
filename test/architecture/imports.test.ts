import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'

interface Import {
  /** Path below src/, `/` between folders. */
  from: string
  /** Path below src/ for a file of ours, the package's name (or `node:…`) otherwise. */
  to: string
  ours: boolean
  typeOnly: boolean
}

interface Law {
  law: string
  breaks: (used: Import) => boolean
}

const under = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`))
const onlyFor = (name: string, allowed: (from: string) => boolean) => (used: Import) =>
  !used.ours && used.to === name && !allowed(used.from)

const laws: Law[] = [
  {
    law: 'world imports nothing outside itself',
    breaks: ({ from, to, ours }) => under(from, 'world') && !(ours && under(to, 'world')),
  },
  {
    law: 'operations import world, each other and the types of contract',
    breaks: ({ from, to, ours, typeOnly }) =>
      under(from, 'operations') &&
      !(ours && (under(to, 'world', 'operations') || (under(to, 'contract') && typeOnly))),
  },
  {
    law: 'only src/contract/validator imports express-openapi-validator',
    breaks: onlyFor('express-openapi-validator', (from) => under(from, 'contract/validator')),
  },
  {
    law: 'only src/storage imports lowdb',
    breaks: onlyFor('lowdb', (from) => under(from, 'storage')),
  },
  {
    law: 'only src/http, src/admin and src/server.ts import express',
    breaks: onlyFor('express', (from) => under(from, 'http', 'admin') || from === 'server.ts'),
  },
  {
    law: 'only the doors (index.ts, cli.ts and the commands in cli/) import the doors or server.ts',
    breaks: ({ from, to, ours }) =>
      ours &&
      (/^(index|cli|server)\.ts$/.test(to) || under(to, 'cli')) &&
      !(/^(index|cli)\.ts$/.test(from) || under(from, 'cli')),
  },
]

/** `import … from`, `export … from`, `import '…'` and `import('…')`, over several lines too. */
const importPattern =
  /^[ \t]*(?:import|export)\s+(?<type>type\s)?(?:[^'"`;=()]*?\sfrom\s+)?['"](?<static>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm

function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(importPattern)].map(({ groups = {} }) => {
    const specifier = groups['static'] ?? groups['dynamic'] ?? ''
    const ours = specifier.startsWith('.')
    const to = ours ? join(dirname(from), specifier) : packageOf(specifier)
    return { from, to, ours, typeOnly: groups['type'] !== undefined }
  })
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

const source = new URL('../../src/', import.meta.url)
const imports = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) => importsOf(path, readFileSync(new URL(path, source), 'utf8')))

test.each(laws)('$law', ({ law, breaks }) => {
  const broken = imports.filter(breaks).map(({ from, to }) => `src/${from} imports ${to}`)
  expect(broken, `Imports run downhill: ${law}.`).toEqual([])
})

test('the reader of imports sees every form', () => {
  const text = `
import express from 'express'
import type { A } from "../contract/A.ts"
import {
  b,
  type C,
} from './b.ts'
import 'lowdb/node'
export * from '@scope/name/part'
const d = await import('./d.ts')
const sentence = "import nothing from 'here'"
export const e = 'f'
`
  expect(importsOf('world/a.ts', text)).toEqual([
    { from: 'world/a.ts', to: 'express', ours: false, typeOnly: false },
    { from: 'world/a.ts', to: 'contract/A.ts', ours: true, typeOnly: true },
    { from: 'world/a.ts', to: 'world/b.ts', ours: true, typeOnly: false },
    { from: 'world/a.ts', to: 'lowdb', ours: false, typeOnly: false },
    { from: 'world/a.ts', to: '@scope/name', ours: false, typeOnly: false },
    { from: 'world/a.ts', to: 'world/d.ts', ours: true, typeOnly: false },
  ])
})
