import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { folder, start } from '../support/start.ts'
import { codeBlocks } from '../docs/codeBlocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const blocks = codeBlocks(readFileSync(`${root}/docs/clients.md`, 'utf8'))
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim())
const programs = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
const run = promisify(execFile)
const operationIds = [
  ...readFileSync(`${root}/admin.openapi.yaml`, 'utf8').matchAll(/^ +operationId: (?<id>\w+)$/gm),
].map(({ groups }) => groups?.['id'] ?? '')

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
    expect(unusual(made.stdout + made.stderr)).toEqual([])
    const text = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map((file) => readFileSync(join(cwd, file), 'utf8'))
      .join('\n')
    expect(operationIds.length).toBeGreaterThan(20)
    expect(operationIds.filter((id) => !text.includes(id))).toEqual([])

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

/** A generator's output except its usual messages and npm's warnings, which depend on the machine. */
function unusual(output: string): string[] {
  const usual = /^(npm |✨ openapi-typescript |🚀 )/
  return stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => line !== '' && !usual.test(line))
}
