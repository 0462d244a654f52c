import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { client } from '../cli/client.ts'
import { proxysim } from '../cli/proxysim.ts'
import { folder } from '../support/start.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('every example passes', { timeout: 60_000 }, async () => {
  const files = readdirSync(`${root}/examples`, { recursive: true, encoding: 'utf8' })
  const suites = files.filter((file) => file.endsWith('.test.ts'))
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/examples/vitest.config.ts',
    '--reporter=json',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  const { success, numTotalTestSuites, testResults } = JSON.parse(stdout) as {
    success: boolean
    numTotalTestSuites: number
    testResults: unknown[]
  }
  expect(success).toBe(true)
  expect(numTotalTestSuites).toBeGreaterThan(0)
  expect(testResults).toHaveLength(suites.length)
})

interface Workflow {
  jobs: { test: { steps: { run?: string }[] } }
}

test('the command of the workflow gates and writes its reports', async () => {
  const { jobs } = parse(readFileSync(`${root}/examples/github-actions.yml`, 'utf8')) as Workflow
  const line = jobs.test.steps.map(({ run }) => run ?? '').find((run) => run.startsWith('npx proxysim exec'))
  const [flags = '', cmd] = line?.replace('npx proxysim ', '').split(' -- ') ?? []
  expect(cmd).toBe('npm test')
  const cwd = folder()
  const { code, stderr } = await proxysim(
    [...flags.split(' '), '--', ...client(`await ask('GET', '/api/clients')`)],
    { cwd },
  )
  expect(code).toBe(3)
  expect(stderr).toMatch(/is below 60 %/)
  expect(readdirSync(`${cwd}/reports`).toSorted()).toEqual(['coverage.md', 'coverage.xml', 'requests.har'])
})
