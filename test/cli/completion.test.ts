import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { proxysim, refusal } from './proxysim.ts'

const run = promisify(execFile)
const isThere = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined

/** Takes the script from its first argument, and completes the words of its second. */
const complete = `
source /dev/stdin <<< "$1"
read -ra COMP_WORDS <<< "$2"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_proxysim
echo "\${COMPREPLY[*]}"
complete -p proxysim`

test.skipIf(!isThere('bash'))('bash completes commands, flags, actions and their values', async () => {
  const { stdout: script } = await proxysim(['completion', 'bash'])
  const completed = async (line: string): Promise<string> => {
    const { stdout } = await run('bash', ['-c', complete, 'bash', script, line])
    expect(stdout).toContain('complete -o default -F _proxysim proxysim')
    return stdout.split('\n')[0] ?? ''
  }
  expect(await completed('proxysim sw')).toBe('sweep')
  expect(await completed('proxysim --in-m')).toBe('--in-memory')
  expect(await completed('proxysim serve --log-level w')).toBe('warn')
  expect(await completed('proxysim faults c')).toBe('clear')
  expect(await completed('proxysim faults add --drop ')).toBe('reset empty truncate')
  expect(await completed('proxysim requests --fo')).toBe('--follow')
  expect(await completed('proxysim serve --db '), 'the shell completes files').toBe('')
})

test.each(['bash', 'zsh', 'fish'])(
  'the script for %s names every command, and the shell can read it',
  async (shell) => {
    const { code, stdout } = await proxysim(['completion', shell])
    expect(code).toBe(0)
    const { stdout: help } = await proxysim(['--help'])
    const commands = [...help.matchAll(/^ {2}(\w+) /gm)]
      .map(([, name = '']) => name)
      .filter((one) => one !== 'proxysim' && one !== 'help')
    expect(commands.length).toBeGreaterThan(15)
    for (const command of commands) expect(stdout).toMatch(new RegExp(`\\b${command}\\b`))
    const problem = isThere(shell) ? spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' }).stderr : ''
    expect(problem).toBe('')
  },
)

test('another shell is refused in one line', async () => {
  expect(await proxysim(['completion', 'tcsh'])).toMatchObject(refusal('Choose one of: bash, zsh, fish.'))
})
