import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { folder, start } from '../support/start.ts'
import { codeBlocks } from './codeBlocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const blocks = codeBlocks(readFileSync(`${root}/docs/clients.md`, 'utf8'))
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim())
const programs = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
const run = promisify(execFile)

test.each(
  commands.map((command, i) => ({ command, generator: command.split(' ')[1], program: programs[i] ?? '' })),
)(
  '$generator makes a client that compiles and works, without a warning',
  { timeout: 120_000 },
  async ({ command, program }) => {
    const sim = await start()
    const cwd = folder()
    symlinkSync(`${root}/node_modules`, join(cwd, 'node_modules'))
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(cwd, 'main.ts'), program)
    const options = {
      cwd,
      env: { ...process.env, npm_config_yes: 'false', NO_COLOR: '1', NO_PROXY: '*', PROXYSIM_URL: sim.url },
    }

    const made = await run('sh', ['-c', command.replace('http://127.0.0.1:4010', sim.url)], options)
    expect(withoutNpm(made.stdout + made.stderr)).not.toMatch(/warn|deprecat|error|⚠|unsupported/i)

    const strict = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext', '--types', 'node']
    const tsc = [
      `${root}/node_modules/typescript/bin/tsc`,
      ...strict,
      '--allowImportingTsExtensions',
      'main.ts',
    ]
    await run(process.execPath, tsc, options)

    const { stdout } = await run(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), 'main.ts'],
      options,
    )
    const [login = ''] = /^acct_\w+(?=: 0 requests$)/m.exec(stdout) ?? []
    const { json: faults } = await sim.call<unknown[]>('GET', `/__admin/faults?account=${login}`)
    expect(faults).toMatchObject([{ operation: 'getCredit', drop: 'reset', times: 1 }])
  },
)

test('there is a program for each generator, and two generators', () => {
  expect(commands.map((command) => command.split(' ')[1])).toEqual(['openapi-typescript', 'openapi-ts'])
  expect(programs).toHaveLength(commands.length)
})

/** npm's own warnings are about the machine that it runs on. */
function withoutNpm(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('npm '))
    .join('\n')
}
