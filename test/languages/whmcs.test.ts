/** Follows examples/whmcs/README.md, and checks its claims about the naive module and the corrected one. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { proxysim } from '../cli/proxysim.ts'
import { root } from '../support/project.ts'

const cwd = join(root, 'examples/whmcs')
const hasPhp = spawnSync('phpunit', ['--version']).status === 0

vi.setConfig({ testTimeout: 120_000 })

interface Run {
  operation: string
  fault: string
  verdict: string
}

async function sweep(module: string) {
  const command = ['sweep', '--rerun', '--json', '--', 'php', 'whmcs.php', module]
  const { code, stdout, stderr } = await proxysim(command, { cwd })
  const { runs } = JSON.parse(stdout || '{"runs":[]}') as { runs: Run[] }
  const good = ['survived', 'recovered', 'not triggered']
  return { code, stderr, runs, bad: runs.filter(({ verdict }) => !good.includes(verdict)) }
}

describe.skipIf(!hasPhp)('the module for WHMCS', () => {
  test('as it is often written, encodes the password twice', async () => {
    const { code, stdout } = await proxysim(['exec', '--', 'php', 'whmcs.php', 'naive'], { cwd })
    expect([code, stdout]).toEqual([0, expect.stringContaining('password-not-encoded') as string])
  })

  test('pays twice for a lost response or when it is killed, and hides every failure of a change', async () => {
    const { code, stderr, bad } = await sweep('naive')
    expect(code, stderr).toBe(1)
    for (const [fault, verdict] of [
      ['lost', 'harm'],
      ['cut', 'harm'],
      ['crash', 'doubled'],
    ])
      expect(bad).toContainEqual(expect.objectContaining({ operation: 'orderService', fault, verdict }))
    const hidden = bad.filter(({ operation }) => operation === 'updateService')
    expect(hidden.length).toBeGreaterThan(10)
    expect(new Set(hidden.map(({ verdict }) => verdict))).toEqual(new Set(['swallowed']))
  })

  test('corrected, passes its tests and survives every failure', async () => {
    const { code, stdout, stderr } = await proxysim(
      ['exec', '--', 'phpunit', '--do-not-cache-result', 'ModuleTest.php'],
      { cwd },
    )
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain('Findings\nNone.')
    const swept = await sweep('proxyreseller')
    expect(swept, swept.stderr).toMatchObject({ code: 0, bad: [] })
    const crashes = swept.runs.filter(({ fault }) => fault === 'crash')
    expect(crashes.map(({ operation, verdict }) => `${operation} ${verdict}`)).toContain(
      'orderService recovered',
    )
  })
})
