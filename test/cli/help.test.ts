import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { proxysim, refusal } from './proxysim.ts'

const commands =
  'serve check exec matrix sweep report scenarios load reset clock faults requests coverage state undo completion'.split(
    ' ',
  )

test('the help names every command, with examples', async () => {
  const { code, stdout, stderr } = await proxysim(['--help'])
  expect([code, stderr]).toEqual([0, ''])
  // Just the name: most commands, and so their flags, are not loaded.
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} {2}`, 'm'))
  expect(stdout).toContain('Examples:')
})

test.each(commands)('the help of %s', async (command) => {
  const { code, stdout, stderr } = await proxysim([command, '--help'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`Usage: proxysim ${command}`)
})

test('`help COMMAND` is the same', async () => {
  expect((await proxysim(['help', 'exec'])).stdout).toContain('--min-coverage')
})

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(await proxysim(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test.each([
  [['matrx'], '(Did you mean matrix?)'],
  [['mtrx', 'x'], '(Did you mean matrix?)'],
  [['help', 'lod'], "unknown command 'lod' (Did you mean load?)"],
  [['help', 'zzzzzz'], "unknown command 'zzzzzz'; proxysim --help lists the commands"],
  [['low-funds'], "unknown command 'low-funds'; that is a scenario: proxysim --scenario low-funds"],
  [['../package'], "unknown command '../package'; proxysim --help lists the commands"],
  [['exec'], "missing required argument 'command'; put the command after --, e.g. proxysim exec -- npm test"],
  [['exec', '--report', 'a.json', 'true'], 'e.g. proxysim exec -- npm test'],
  [['matrix'], 'e.g. proxysim matrix -- npm test'],
  [['sweep', '--json'], 'e.g. proxysim sweep -- npm test'],
  [['state', 'pach'], 'unknown action "pach", did you mean "patch"? Choose one of: show, export, '],
  [['faults', 'remove'], 'unknown action "remove". Choose one of: list, add, clear.'],
  [['completion', 'csh'], 'unknown shell "csh", did you mean "zsh"? Choose one of: bash, zsh, fish.'],
  [['check'], "missing required argument 'file'"],
  [['load'], "missing required argument 'name|file'"],
  [['exec', '--min-coverge', '1', '--', 'true'], '(Did you mean --min-coverage?)'],
  [['record', '--targt', 'http://127.0.0.1:1'], "unknown option '--targt' (Did you mean --target?)"],
])('%j is refused in one line', async (args, message) => {
  expect(await proxysim(args)).toMatchObject(refusal(message))
})
