import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createProgram } from '../../src/cli/program.ts'
import { read } from '../support/project.ts'
import { getBlocks, docs, testsElsewhere } from './pages.ts'

/** Languages of blocks that tests run or check. Blocks in other languages run elsewhere, or say why they don't. */
const languages = ['sh', 'ts', 'js', 'json', 'yaml', 'http', 'text']
const all = ['README.md', ...docs].flatMap((page) => getBlocks(page).map((block) => ({ page, ...block })))

test('the README has at most 170 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(170)
})

test.each(Object.entries(testsElsewhere))('%s: its blocks are run by %s', (page, file) => {
  const name = basename(page, '.md')
  expect(read(file)).toMatch(new RegExp(`docs/${name}\\.md|name: '${name}'`))
})

test('every block is run or says why not', () => {
  const here = all.filter(({ page, notRun }) => !(page in testsElsewhere) && notRun === undefined)
  expect(here.filter(({ language }) => !languages.includes(language))).toEqual([])
})

test.each(all.filter(({ language }) => ['json', 'yaml'].includes(language)))(
  '$page, line $line: is valid $language',
  ({ language, text }) => {
    expect(language === 'json' ? JSON.parse(text) : parse(text)).toBeTypeOf('object')
  },
)

/** The `proxysim` commands in all blocks and in the examples of the command line's page */
const calls = all
  .filter(({ page, language }) => language === 'sh' || page === 'docs/command-line.md')
  .flatMap(({ page, text }) =>
    [...text.matchAll(/^\s*(?:[A-Z_]+=\S+ )*(?:npx )?(?<call>proxysim(?: .*)?)$/gm)].map(
      ({ groups = {} }) => ({ page, call: groups['call'] ?? '' }),
    ),
  )

test('many pages have proxysim commands', () => {
  expect(new Set(calls.map(({ page }) => page)).size).toBeGreaterThan(10)
})

test.each(calls)('$page: `$call` has flags that exist', async ({ call }) => {
  const [command = ''] = call.split(/ >>? | && | \| |(?<! --) {2,}| # /)
  const args = [...command.matchAll(/'[^']*'|"[^"]*"|\S+/g)]
    .slice(1)
    .map(([word]) => (word === 'ID' ? '1' : word.replaceAll(/^['"]|['"]$/g, '')))
  const program = await createProgram(args)
  for (const one of program.commands.flatMap((named) => [named, ...named.commands]))
    one.action(() => {}).exitOverride()
  await expect(program.parseAsync(args, { from: 'user' })).resolves.toBeDefined()
})

test('docs/command-line.md describes every command', async () => {
  const { commands } = await createProgram([])
  const page = read('docs/command-line.md')
  expect(commands.filter((command) => !page.includes(`# ${command.name()}\n`))).toEqual([])
})
