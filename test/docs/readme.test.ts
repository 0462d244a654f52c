import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { folder, start, startForAll } from '../support/start.ts'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

interface Block {
  language: string
  text: string
  line: number
  /** What the README shows as its answer: the block that follows, where it is no code */
  shown?: Block
}

/** Commands that are not run here: `.ci/run` does what the first three say, the others take a container engine. */
const notHere = [
  'npm ci',
  'npm start',
  'npm install --save-dev ./proxy-reselling-simulator-0.1.0.tgz',
  'docker build -t proxysim .',
  'docker run --rm -p 127.0.0.1:4010:4010 -e PROXYSIM_ADMIN_TOKEN=choose-one -v proxysim:/data proxysim',
]

const blocks = readBlocks(readme)
const commands = blocks.filter(({ language }) => language === 'sh')
const runnable = commands.filter(({ text }) => !linesOf(text).every((line) => notHere.includes(line)))

function readBlocks(markdown: string): Block[] {
  const found: (Block & { end: number })[] = [
    ...markdown.matchAll(/^```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm),
  ].map(({ index, 0: whole, groups = {} }) => ({
    language: groups['language'] ?? '',
    text: groups['text'] ?? '',
    line: markdown.slice(0, index).split('\n').length,
    end: index + whole.length,
  }))
  return found.map((block, i) => {
    const next = found[i + 1]
    const follows = next && ['json', 'http', 'text'].includes(next.language)
    const between = next ? markdown.slice(block.end, markdown.indexOf('```', block.end)) : ''
    return { ...block, ...(follows && between.trim() === '' && { shown: next }) }
  })
}

function linesOf(text: string): string[] {
  return text.trim().split('\n')
}

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl)
  process.stderr.write('There is no curl on this machine: the commands of README.md are not run.\n')

test('only those commands are not run that are named here', () => {
  const lines = commands.flatMap(({ text }) => linesOf(text))
  const theirs = runnable.flatMap(({ text }) => linesOf(text))
  expect(lines.filter((line) => !theirs.includes(line))).toEqual(notHere)
})

describe.skipIf(!hasCurl)('the commands, in their order, against one simulator that was just started', () => {
  const sim = startForAll()
  let project = ''
  beforeAll(() => {
    project = userProject()
  })
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  test.each(runnable.map((block) => ({ ...block, first: linesOf(block.text)[0] })))(
    'line $line: $first',
    { timeout: 120_000 },
    async ({ text, shown }) => {
      const { url } = sim()
      const output = await run(text.replaceAll('http://127.0.0.1:4010', url), project, { PROXYSIM_URL: url })
      expect(asShown(output, shown)).toBe(shown ? normal(shown) : '')
    },
  )
})

/** A project as a user has it, with proxysim installed and tests that ask every operation that reads. */
function userProject(): string {
  const made = mkdtempSync(join(tmpdir(), 'proxysim-readme-'))
  const bin = join(made, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(fileURLToPath(new URL('dist/cli.js', root)), join(bin, 'proxysim'))
  writeFileSync(
    join(made, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module', scripts: { test: 'node client.js' } }),
  )
  writeFileSync(join(made, 'client.js'), client)
  return made
}

const client = `
const { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: password } = process.env
const right = 'Basic ' + btoa(login + ':' + password)
const paths = ['clients', 'stats/5101', 'rate/5101', 'product/101', 'products', 'products/orderby/price',
  'networkstatus/errors/5001', 'networkstatus/inactive/5001', 'billing/credit', 'billing/invoices',
  'billing/invoice/9001', 'service/5001', 'services', 'iplist/http-ip/csv/5001', 'sticky/list/5101']
for (const path of paths)
  for (const [authorization, expected] of [[right, 200], ['Bearer x', 400], ['Basic eA==', 400]]) {
    const { status } = await fetch(url + '/api/' + path, { headers: { authorization } })
    if (status !== expected) throw new Error(path + ' answered ' + status + ', not ' + expected)
  }
`

/** Runs the commands as a shell does that stops at the first failure; gives what they print. */
function run(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const all = { ...process.env, npm_config_yes: 'false', NO_COLOR: '1', NO_PROXY: '*', ...env }
    execFile('sh', ['-ec', script.replaceAll('curl ', 'curl -sS ')], { cwd, env: all }, (error, out, err) => {
      if (error) reject(new Error(`${script}\n${out}\n${err}`, { cause: error }))
      else resolve(out)
    })
  })
}

/** Without what is another each time: dates, and spaces in JSON. */
function normal({ language, text }: Pick<Block, 'language' | 'text'>): string {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'YYYY-MM-DD')
    .trim()
  return language === 'json' ? JSON.stringify(JSON.parse(lines), null, 2) : lines
}

/** What was printed, as the README shows it: a line `…` stands for any lines. Where nothing is shown, only errors are. */
function asShown(output: string, shown: Block | undefined): string {
  if (!shown) return output.includes('{"error"') ? output : ''
  const printed = normal({ language: shown.language, text: output })
  const literal = normal(shown).replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  const pattern = new RegExp(`^${literal.replaceAll('…\n', '(.*\\n)*')}$`)
  return pattern.test(printed) ? normal(shown) : printed
}

test.each(['exampleSuite.test.ts', 'exampleHandle.ts'])('the example %s is that of the README', (file) => {
  const examples = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
  expect(examples).toContain(readFileSync(new URL(file, import.meta.url), 'utf8'))
})

test('every example is a file that is checked', () => {
  expect(blocks.filter(({ language }) => language === 'ts')).toHaveLength(2)
})

test('the example of the handle runs', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await import('./exampleHandle.ts')
  expect(log).toHaveBeenCalledWith('0 orders, 0 % of the contract')
  log.mockRestore()
})

test('the example of a scenario can be loaded', async () => {
  const example = blocks.find(({ language }) => language === 'yaml')
  const file = join(folder(), 'mine.yaml')
  writeFileSync(file, example?.text ?? '')
  const sim = await start({ scenario: file })
  expect((await sim.call('GET', '/api/billing/credit')).json).toEqual({ credit: 0.2 })
})

test('every link leads somewhere', () => {
  const links = [...readme.matchAll(/\]\((?<to>[^)]+)\)|(?:src|srcset)="(?<image>[^"]+)"/g)]
    .map(({ groups = {} }) => groups['to'] ?? groups['image'] ?? '')
    .filter((link) => !link.startsWith('http'))
  const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(
    ([, title = '']) => `#${title.toLowerCase().replaceAll(' ', '-')}`,
  )
  const broken = links.filter((link) =>
    link.startsWith('#') ? !headings.includes(link) : !existsSync(new URL(link, root)),
  )
  expect(broken).toEqual([])
})

test('every command is named', async () => {
  const program = await createProgram([])
  const section = readme.slice(readme.indexOf('## Command line'))
  for (const command of program.commands)
    expect(section).toMatch(new RegExp(`\`(proxysim )?${command.name()}\\b`))
})
