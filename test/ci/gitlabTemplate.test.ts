import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { read, runScript } from '../support/project.ts'
import { projectWithTests, runner } from './projectWithTests.ts'

vi.setConfig({ testTimeout: 240_000 })

interface Job {
  extends?: string
  image: string
  variables: Record<string, string>
  before_script: string[]
  script: string[]
  coverage?: string
  artifacts?: { paths: string[]; reports: { junit: string } }
}

const template = parse(read('examples/gitlab-ci.yml')) as Record<string, Partial<Job>>

/** Merges a job with those that it extends. */
function job(name: string): Job {
  const own = template[name] ?? {}
  return { ...(own.extends === undefined ? {} : template[own.extends]), ...own } as Job
}

async function runJob(name: string, variables: Record<string, string> = {}) {
  const { before_script, script, variables: defaults } = job(name)
  const cwd = projectWithTests()
  const lines = [...before_script, ...script].join('\n')
  return { ...(await runScript(lines, cwd, { ...defaults, ...variables }, runner)), cwd }
}

test('its variables set scenario, command and minimum coverage; the reports are where the artifacts are expected', async () => {
  const { code, output, cwd } = await runJob('api', {
    PROXYSIM_COMMAND: 'echo "first, $PROXYSIM_LOGIN" && npm test',
    PROXYSIM_SCENARIO: 'low-funds',
    PROXYSIM_MIN_COVERAGE: '60',
  })
  expect(code, output).toBe(3)
  expect(output).toMatch(/first, reseller\n[^]*credit 0\.5 geo \["US","DE"\]/)
  const { artifacts, coverage = '' } = job('api')
  expect(artifacts).toMatchObject({ paths: ['reports'], reports: { junit: 'reports/coverage.xml' } })
  expect(readdirSync(join(cwd, 'reports')).toSorted()).toEqual([
    'coverage.md',
    'coverage.xml',
    'requests.har',
  ])
  const [, percent] = new RegExp(coverage.slice(1, -1)).exec(output) ?? []
  expect(Number(percent)).toBeGreaterThan(0)
})

test('the matrix runs the tests under each interpretation', async () => {
  const { code, output } = await runJob('api-interpretations', {
    PROXYSIM_COMMAND: 'curl -s -u "$PROXYSIM_LOGIN:$PROXYSIM_PASSWORD" $PROXYSIM_URL/api/product/101',
  })
  expect(code, output).toBe(0)
  expect(output).toMatch(/^geo=object +(?:ok|not-tried) /m)
})
