import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { read, root, runScript } from '../support/project.ts'
import { createFolder } from '../support/start.ts'
import { projectWithTests, runner } from './projectWithTests.ts'

vi.setConfig({ testTimeout: 120_000 })

interface Action {
  inputs: Record<string, { default: string }>
  outputs: Record<string, { value: string }>
  runs: { steps: { id?: string; if?: string; env?: Record<string, string>; run: string }[] }
}

const action = parse(read('action.yml')) as Action

/** Runs the steps as a runner does, with expressions, `always()`, and files for outputs, environment and summary. */
async function runAction(
  inputs: Record<string, string>,
  workspace = createFolder(),
  { actionPath = root, env = {} }: { actionPath?: string; env?: Record<string, string> } = {},
) {
  const temp = createFolder()
  const result = { code: 0 as number | null, output: '', url: '', environment: '', summary: '' }
  const known = new Map(
    Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, inputs[name] ?? input.default]),
  )
  const evaluate = (text: string): string =>
    text.replaceAll(/\$\{\{ *([\w.-]+) *\}\}/g, (_, path: string) => known.get(path) ?? '')
  for (const [i, step] of action.runs.steps.entries()) {
    if (result.code !== 0 && step.if !== 'always()') continue
    const file = (name: string): string => join(temp, `${name}-${i}`)
    const files = ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_STEP_SUMMARY']
    for (const name of files) writeFileSync(file(name), '')
    const given = {
      CI: '1',
      GITHUB_ACTION_PATH: actionPath,
      RUNNER_TEMP: temp,
      ...env,
      ...Object.fromEntries(files.map((name) => [name, file(name)])),
      ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)])),
    }
    const { code, output } = await runScript(evaluate(step.run), workspace, given, runner)
    result.output += output
    if (result.code === 0) result.code = code
    for (const line of readFileSync(file('GITHUB_OUTPUT'), 'utf8').split('\n')) {
      const [name = '', ...value] = line.split('=')
      known.set(`steps.${step.id}.outputs.${name}`, value.join('='))
    }
    result.environment += readFileSync(file('GITHUB_ENV'), 'utf8')
    result.summary += readFileSync(file('GITHUB_STEP_SUMMARY'), 'utf8')
  }
  return { ...result, url: evaluate(action.outputs['url']?.value ?? '') }
}

test('runs the command, and adds the report to the summary page', async () => {
  const command = `printf '%s\\n' "a 'quoted' \\"word\\"" && curl -s -u "$PROXYSIM_LOGIN:$PROXYSIM_PASSWORD" $PROXYSIM_URL/api/billing/credit`
  const { code, output, url, summary } = await runAction({
    command,
    scenario: 'low-funds',
    args: '--assume geo=object --no-explain',
  })
  expect(code, output).toBe(0)
  expect(output).toContain(`a 'quoted' "word"\n{"credit":0.5}`)
  expect(summary).toMatch(/^# Contract coverage\n[^]*header-missing/)
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test('sweeps a command, and annotates what it finds', async () => {
  const command = `curl -s -X POST -d '{"clientid": 11}' -u "$PROXYSIM_LOGIN:$PROXYSIM_PASSWORD" -H 'Content-Type: application/json' $PROXYSIM_URL/api/product/101`
  const { code, output, summary } = await runAction({
    run: 'sweep',
    command,
    args: '--quick --faults insufficient-funds',
  })
  expect(code, output).toBe(1)
  expect(summary).toContain('wrong-result')
  expect(output).toMatch(
    /^::error title=orderService insufficient-funds::wrong-result: missing: .* · Check the status/m,
  )
})

test("a failing command's exit code is passed on; the project's own proxysim is used", async () => {
  const workspace = projectWithTests()
  expect((await runScript('npm ci', workspace)).code).toBe(0)
  const { code, output, summary } = await runAction({ command: 'npm test' }, workspace, {
    env: { FAIL: 'yes' },
  })
  expect(code).toBe(7)
  expect(output).toContain('credit 250')
  expect(summary).toContain('# Contract coverage')
})

test('without a command, starts a simulator that keeps running', async () => {
  const { code, output, url, environment } = await runAction({
    scenario: 'low-funds',
    args: '--host localhost',
  })
  expect(code, output).toBe(0)
  expect(url).toMatch(/^http:\/\/localhost:\d+$/)
  expect(environment).toBe(`PROXYSIM_URL=${url}\n`)
  expect(await (await fetch(`${url}/__admin/health`)).json()).toMatchObject({ scenario: 'low-funds' })
})

test.each([
  [{ command: 'curl -s $PROXYSIM_URL/api/clients', 'min-coverage': '60' }, 3, 'is below 60 %'],
  [{ args: '--host nowhere.invalid' }, 2, 'nowhere.invalid'],
  [{ scenario: 'nope', command: 'true' }, 2, '"nope"'],
  [{ 'min-coverage': '60' }, 2, 'min-coverage needs a command'],
  [{ run: 'sweep' }, 2, 'sweep needs a command'],
  [{ run: 'swep', command: 'true' }, 2, 'run must be exec, sweep or matrix, not swep'],
])('%j exits with %i and the reason', async (inputs, exitCode, message) => {
  const { code, output } = await runAction(inputs)
  expect(code).toBe(exitCode)
  expect(output).toContain(message)
})

test('installs and builds itself in a fresh clone, once', async () => {
  const actionPath = createFolder()
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const file of execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(actionPath, file))
  // An npm that links the packages installed here instead of downloading them, and otherwise runs the real one
  const programs = createFolder()
  const npm = `#!/bin/sh
[ "$1 $2" = 'ci --prefix' ] || PATH="${process.env['PATH']}" exec npm "$@"
echo installing
exec ln -s "${root}node_modules" "$3/node_modules"
`
  writeFileSync(join(programs, 'npm'), npm, { mode: 0o755 })
  const env = { PATH: `${programs}:${process.env['PATH']}` }
  const run = () =>
    runAction({ command: 'curl -s $PROXYSIM_URL/api/clients' }, createFolder(), { actionPath, env })
  const first = await run()
  expect(first.code, first.output).toBe(0)
  expect(first.output).toMatch(/^installing\nBuilding/)
  const second = await run()
  expect(second.code, second.output).toBe(0)
  expect(second.output).not.toMatch(/installing|building/i)
})
