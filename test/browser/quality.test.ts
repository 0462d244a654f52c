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

describe.skipIf(noBrowser)('Quality', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('a finding is listed once, with its accounts and requests', async () => {
    const headers = { accept: '*/*', 'content-type': undefined }
    const { page, wrongs } = await look(open, {
      at: 'quality',
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

  test('a click triggers an untested response, and Undo reverts that', async () => {
    const { call, page, press, shows } = await look(open, { at: 'quality' })
    const assumptions = page.getByRole('heading', { name: 'Assumptions' })
    const isInView = () => assumptions.evaluate((one) => one.getBoundingClientRect().top < innerHeight)
    expect(await isInView()).toBe(false)
    await page.getByRole('link', { name: 'Assumptions' }).click()
    await expect.poll(isInView).toBe(true)
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
    const { page, wrongs, shows } = await look(open, { at: 'quality' })
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
