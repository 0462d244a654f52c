import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createProgram } from '../../src/cli/program.ts'
import { folder, startForAll } from '../support/start.ts'
import { codeBlocks, type CodeBlock } from './codeBlocks.ts'
import { runCommands, userProject } from './userProject.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Pages whose blocks are run by a test of their own */
const elsewhere: Record<string, string> = {
  'docs/agents.md': 'test/languages/pages.test.ts',
  'docs/clients.md': 'test/languages/generatedClients.test.ts',
  'docs/go.md': 'test/languages/examples.test.ts',
  'docs/php.md': 'test/languages/examples.test.ts',
  'docs/python.md': 'test/languages/examples.test.ts',
  'docs/shell.md': 'test/languages/examples.test.ts',
}

/** What the reader of a page has copied before running its commands */
const copied: Record<string, string> = { 'docs/sweep.md': 'examples/sweep' }

/** A block of another language is run elsewhere, or says why it is not. */
const languages = ['sh', 'ts', 'js', 'json', 'yaml', 'http', 'text']

/** The tests of pages: that their commands do what they show. */
export function testPages(pages: readonly string[]): void {
  const blocksOf = new Map(pages.map((page) => [page, codeBlocks(readFileSync(join(root, page), 'utf8'))]))
  const here = pages.filter((page) => !(page in elsewhere))

  const hasCurl = spawnSync('curl', ['--version']).status === 0
  if (!hasCurl)
    process.stderr.write('There is no curl on this machine: the commands of the docs are not run.\n')

  test('the README is a front page', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(150)
  })

  test.each(Object.entries(elsewhere))('the blocks of %s are run by %s', (page, file) => {
    const name = basename(page, '.md')
    expect(readFileSync(join(root, file), 'utf8')).toMatch(new RegExp(`docs/${name}\\.md|name: '${name}'`))
  })

  test.each(here)('%s has no block that nothing runs', (page) => {
    const unknown = (blocksOf.get(page) ?? []).filter(
      ({ language, notRun }) => notRun === undefined && !languages.includes(language),
    )
    expect(unknown).toEqual([])
  })

  describe.skipIf(!hasCurl)(
    'the commands of a page run in their order, against a simulator just started',
    () => {
      describe.each(
        here
          .map((page) => ({ page, commands: commandsOf(page) }))
          .filter(({ commands }) => commands.length > 0),
      )('$page', ({ page, commands }) => {
        const sim = startForAll()
        let project = ''
        beforeAll(() => {
          project = projectOf(page)
        })
        afterAll(() => rmSync(project, { recursive: true, force: true }))

        test.each(commands.map((block) => ({ ...block, first: block.text.split('\n')[0] })))(
          'line $line: $first',
          { timeout: 240_000 },
          async ({ text, shown, exitCode }) => {
            const { url } = sim()
            const script = text.replaceAll('http://127.0.0.1:4010', url)
            const { code, output, errors } = await runCommands(
              script,
              project,
              // A reader's tests are told of no simulator; our command has to be, as the port is another.
              text.includes('proxysim') ? { PROXYSIM_URL: url } : {},
            )
            expect(code, output + errors).toBe(exitCode)
            expect(normal(shown?.language, output)).toMatch(patternOf(shown))
          },
        )

        test.runIf(page === 'README.md')('the commands themselves cause no finding', async () => {
          expect(await (await fetch(`${sim().url}/__admin/findings`)).json()).toEqual([])
        })
      })
    },
  )

  function commandsOf(page: string): CodeBlock[] {
    return (blocksOf.get(page) ?? []).filter(
      ({ language, notRun }) => language === 'sh' && notRun === undefined,
    )
  }

  /** What a page says to save is saved. */
  function projectOf(page: string): string {
    const made = userProject(['vitest', 'tsx', '@types'])
    if (copied[page] !== undefined) cpSync(join(root, copied[page]), made, { recursive: true })
    const blocks = blocksOf.get(page) ?? []
    for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(made, file), text)
    // Where a page runs tests without showing any, the reader has some.
    if (!blocks.some(({ file }) => file?.includes('.test.')))
      writeFileSync(join(made, 'any.test.ts'), anyTest)
    return made
  }

  const anyTest = `import { openSimulator } from 'proxysim'
import { expect, test } from 'vitest'

test('reads', async () => {
  await using sim = await openSimulator()
  const headers = { authorization: sim.authorization('reseller'), accept: 'application/json', 'content-type': 'application/json' }
  for (const path of ['products', 'product/101']) expect((await fetch(\`\${sim.url}/api/\${path}\`, { headers })).status).toBe(200)
})
`

  /** Without what is another each time: dates, and spaces in JSON. */
  function normal(language: string | undefined, text: string): string {
    const lines = text
      .replaceAll('\r\n', '\n')
      .replaceAll(/\d{4}-\d\d-\d\d/g, 'YYYY-MM-DD')
      .replaceAll(/ +$/gm, '')
      .trim()
    return language === 'json' ? JSON.stringify(JSON.parse(lines), null, 2) : lines
  }

  /** What is printed, as a page shows it: a line `…` stands for any lines. Where nothing is shown, only errors are. */
  function patternOf(shown: CodeBlock | undefined): RegExp {
    if (!shown) return /^(?![\s\S]*\{"error")/
    const literal = normal(shown.language, shown.text).replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    return new RegExp(`^${literal.replaceAll('…\n', '(.*\\n)*').replace(/\n…$/, '(\\n.*)*')}$`)
  }

  const isFrontPage = pages.length === 1

  test.skipIf(isFrontPage)(
    'every program in TypeScript compiles in strict mode',
    { timeout: 60_000 },
    async () => {
      const cwd = folder()
      symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
      const files = here.flatMap((page) =>
        (blocksOf.get(page) ?? [])
          .filter(({ language, notRun }) => language === 'ts' && notRun === undefined)
          .map(({ text, line }) => ({ file: `${basename(page, '.md')}-${line}.ts`, text })),
      )
      expect(files.length).toBeGreaterThan(1)
      for (const { file, text } of files) writeFileSync(join(cwd, file), text)
      writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
      const paths = { proxysim: [join(root, 'dist/index.d.ts')] }
      const compilerOptions = {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        target: 'es2023',
        module: 'nodenext',
        lib: ['es2023', 'esnext.disposable'],
        types: ['node'],
        paths,
      }
      writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
      const { code, output } = await runCommands(
        `"${process.execPath}" node_modules/typescript/bin/tsc -p .`,
        cwd,
      )
      expect(code, output).toBe(0)
    },
  )

  const data = pages.flatMap((page) =>
    (blocksOf.get(page) ?? [])
      .filter(({ language }) => language === 'json' || language === 'yaml')
      .map(({ language, text, line }) => ({ page, language, text, line })),
  )

  test.each(data)('$page, line $line: is valid $language', ({ language, text }) => {
    expect(language === 'json' ? JSON.parse(text) : parse(text)).toBeTypeOf('object')
  })

  /** Commands of ours in blocks that run, in those that don't, and in the examples of the help */
  const calls = pages.flatMap((page) =>
    (blocksOf.get(page) ?? [])
      .filter(({ language }) => language === 'sh' || page === 'docs/command-line.md')
      .flatMap(({ text }) => text.split('\n'))
      .flatMap(
        (line) =>
          /^\s*(?:[A-Z_]+=\S+ )*(?:npx )?(?<call>proxysim(?: .*)?)$/.exec(line)?.groups?.['call'] ?? [],
      )
      .map((call) => ({ page, call })),
  )

  test.skipIf(isFrontPage)('there are commands to be looked at', () => {
    expect(new Set(calls.map(({ page }) => page)).size).toBeGreaterThan(10)
  })

  test.each(calls)('$page: `$call` has flags that exist', async ({ call }) => {
    const [command = ''] = call.split(/ >>? | && | \| |(?<! --) {2,}| # /)
    const args = [...command.matchAll(/'[^']*'|"[^"]*"|\S+/g)]
      .slice(1)
      .map(([word]) => word.replaceAll(/^['"]|['"]$/g, ''))
    const program = await createProgram(args)
    for (const one of program.commands.flatMap((named) => [named, ...named.commands]))
      one.action(() => {}).exitOverride()
    await expect(program.parseAsync(args, { from: 'user' })).resolves.toBeDefined()
  })

  test('every command is on the page of the command line', async () => {
    const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8')
    const { commands } = await createProgram([])
    expect(commands.filter((command) => !page.includes(`# ${command.name()}\n`))).toEqual([])
  })
}
