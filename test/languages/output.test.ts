import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { excerpt } from '../../src/lab/runs/Output.ts'
import { runCommand, Signals } from '../../src/lab/runs/runCommand.ts'
import { createProject } from '../support/project.ts'

const passing = (line: (i: number) => string): string =>
  Array.from({ length: 40 }, (_, i) => line(i)).join('\n')

/** Test suites whose second test fails, among many that pass */
const suites: [name: string, command: string, file: string, source: string, test: string, message: string][] =
  [
    [
      'vitest',
      'vitest run',
      'a.test.js',
      `import { expect, test } from 'vitest'
test('credit', () => { console.log('x\\n'.repeat(50)); expect(250).toBe(230) })
${passing((i) => `test('other ${i}', () => { expect({ a: ${i} }).toEqual({ a: 1 }) })`)}`,
      'credit',
      'expected 250 to be 230',
    ],
    ...['tap', 'spec'].map((reporter): (typeof suites)[number] => [
      `node:test (${reporter})`,
      `node --test --test-reporter=${reporter} b.mjs`,
      'b.mjs',
      `import { test } from 'node:test'
import { equal } from 'node:assert/strict'
test('credit', () => equal(250, 230))
${passing((i) => `test('other ${i}', () => {})`)}`,
      'credit',
      '250 !== 230',
    ]),
    [
      'pytest',
      'python3 -m pytest -v -p no:cacheprovider test_c.py',
      'test_c.py',
      `def test_credit():\n    assert 250 == 230\n${passing((i) => `def test_other${i}():\n    pass`)}`,
      'test_credit',
      'assert 250 == 230',
    ],
    [
      'PHPUnit',
      'phpunit --testdox --do-not-cache-result --colors=always DTest.php',
      'DTest.php',
      `<?php final class DTest extends PHPUnit\\Framework\\TestCase {
  function testCredit(): void { self::assertSame(230, 250); }
  ${passing((i) => `function testOther${i}(): void { self::assertTrue(true); }`)} }`,
      'Credit',
      'Failed asserting that 250 is identical to 230.',
    ],
    [
      'go test',
      'go test -v e_test.go',
      'e_test.go',
      `package x\nimport "testing"\nfunc TestCredit(t *testing.T) { t.Errorf("credit = %d, want %d", 250, 230) }
${passing((i) => `func TestOther${i}(t *testing.T) {}`)}`,
      'TestCredit',
      'credit = 250, want 230',
    ],
  ]

test.for(suites)(
  'shows why a suite of %s fails, without colours',
  { timeout: 240_000 },
  async (suite, { skip }) => {
    const [, command, file, source, name, message] = suite
    const [program = '', ...args] = command.split(' ')
    if (program !== 'vitest' && spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
      skip(`${program} is not installed.`)
    const cwd = createProject(['vitest'])
    writeFileSync(join(cwd, file), source)
    const script = `cd '${cwd}' && PATH="$PWD/node_modules/.bin:$PATH" ${[program, ...args].join(' ')}`
    const { exitCode, printed } = await Signals.run((signals) =>
      runCommand(['sh', '-c', script], { signals, stdout: 'captured', env: { FORCE_COLOR: '1' } }),
    )
    const lines = excerpt(printed)
    expect(exitCode, printed).not.toBe(0)
    expect(lines.length).toBeLessThanOrEqual(15)
    expect(lines.join('\n')).toContain(name)
    expect(lines.join('\n')).toContain(message)
    expect(printed).not.toContain('\u001b')
  },
)

test('keeps the last megabyte of a command that prints 600 MB', { timeout: 240_000 }, async () => {
  const print = `yes 'a line' | head -c 600000000; echo; echo 'the end'`
  const { exitCode, printed } = await Signals.run((signals) =>
    runCommand(['sh', '-c', print], { signals, stdout: 'captured', env: {} }),
  )
  expect([exitCode, printed.length]).toEqual([0, 1024 * 1024])
  expect(excerpt(printed).at(-1)).toBe('the end')
})
