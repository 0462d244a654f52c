import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../support/start.ts'
import { client } from './client.ts'
import { proxysim, refusal } from './proxysim.ts'

const careless = `await ask('POST', '/api/product/101', { clientid: 11 }).catch(() => {})`

/** What `calibrate --json` prints, as far as the page goes by it. */
const calibration = {
  exchanges: { read: 12, judged: 10, skipped: [] },
  assumptions: [
    { id: 'productSort', verdict: 'other', reading: 'desc', default: 'asc', evidence: [3], needs: null },
    { id: 'geo', verdict: 'holds', reading: 'code', default: 'code', evidence: [4], needs: null },
    {
      id: 'unknownInvoice',
      verdict: 'contradicts',
      reading: null,
      default: 'empty',
      evidence: [5],
      needs: null,
    },
  ],
  drift: [{ operation: 'getStats', status: 200, message: 'rate is <b>missing</b>', exchanges: [6] }],
  behaviour: { same: 39, differ: 1, firstSight: 3, undecidable: 0, fidelity: 97.5, differences: [] },
}

test('combines the reports in a folder into one page, Markdown or HTML', async () => {
  const cwd = folder()
  await proxysim(['exec', '--report', 'r/exec.json', '--', ...client(careless)], { cwd })
  await proxysim(
    ['matrix', '--only', 'orderedInvoice', 'geo', '--report', 'r/matrix.json', '--', ...client(careless)],
    { cwd },
  )
  await proxysim(
    ['sweep', '--faults', 'reset', 'lost', '--report', 'r/a-sweep.json', '--', ...client(careless)],
    {
      cwd,
    },
  )
  writeFileSync(join(cwd, 'r/calibrate.json'), JSON.stringify(calibration))
  writeFileSync(join(cwd, 'r/package.json'), '{"name":"not a report"}')
  writeFileSync(join(cwd, 'r/broken.json'), '{')

  const { code, stdout, stderr } = await proxysim(['report', 'r'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^# Report card\n\n\| {2}\| Result \| From \|\n/)
  expect(stdout).toMatch(
    /^\| Coverage \| [\d.]+ %, 1 of \d+ answers of the contract, 1 requests? \| exec\.json \|$/m,
  )
  expect(stdout).toContain('| Readings | 4 of 5 survived, 1 not asked | matrix.json |')
  expect(stdout).toContain(
    '| Faults | 1 of 2 survived or noticed (2 runs: 1 swallowed, 1 survived) | a-sweep.json |',
  )
  expect(stdout).toContain('| Fidelity | 97.5 %, 39 of 40 exchanges the same | calibrate.json |')
  expect(stdout).toContain('- orderService × reset: swallowed.')
  expect(stdout).toMatch(/```sh\nproxysim sweep --only orderService --faults reset -- .*client\.mjs\n```/)
  expect(stdout).toContain(
    '- productSort: desc and not asc\n- unknownInvoice: no reading agrees with the recording',
  )
  expect(stderr.split('\n').toSorted()).toEqual([
    '',
    `proxysim: ${join('r', 'broken.json')} is skipped: it is not a proxysim report`,
    `proxysim: ${join('r', 'package.json')} is skipped: it is not a proxysim report`,
  ])

  expect(await proxysim(['report', 'r', '--output', 'page/card.html'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'Wrote page/card.html\n',
  })
  const html = readFileSync(join(cwd, 'page/card.html'), 'utf8')
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(html).toContain('<th scope="row">Readings</th><td>4 of 5 survived, 1 not asked</td>')
  expect(html).toContain('<li>getStats 200: rate is &lt;b&gt;missing&lt;/b&gt;</li>')
})

test('what only resembles a report is skipped, and so is a folder', async () => {
  const cwd = folder()
  mkdirSync(join(cwd, 'folder.json'))
  const others = {
    matrix: { survives: true, readings: null },
    matrices: { survives: true, readings: [null] },
    sweep: { runs: {}, verdicts: {}, baseline: {} },
    exec: { covered: 1, total: 2, operations: {}, findings: 'none' },
    calibrated: { assumptions: [], drift: [], behaviour: null },
    right: { survives: true, readings: [] },
  }
  for (const [name, value] of Object.entries(others))
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify(value))
  const { code, stdout, stderr } = await proxysim(['report', '.'], { cwd })
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 of 0 survived')])
  expect(stderr.match(/^proxysim: \S+\.json is skipped: it is not a proxysim report$/gm)).toHaveLength(6)
})

test.each([
  [['src/cli'], 'There is no report in "src/cli".'],
  [['no-such-folder'], "The folder no-such-folder can't be read (ENOENT)."],
  [['.', '--output', 'card.pdf'], 'card.pdf must end in one of: .md, .html.'],
])('what can not be joined: %j', async (args, text) => {
  expect(await proxysim(['report', ...args])).toMatchObject(refusal(text))
})
