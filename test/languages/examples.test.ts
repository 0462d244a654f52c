/** Tests the examples in other languages, and the tests on their page. Without an interpreter, they are skipped with a message. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proxysim } from '../cli/proxysim.ts'
import { parseCodeBlocks } from '../docs/codeBlocks.ts'
import { read, root, runScript } from '../support/project.ts'
import { createFolder } from '../support/start.ts'

const works = (command: string): boolean => spawnSync('sh', ['-c', command]).status === 0
const usesOfPython = '-c "import pytest, requests"'
// Another Python (pyenv, a container's) may lack the distribution's packages.
const python =
  ['python3', '/usr/bin/python3'].find((program) => works(`${program} ${usesOfPython}`)) ?? 'python3'

interface Language {
  /** The folder in `examples/` */
  name: string
  /** Commands that succeed if all requirements are installed */
  needs: string[]
  /** Runs the tests of the example; with these flags, only those of the lost response */
  tests: string
  lost: string
  /** The program to sweep */
  program: string
  /** How to compile the program once, as `compiled` */
  compile?: string
  /** Turns a file's client into one that orders again without looking; the tests of the example must then fail. */
  spoiled: [file: string, from: string, to: string]
  /** The test on the page: the language of its block, where to save it, and how to run it there */
  snippet: [language: string, file: string, command: string]
  /** Finds and prints nothing if it is installed */
  lint?: string
}

const page = read('docs/languages.md')
const blocks = parseCodeBlocks(page)

const languages: Language[] = [
  {
    name: 'python',
    needs: [`${python} ${usesOfPython}`],
    tests: `${python} -m pytest`,
    lost: '-k lost',
    program: `${python} order.py`,
    spoiled: ['reseller.py', 'ordered = self._ids_of(product) - known', 'ordered = set()'],
    snippet: ['python', 'test_simulator.py', `${python} -m pytest test_simulator.py`],
  },
  {
    name: 'php',
    needs: [`php -r 'exit(function_exists("curl_init") ? 0 : 1);'`, 'phpunit --version'],
    tests: 'phpunit ResellerTest.php',
    lost: '--filter Lost',
    program: 'php order.php',
    spoiled: [
      'Reseller.php',
      '$ordered = array_values(array_diff($this->idsOf($product), $known));',
      '$ordered = [];',
    ],
    snippet: ['php', 'SimulatorTest.php', 'phpunit SimulatorTest.php'],
  },
  {
    name: 'go',
    needs: ['go version'],
    tests: 'go test -count=1 ./...',
    lost: '-run Lost',
    program: 'go run ./order',
    compile: 'go build -o compiled ./order',
    spoiled: ['reseller.go', 'now, err = c.idsOf(product)', 'now = known'],
    snippet: ['go', 'simulator_test.go', 'go test -count=1 simulator_test.go'],
    lint: 'gofmt -l .',
  },
  {
    name: 'shell',
    needs: ['curl --version', 'jq --version', 'bats --version'],
    tests: 'bats reseller.bats',
    lost: '--filter lost',
    program: 'sh order.sh',
    spoiled: ['reseller.sh', 'now=$(ids_of "$2") || return', 'now=$known'],
    snippet: ['bash', 'simulator.sh', 'sh simulator.sh'],
    lint: 'shellcheck -x reseller.sh account.sh reseller.bats order.sh',
  },
]

interface Report {
  operations: { operation: string; responses: { status: number; case: string | null; hits: number }[] }[]
  findings: { finding: string }[]
}

/** Runs a command under `exec`. @returns its exit code, the covered responses, and the findings */
async function exec(command: string, cwd: string) {
  const flags = ['--report', 'report.json', '--', ...command.split(' ')]
  const { code, stdout, stderr } = await proxysim(['exec', ...flags], { cwd })
  const { operations, findings } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report
  const covered = operations.flatMap(({ operation, responses }) =>
    responses.filter(({ hits }) => hits > 0).map((hit) => `${operation} ${hit.case ?? hit.status}`),
  )
  return {
    code,
    output: stdout + stderr,
    covered: covered.toSorted(),
    findings: findings.map((one) => one.finding),
  }
}

describe.each(languages)('$name', (example) => {
  const { name, needs, tests, lost, program, compile, spoiled, snippet, lint } = example
  const missing = needs.filter((command) => !works(command))
  const [linter = ''] = lint?.split(' ') ?? []
  if (missing.length > 0)
    process.stderr.write(`The example in ${name} is not run: ${missing.join(', ')} failed.\n`)
  function copyOfExample(): string {
    const cwd = createFolder()
    cpSync(`${root}/examples/${name}`, cwd, { recursive: true })
    return cwd
  }

  describe.skipIf(missing.length > 0)('the example', () => {
    test('passes, has the claimed coverage and no findings', async () => {
      const { code, output, covered, findings } = await exec(tests, copyOfExample())
      expect(code, output).toBe(0)
      expect(findings).toEqual([])
      expect(covered.join(', ')).toBe(
        'getCredit 200, getService 200, listProducts 200, listServices 200, orderService 200, ' +
          'orderService insufficient-funds, orderService product-not-found, ' +
          'updateService 200, updateService ip-already-bound, updateService update-list-throttled',
      )
    })

    test('its program survives a lost order, and an error with status 200', {
      timeout: 240_000,
    }, async () => {
      const flags = ['--quick', '--only', 'orderService', '--faults', 'lost', 'error-200']
      const cwd = copyOfExample()
      expect(await runScript(compile ?? 'true', cwd)).toMatchObject({ code: 0 })
      const command = compile === undefined ? program.split(' ') : ['./compiled']
      const { code, stdout } = await proxysim(['sweep', ...flags, '--', ...command], { cwd })
      expect(code, stdout).toBe(0)
    })

    test('fails with a client that orders again without looking', async () => {
      const [file, from, to] = spoiled
      const cwd = copyOfExample()
      const source = readFileSync(join(cwd, file), 'utf8')
      expect(source.split(from)).toHaveLength(2)
      writeFileSync(
        join(cwd, file),
        source.replace(from, () => to),
      )
      const { code, output, findings } = await exec(`${tests} ${lost}`, cwd)
      expect(code, output).not.toBe(0)
      expect(findings).toContain('ordered-twice')
    })

    test.runIf(works(`command -v ${linter || 'nothing'}`))('has nothing that its linter finds', async () => {
      expect(await runScript(`${lint}`, copyOfExample())).toMatchObject({ code: 0, output: '' })
    })

    test('the test on its page passes', async () => {
      const [language, saved, command] = snippet
      const text = blocks.find((block) => block.language === language)?.text ?? ''
      const cwd = createFolder()
      writeFileSync(join(cwd, saved), text)
      const { code, output, covered, findings } = await exec(command, cwd)
      expect(code, output).toBe(0)
      expect(findings).toEqual([])
      expect(covered.join(', ')).toBe(
        'orderService insufficient-funds, updateService 200, updateService update-list-throttled',
      )
    })
  })

  test('the page shows the commands that run here', () => {
    const row = page.split('\n').find((line) => line.includes(`](../examples/${name})`))
    const shown = [snippet[2], tests, program].map((command) => command.replace(python, 'python3'))
    expect(row?.split('|').slice(2, 5)).toEqual(shown.map((command) => ` \`${command}\` `))
  })
})
