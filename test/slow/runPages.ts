import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root, runScript, createProject } from '../support/project.ts'
import { startForAll } from '../support/start.ts'
import type { CodeBlock } from '../docs/codeBlocks.ts'
import { getBlocks, listRunnableBlocks } from '../docs/pages.ts'

/** Files that a page's reader has copied before running its commands */
const copied: Record<string, string> = { 'docs/sweep.md': 'examples/sweep' }

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) process.stderr.write('curl is not installed, so the commands of the docs are not run.\n')

const listCommands = (page: string) =>
  listRunnableBlocks(page, 'sh').map((block) => ({ ...block, first: block.text.split('\n')[0] }))

/** Tests that the commands of pages, run in order against a new simulator, print the shown output. */
export function runPages(pages: readonly string[]): void {
  const commands = new Map(pages.map((page) => [page, listCommands(page)]))
  describe.skipIf(!hasCurl).each(pages.filter((page) => commands.get(page)?.length))('%s', (page) => {
    const sim = startForAll()
    let project = ''
    beforeAll(() => {
      project = createPageProject(page)
    })
    afterAll(() => rmSync(project, { recursive: true, force: true }))

    test.each(commands.get(page) ?? [])(
      'line $line: $first',
      { timeout: 240_000 },
      async ({ text, expectedOutput, exitCode }) => {
        const { url } = sim()
        const script = text.replaceAll('http://127.0.0.1:4010', url).replaceAll('curl ', 'curl -sS ')
        // Our command needs the URL because of the random port. A reader's own tests start a simulator.
        const env: Record<string, string> = text.includes('proxysim') ? { PROXYSIM_URL: url } : {}
        const { code, stdout, output } = await runScript(script, project, env)
        expect(code, output).toBe(exitCode)
        expect(normalize(expectedOutput?.language, stdout)).toMatch(createPattern(expectedOutput))
      },
    )

    test.runIf(page === 'README.md')('the commands cause no finding', async () => {
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

/** Creates a project with the files that a page says to save, and a test if the page doesn't show one. */
function createPageProject(page: string): string {
  const project = createProject(['vitest', 'tsx', '@types'], mkdtempSync(join(tmpdir(), 'proxysim-user-')))
  if (copied[page] !== undefined) cpSync(join(root, copied[page]), project, { recursive: true })
  const files = getBlocks(page).filter(({ file }) => file !== undefined)
  for (const { file = '', text } of files) writeFileSync(join(project, file), text)
  if (!files.some(({ file }) => file?.includes('.test.')))
    writeFileSync(join(project, 'any.test.ts'), anyTest)
  return project
}

/** Normalizes dates, line ends, and white space in JSON. */
function normalize(language: string | undefined, text: string): string {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'YYYY-MM-DD')
    .replaceAll(/ +$/gm, '')
    .trim()
  return language === 'json' ? JSON.stringify(JSON.parse(lines), null, 2) : lines
}

/** Creates a pattern for the output. A line `…` matches any lines. Without a shown output, it matches all but errors. */
function createPattern(shown: CodeBlock | undefined): RegExp {
  if (!shown) return /^(?![\s\S]*\{"error")/
  const literal = normalize(shown.language, shown.text).replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('…\n', '(.*\\n)*').replace(/\n…$/, '(\\n.*)*')}$`)
}
