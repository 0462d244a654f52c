import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { folder } from '../support/start.ts'
import { projectWithTests, proxysimProgram } from './projectWithTests.ts'
import { runScript } from './runScript.ts'

vi.setConfig({ testTimeout: 120_000 })

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Step {
  name: string
  id?: string
  if?: string
  shell: string
  env?: Record<string, string>
  run: string
}

interface Action {
  inputs: Record<string, { description: string; default: string }>
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: Step[] }
}

const action = parse(readFileSync(`${root}/action.yml`, 'utf8')) as Action

interface JobResult {
  /** Exit code of the first step that failed; 0 if none did */
  code: number | null
  output: string
  outputs: Record<string, string>
  /** The environment of later steps */
  env: Record<string, string>
  summary: string
}

interface JobOptions {
  workspace: string
  actionPath?: string
  env?: Record<string, string>
}

/** Runs the steps as a runner does: expressions, files for outputs, environment and summary, `always()`. */
async function runAction(
  inputs: Record<string, string>,
  { workspace, actionPath = folder(), env = {} }: JobOptions,
): Promise<JobResult> {
  const temp = folder()
  const result: JobResult = { code: 0, output: '', outputs: {}, env: {}, summary: '' }
  const known: Record<string, string> = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, inputs[name] ?? input.default]),
  )
  for (const [i, step] of action.runs.steps.entries()) {
    expect(step.shell).toBe('bash')
    if (result.code !== 0 && step.if !== 'always()') continue
    const files = { GITHUB_OUTPUT: '', GITHUB_ENV: '', GITHUB_STEP_SUMMARY: '' }
    for (const name of Object.keys(files) as (keyof typeof files)[]) {
      files[name] = join(temp, `${name}-${i}`)
      writeFileSync(files[name], '')
    }
    const { code, output } = await runScript(evaluate(step.run, known), {
      cwd: workspace,
      env: {
        ...env,
        ...files,
        GITHUB_WORKSPACE: workspace,
        GITHUB_ACTION_PATH: actionPath,
        RUNNER_TEMP: temp,
        ...Object.fromEntries(
          Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value, known)]),
        ),
      },
    })
    result.output += output
    if (result.code === 0) result.code = code
    for (const [name, value] of pairs(files.GITHUB_OUTPUT)) known[`steps.${step.id}.outputs.${name}`] = value
    Object.assign(result.env, Object.fromEntries(pairs(files.GITHUB_ENV)))
    result.summary += readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')
  }
  for (const [name, { value }] of Object.entries(action.outputs))
    result.outputs[name] = evaluate(value, known)
  return result
}

/** `${{ inputs.x }}` and `${{ steps.x.outputs.y }}`; anything else is empty, as on GitHub. */
function evaluate(text: string, known: Record<string, string>): string {
  return text.replaceAll(/\$\{\{ *(?<path>[\w.-]+) *\}\}/g, (_, path: string) => known[path] ?? '')
}

function pairs(file: string): [string, string][] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
}

/** A project in another language, without proxysim. */
function bareProject(): string {
  const made = folder()
  writeFileSync(join(made, 'package.json'), '{}')
  return made
}

/** The action's repository, once it is installed and built. */
function builtAction(): string {
  const made = folder()
  for (const name of ['bin', 'node_modules']) mkdirSync(join(made, name))
  writeFileSync(join(made, 'bin/proxysim.mjs'), proxysimProgram)
  chmodSync(join(made, 'bin/proxysim.mjs'), 0o755)
  return made
}

/** The action's repository as a runner fetches it: nothing is installed or built. */
function clonedAction(): string {
  const made = folder()
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of files.split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(made, file))
  return made
}

/** A folder with an npm that installs what is installed here already, and else is the real one. */
function quickNpm(): string {
  const made = folder()
  const script = `#!/bin/sh
[ "$1 $2" = 'ci --prefix' ] || PATH="${process.env['PATH']}" exec npm "$@"
echo installing
exec ln -s "${root}node_modules" "$3/node_modules"
`
  writeFileSync(join(made, 'npm'), script)
  chmodSync(join(made, 'npm'), 0o755)
  return made
}

