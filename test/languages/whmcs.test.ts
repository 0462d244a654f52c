/** Follows examples/whmcs/README.md, and checks its claims about the naive module and the corrected one. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { proxysim } from '../cli/proxysim.ts'
import { parseCodeBlocks } from '../docs/codeBlocks.ts'
import { read, root } from '../support/project.ts'

const cwd = join(root, 'examples/whmcs')
const hasPhp = spawnSync('phpunit', ['--version']).status === 0

vi.setConfig({ testTimeout: 120_000 })

interface Run {
  operation: string
  fault: string
  verdict: string
}

async function sweep(module: string, ...flags: string[]) {
  const command = ['sweep', '--rerun', '--json', ...flags, '--', 'php', 'whmcs.php', module]
  const { code, stdout, stderr } = await proxysim(command, { cwd })
  const { runs } = JSON.parse(stdout || '{"runs":[]}') as { runs: Run[] }
  const good = ['ok', 'reported', 'not-tried']
  return { code, stderr, runs, bad: runs.filter(({ verdict }) => !good.includes(verdict)) }
}

describe.skipIf(!hasPhp)('the module for WHMCS', () => {
  test('as it is often written, encodes the password twice', async () => {
    const { code, stdout } = await proxysim(['exec', '--', 'php', 'whmcs.php', 'naive'], { cwd })
    const shown = parseCodeBlocks(read('examples/whmcs/README.md')).find(
      ({ language }) => language === 'text',
    )
    const lines = shown?.text.split('\n').map((line) => line.split(' …')[0] ?? '') ?? []
    expect(code).toBe(0)
    expect(lines.join()).toContain('password-not-encoded')
    expect(lines.filter((line) => !stdout.includes(line))).toEqual([])
  })

  test('pays twice for a lost response or when it is killed, and hides the failures of a change', async () => {
    const { code, stderr, bad } = await sweep('naive', '--quick', '--faults', 'lost', 'crash', 'reset', '503')
    expect(code, stderr).toBe(1)
    const found = bad.map(({ operation, fault, verdict }) => `${operation} ${fault}: ${verdict}`)
    expect(found).toEqual(
      expect.arrayContaining([
        'orderService lost: ordered-twice',
        'orderService crash: ordered-twice',
        'updateService reset: wrong-result',
        'updateService 503: wrong-result',
      ]),
    )
  })

  test('corrected, passes its tests and survives every failure', async () => {
    const { code, stdout, stderr } = await proxysim(
      ['exec', '--', 'phpunit', '--do-not-cache-result', 'ModuleTest.php'],
      { cwd },
    )
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain('The command succeeded, without findings.')
    const swept = await sweep('proxyreseller', '--quick', '--only', 'orderService', 'updateService')
    expect(swept, swept.stderr).toMatchObject({ code: 0, bad: [] })
    const crashes = swept.runs.filter(({ fault }) => fault === 'crash')
    expect(crashes.map(({ operation, verdict }) => `${operation} ${verdict}`)).toContain('orderService ok')
  })
})
