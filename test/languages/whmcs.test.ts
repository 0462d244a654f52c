/** The walk in examples/whmcs/README.md: what is said of the naive module and of the mended one. */
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
  const { code, stdout } = await proxysim(['sweep', '--json', '--', 'php', 'whmcs.php', module], { cwd })
  const { runs } = JSON.parse(stdout) as { runs: Run[] }
  return { code, bad: runs.filter(({ verdict }) => ['harm', 'swallowed', 'hang'].includes(verdict)) }
}

describe.skipIf(!hasPhp)('the module for WHMCS', () => {
  test('as it is often written, encodes the password twice', async () => {
    const { code, stdout } = await proxysim(['exec', '--', 'php', 'whmcs.php', 'naive'], { cwd })
    expect([code, stdout]).toEqual([0, expect.stringContaining('password-not-encoded') as string])
  })

  test('pays twice for a lost response, and hides every failure of a change', async () => {
    const { code, bad } = await sweep('naive')
    expect(code).toBe(1)
    expect(bad).toContainEqual(
      expect.objectContaining({ operation: 'orderService', fault: 'lost', verdict: 'harm' }),
    )
    const hidden = bad.filter(({ operation }) => operation === 'updateService')
    expect(hidden.length).toBeGreaterThan(10)
    expect(new Set(hidden.map(({ verdict }) => verdict))).toEqual(new Set(['swallowed']))
  })

  test('mended, passes its tests and survives every failure', async () => {
    const { code, stdout, stderr } = await proxysim(
      ['exec', '--', 'phpunit', '--do-not-cache-result', 'ModuleTest.php'],
      { cwd },
    )
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain('Findings\nNone.')
    expect(await sweep('proxyreseller')).toEqual({ code: 0, bad: [] })
  })
})