test('it has the documented inputs and output', () => {
  expect(action.runs.using).toBe('composite')
  expect(Object.keys(action.inputs)).toEqual(['command', 'scenario', 'min-coverage', 'args'])
  expect(Object.keys(action.outputs)).toEqual(['url'])
  const expressions = JSON.stringify(action.runs.steps.map(({ run }) => run)).match(/\$\{\{/g)
  expect(expressions, 'an input in a script could be read as a part of it').toBeNull()
})

test('runs the command, and adds the report to the summary page', async () => {
  const command = `printf '%s\\n' "a 'quoted' \\"word\\"" && curl -s -u "$PROXYSIM_LOGIN:$PROXYSIM_PASSWORD" $PROXYSIM_URL/api/billing/credit`
  const { code, output, outputs, summary } = await runAction(
    { command, scenario: 'low-funds', args: '--assume geo=object --no-explain' },
    { workspace: bareProject(), actionPath: builtAction() },
  )
  expect(code, output).toBe(0)
  expect(output).toContain(`a 'quoted' "word"\n{"credit":0.5}`)
  expect(summary).toMatch(/^# Contract coverage\n/)
  expect(summary).toMatch(/## Findings\n\n\| Severity [^]*header-missing/)
  expect(outputs).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string })
})

test('fails if coverage falls short, but still reports', async () => {
  const { code, output, summary } = await runAction(
    { command: 'curl -s $PROXYSIM_URL/api/clients', 'min-coverage': '60' },
    { workspace: bareProject(), actionPath: builtAction() },
  )
  expect(code).toBe(3)
  expect(output).toMatch(/Coverage [\d.]+ % is below 60 %/)
  expect(summary).toMatch(/^# Contract coverage\n/)
})

test("a failing command's exit code is kept; the project's own proxysim is used", async () => {
  const workspace = projectWithTests()
  const { code: installed, output: log } = await runScript('npm ci', { cwd: workspace, env: {} })
  expect(installed, log).toBe(0)
  const { code, output, summary } = await runAction(
    { command: 'npm test' },
    { workspace, env: { FAIL: 'yes' } },
  )
  expect(code).toBe(7)
  expect(output).toContain('credit 250')
  expect(summary).toContain('# Contract coverage')
})

test('without a command, starts a simulator that keeps running', async () => {
  const { code, output, outputs, env } = await runAction(
    { scenario: 'low-funds', args: '--no-explain' },
    { workspace: bareProject(), actionPath: builtAction() },
  )
  expect(code, output).toBe(0)
  expect(env).toEqual({ PROXYSIM_URL: outputs['url'] })
  const health = await fetch(`${outputs['url']}/__admin/health`)
  expect(await health.json()).toMatchObject({ status: 'ok', scenario: 'low-funds' })
})

test('without a command, it may listen on another host', async () => {
  const { code, output, outputs } = await runAction(
    { args: '--host localhost' },
    { workspace: bareProject(), actionPath: builtAction(), env: { FORCE_COLOR: '1' } },
  )
  expect(code, output).toBe(0)
  expect(outputs['url']).toMatch(/^http:\/\/localhost:\d+$/)
  expect((await fetch(`${outputs['url']}/__admin/health`)).status).toBe(200)
})

test.each([
  [{ args: '--host nowhere.invalid' }, 'nowhere.invalid'],
  [{ scenario: 'nope' }, 'Unknown scenario "nope"'],
  [{ scenario: 'nope', command: 'true' }, 'Unknown scenario "nope"'],
  [{ 'min-coverage': '60' }, 'min-coverage needs a command'],
])('%j fails with the reason', async (inputs, message) => {
  const { code, output } = await runAction(inputs, { workspace: bareProject(), actionPath: builtAction() })
  expect(code).toBe(2)
  expect(output).toContain(message)
})

test('installs and builds itself in a fresh clone, once', async () => {
  const actionPath = clonedAction()
  const run = () =>
    runAction(
      { command: 'curl -s $PROXYSIM_URL/api/clients' },
      { workspace: bareProject(), actionPath, env: { PATH: `${quickNpm()}:${process.env['PATH']}` } },
    )
  const first = await run()
  expect(first.code, first.output).toBe(0)
  expect(first.output).toMatch(/^installing\nBuilding/)
  expect(first.summary).toMatch(/^# Contract coverage\n/)
  const second = await run()
  expect(second.code, second.output).toBe(0)
  expect(second.output).not.toMatch(/installing|building/i)
})
