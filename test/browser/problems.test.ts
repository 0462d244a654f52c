import { describe, expect, test } from 'vitest'
import { look, noBrowser, useBrowser } from './browser.ts'

const sweep = {
  verdicts: { harm: 1, noticed: 1 },
  runs: [
    { operation: 'getCredit', fault: '503', verdict: 'noticed', repeat: 'proxysim sweep' },
    { operation: 'orderService', fault: 'lost', verdict: 'harm', findings: [{ finding: 'duplicate-order' }] },
  ],
}

const calibration = {
  exchanges: { read: 7, judged: 5, skipped: [] },
  assumptions: [
    {
      id: 'productSort',
      verdict: 'undecided',
      interpretation: null,
      needs: [{ call: 'GET /x', effect: 'reads' }],
    },
    { id: 'geo', verdict: 'contradicts', interpretation: null, evidence: [1, 2] },
  ],
  violations: [{ operation: 'getRate', status: 200, message: 'rate must be string', exchanges: [3] }],
  behaviour: { same: 3, differ: 1, fidelity: 75, differences: [] },
}

describe.skipIf(noBrowser)('Problems', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('a finding is listed once, with its accounts and requests', async () => {
    const headers = { accept: '*/*', 'content-type': undefined }
    const { page, wrongs } = await look(open, {
      at: 'problems',
      scenario: 'two-accounts',
      sent: ['reseller', 'another'].map((login) => ['GET', '/api/clients', { login, headers }]),
    })
    const finding = page.locator('.finding')
    await finding.getByText('reseller').waitFor()
    await expect.poll(() => finding.count()).toBe(1)
    expect(await finding.innerText()).toContain('another')
    await finding.getByRole('link', { name: '#1' }).click()
    await page.getByRole('article', { name: 'Request 1' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('an order that was placed twice is loud on every page, and its requests are one click apart', async () => {
    const lost = { operation: 'orderService', drop: 'empty', phase: 'after', times: 1 }
    const { call, page, wrongs } = await look(open, { mayViolate: true })
    await call('POST', '/__admin/faults', { body: lost })
    const order = () => call('POST', '/api/product/101', { body: { clientid: 11 } })
    await order().catch(() => {})
    await order()
    const badge = page.getByRole('link', { name: 'Problems: 2 problems' })
    await badge.waitFor()
    await page.locator('#entry-2').getByText('ordered twice').click()
    const detail = page.getByRole('article', { name: 'Request 1' })
    await detail.getByRole('region', { name: 'Problem: ordered twice' }).getByText('paid twice').waitFor()
    await detail.getByRole('link', { name: 'Go to the next request, #2' }).click()
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    await badge.click()
    const problem = page.locator('.finding', { hasText: 'Ordered twice' })
    await problem.getByText('What to do: The API has no idempotency key').waitFor()
    await problem.getByRole('link', { name: '#2 200 POST /api/product/101' }).click()
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('a click triggers an untested response, and Undo reverts that', async () => {
    const { call, page, press, shows } = await look(open, { at: 'problems' })
    await page.getByRole('link', { name: 'Not tested yet' }).click()
    const order = () => call('POST', '/api/product/101', { body: { clientid: 11 } })
    const provoke = page.getByRole('button', { name: '422 insufficient-funds' })
    await provoke.click()
    await shows('The next orderService request will get insufficient-funds.')
    await press('Undo')
    await shows('Undone.')
    expect((await order()).status).toBe(200)
    await provoke.click()
    await shows('The next orderService request will get')
    expect((await order()).headers['sim-case']).toBe('insufficient-funds')
    await page.getByRole('button', { name: /422 insufficient-funds ×1/ }).waitFor()
    await page.getByRole('link', { name: '200 success , not tested' }).first().click()
    await page.getByRole('article', { name: 'New request' }).waitFor()
  })

  test.each([
    ['sweep.json', sweep, 'orderService lost harm', 'harm 1, noticed 1'],
    ['calibration.json', calibration, 'geo contradicts', 'fidelity 75'],
  ])('%s is shown with the worst row first', async (name, report, first, summary) => {
    const { page, wrongs, shows } = await look(open, { at: 'problems/reports' })
    const file = (content: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(content) })
    await page.getByLabel('Choose file').setInputFiles(file('{"runs": 1}'))
    await shows(`${name} is not a JSON report of sweep or calibrate.`)
    await page.getByLabel('Choose file').setInputFiles(file(JSON.stringify(report)))
    const shown = page.getByRole('article', { name: 'Report' })
    expect(await shown.locator('p').first().innerText()).toContain(summary)
    const row = await shown.locator('tbody tr').first().innerText()
    expect(row.replace(/\s+/g, ' ')).toContain(first)
    expect(wrongs).toEqual([])
  })
})
