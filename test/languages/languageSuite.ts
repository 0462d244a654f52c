import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { proxysim } from '../cli/proxysim.ts'
import { folder } from '../support/start.ts'
import { codeBlocks } from '../docs/codeBlocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Language {
  /** The folder in `examples/` and the page in `docs/` */
  name: string
  /** Required programs, with arguments that make them exit with 0 */
  needs: string[][]
  /** Runs the tests of the example, in its folder */
  command: string[]
  /** The same as written on the page. @default `command` */
  shown?: string
  /** Printed if all tests passed */
  passed: RegExp
  /** A linter, run in the folder of the example if it is installed */
  lint?: string[]
  /** Breaks the example: its tests must fail. */
  spoiled: { what: string; file: string; from: string; to: string }[]
  /** Arguments that only run the test of the lost response, to save time */
  lostAlone: string[]
  /** The example on the page: the language of its block, where to save it, and how to run it there */
  snippet: { language: string; file: string; command: string[]; passed: RegExp }
}

interface Report {
  operations: { operation: string; responses: { status: number; case: string | null; hits: number }[] }[]
  findings: { finding: string }[]
}

/** The tests of an example in another language and of its page; skipped, with a message, without its interpreter. */
export function languageSuite({
  name,
  needs,
  command,
  shown,
  passed,
  lint,
  spoiled,
  lostAlone,
  snippet,
}: Language): void {
  const missing = needs.filter(([program = '', ...args]) => spawnSync(program, args).status !== 0)
  if (missing.length > 0)
    console.warn(
      `The examples in ${name} are not run: ${missing.map((words) => words.join(' ')).join(', ')} failed on this machine.`,
    )
  const page = readFileSync(`${root}/docs/${name}.md`, 'utf8')

  describe.skipIf(missing.length > 0)(`the example in ${name}`, () => {
    test('passes, covers what it claims and has no findings', async () => {
      const cwd = copyOfExample()
      const { code, stdout, stderr } = await proxysim(['exec', '--report', 'report.json', '--', ...command], {
        cwd,
      })
      expect(code, stdout + stderr).toBe(0)
      expect(stdout).toMatch(passed)
      const { operations, findings } = readReport(cwd)
      expect(findings).toEqual([])
      const met = operations.flatMap(({ operation, responses }) =>
        responses.filter(({ hits }) => hits > 0).map((hit) => `${operation} ${hit.case ?? hit.status}`),
      )
      expect(met.toSorted()).toEqual([
        'getCredit 200',
        'getService 200',
        'listProducts 200',
        'listServices 200',
        'orderService 200',
        'orderService insufficient-funds',
        'orderService product-not-found',
        'updateService 200',
        'updateService ip-already-bound',
        'updateService update-list-throttled',
      ])
    })

    test('works with other readings of the documentation', { timeout: 120_000 }, async () => {
      const only = ['--only', 'orderedService', 'updateListInterval=86400']
      const { code, stdout } = await proxysim(['matrix', '--json', ...only, '--', ...command], {
        cwd: copyOfExample(),
      })
      expect(code, stdout).toBe(0)
      const { readings } = JSON.parse(stdout) as { readings: { value: unknown; verdict: string }[] }
      expect(readings.map(({ value, verdict }) => [value, verdict])).toEqual([
        [null, 'survives'],
        [86400, 'survives'],
        ['Pending', 'survives'],
      ])
    })

    test.each(spoiled)('fails with $what', async ({ file, from, to }) => {
      const cwd = copyOfExample()
      const source = readFileSync(join(cwd, file), 'utf8')
      expect(source.split(from)).toHaveLength(2)
      writeFileSync(
        join(cwd, file),
        source.replace(from, () => to),
      )
      const { code, stdout } = await proxysim(
        ['exec', '--report', 'report.json', '--', ...command, ...lostAlone],
        { cwd },
      )
      expect(code, stdout).toBe(1)
      expect(readReport(cwd).findings).toMatchObject([{ finding: 'duplicate-order' }])
    })

    test.for(lint ? [{ lint }] : [])(
      'has nothing that its linter finds',
      ({ lint: [program = '', ...args] }, { skip }) => {
        skip(!isThere(program), `${program} is not installed.`)
        const { stdout, stderr } = spawnSync(program, args, { cwd: copyOfExample(), encoding: 'utf8' })
        expect(stdout + stderr).toBe('')
      },
    )

    test('the test on its page passes', async () => {
      const blocks = codeBlocks(page).filter(({ language }) => language === snippet.language)
      expect(blocks).toHaveLength(1)
      const [{ text } = { text: '' }] = blocks
      const cwd = folder()
      writeFileSync(join(cwd, snippet.file), text)
      const { code, stdout, stderr } = await proxysim(
        ['exec', '--report', 'report.json', '--', ...snippet.command],
        { cwd },
      )
      expect(code, stdout + stderr).toBe(0)
      expect(stdout).toMatch(snippet.passed)
      const met = readReport(cwd).operations.flatMap(({ responses }) =>
        responses.filter(({ hits }) => hits > 0),
      )
      expect(met.map((hit) => hit.case ?? hit.status)).toEqual([
        'insufficient-funds',
        200,
        'update-list-throttled',
      ])
    })
  })

  test('its page shows the commands that run here', () => {
    const lines = codeBlocks(page)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.trim().split('\n'))
    const theirs = shown ?? command.join(' ')
    expect(lines.slice(1)).toEqual([
      `npx proxysim exec --min-coverage 9 --report coverage.md -- ${theirs}`,
      `npx proxysim matrix -- ${theirs}`,
      `npx proxysim sweep --only orderService -- ${theirs}`,
    ])
  })

  function copyOfExample(): string {
    const cwd = folder()
    cpSync(`${root}/examples/${name}`, cwd, { recursive: true })
    return cwd
  }
}

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

function readReport(cwd: string): Report {
  return JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report
}
