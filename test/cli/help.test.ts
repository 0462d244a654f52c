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
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
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
  [['exec'], "missing required argument 'command'"],
  [['check'], "missing required argument 'file'"],
  [['load'], "missing required argument 'name|file'"],
  [['exec', '--min-coverge', '1', '--', 'true'], '(Did you mean --min-coverage?)'],
])('%j is refused in one line', async (args, message) => {
  expect(await proxysim(args)).toMatchObject(refusal(message))
})
