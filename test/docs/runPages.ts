import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root, runScript, userProject } from '../support/project.ts'
import { startForAll } from '../support/start.ts'
import type { CodeBlock } from './codeBlocks.ts'
import { blocksOf, toBeRun } from './pages.ts'

/** Files that the reader of a page has copied before running its commands */
const copied: Record<string, string> = { 'docs/sweep.md': 'examples/sweep' }

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl)
  process.stderr.write('There is no curl on this machine: the commands of the docs are not run.\n')

const commandsOf = (page: string) =>
  toBeRun(page, 'sh').map((block) => ({ ...block, first: block.text.split('\n')[0] }))

/** The tests of pages: their commands run in order, against a simulator just started, and print what is shown. */
export function runPages(pages: readonly string[]): void {
  const commands = new Map(pages.map((page) => [page, commandsOf(page)]))
  describe.skipIf(!hasCurl).each(pages.filter((page) => commands.get(page)?.length))('%s', (page) => {
    const sim = startForAll()
    let project = ''
    beforeAll(() => {
      project = projectOf(page)
    })
    afterAll(() => rmSync(project, { recursive: true, force: true }))

    test.each(commands.get(page) ?? [])(
      'line $line: $first',
      { timeout: 240_000 },
      async ({ text, shown, exitCode }) => {
        const { url } = sim()
        const script = text.replaceAll('http://127.0.0.1:4010', url).replaceAll('curl ', 'curl -sS ')
        // A reader's tests are told of no simulator; our command has to be, as the port is another.
        const env: Record<string, string> = text.includes('proxysim') ? { PROXYSIM_URL: url } : {}
        const { code, stdout, output } = await runScript(script, project, env)
        expect(code, output).toBe(exitCode)
        expect(normal(shown?.language, stdout)).toMatch(patternOf(shown))
      },
    )

    test.runIf(page === 'README.md')('the commands themselves cause no finding', async () => {
      expect(await (await fetch(`${sim().url}/__admin/findings`)).json()).toEqual([])
    })
  })
}

const anyTest = `import { openSimulator } from 'proxysim'
import { expect, test } from 'vitest'

test('reads', async () => {
  await using sim = await openSimulator()
  const headers = { authorization: sim.authorization('reseller'), accept: 'application/json', 'content-type': 'application/json' }
  for (const path of ['products', 'product/101']) expect((await fetch(\`\${sim.url}/api/\${path}\`, { headers })).status).toBe(200)
})
`

/** Saves the files that a page says to save. If the page runs tests without showing any, the reader has some. */
function projectOf(page: string): string {
  const made = userProject(['vitest', 'tsx', '@types'], mkdtempSync(join(tmpdir(), 'proxysim-user-')))
  if (copied[page] !== undefined) cpSync(join(root, copied[page]), made, { recursive: true })
  const files = blocksOf(page).filter(({ file }) => file !== undefined)
  for (const { file = '', text } of files) writeFileSync(join(made, file), text)
  if (!files.some(({ file }) => file?.includes('.test.'))) writeFileSync(join(made, 'any.test.ts'), anyTest)
  return made
}

/** Without what is another each time: dates, and spaces in JSON. */
function normal(language: string | undefined, text: string): string {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'YYYY-MM-DD')
    .replaceAll(/ +$/gm, '')
    .trim()
  return language === 'json' ? JSON.stringify(JSON.parse(lines), null, 2) : lines
}

/** Compares the output with the page: a line `…` stands for any lines. If the page shows no output, only errors are compared. */
function patternOf(shown: CodeBlock | undefined): RegExp {
  if (!shown) return /^(?![\s\S]*\{"error")/
  const literal = normal(shown.language, shown.text).replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('…\n', '(.*\\n)*').replace(/\n…$/, '(\\n.*)*')}$`)
}
