import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { SweepReport } from '../../src/sweep/SweepReport.ts'
import { proxysim } from '../cli/proxysim.ts'

const examples = fileURLToPath(new URL('../../examples/sweep', import.meta.url))

async function sweep(file: string): Promise<{ code: number | null; report: SweepReport; bad: string[] }> {
  const { code, stdout } = await proxysim(['sweep', '--json', '--', process.execPath, file], {
    cwd: examples,
  })
  const report = JSON.parse(stdout) as SweepReport
  const bad = report.runs
    .filter(({ verdict }) => ['harm', 'swallowed', 'hang'].includes(verdict))
    .map(({ operation, fault, verdict }) => `${operation} ${fault}: ${verdict}`)
  return { code, report, bad: bad.toSorted() }
}

test('exactly the three bugs of the client are found', async () => {
  const { code, report, bad } = await sweep('provision.mjs')
  expect(code).toBe(1)
  expect(bad).toEqual([
    'orderService lost: harm',
    'updateService incorrect-posted-data: swallowed',
    'updateService invalid-ipv4: swallowed',
    'updateService ip-already-bound: swallowed',
    'updateService unprocessable: swallowed',
    'updateService update-list-throttled: harm',
  ])
  const findings = report.runs.flatMap((run) => run.findings.map(({ finding }) => `${run.fault}: ${finding}`))
  expect(findings).toEqual(['lost: duplicate-order', 'update-list-throttled: throttle-ignored'])
})

test('the fixed client has none, and gets its order even if the response is lost', async () => {
  const { code, report, bad } = await sweep('provision-mended.mjs')
  expect([code, bad, report.passed]).toEqual([0, [], true])
  const lost = report.runs.find(({ operation, fault }) => operation === 'orderService' && fault === 'lost')
  expect(lost?.verdict).toBe('survived')
})
