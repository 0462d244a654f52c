import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from '../browser/browser.ts'

const steps = 60

/** Scrolls through a whole box, one step per frame. */
async function scrollThrough(page: Page, selector: string): Promise<void> {
  await page.locator(selector).waitFor()
  await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector(${JSON.stringify(selector)})
    const step = Math.ceil(box.scrollHeight / ${steps})
    requestAnimationFrame(function go() {
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) return resolve()
      box.scrollTop += step
      requestAnimationFrame(go)
    })
  })`)
}

describe.skipIf(noBrowser)('with a thousand requests or services', () => {
  const open = useBrowser()

  test('only visible rows of the journal are rendered', async () => {
    const { url, call } = await start()
    await Promise.all(Array.from({ length: 1000 }, (_, i) => call('GET', `/api/service/${5001 + (i % 9)}`)))
    const { page, wrongs } = await open(url)
    await page.getByRole('link', { name: 'Requests 1,000' }).waitFor()
    expect(await page.locator('.entry').count()).toBeLessThan(60)
    await scrollThrough(page, '.entries')
    await page.locator('[aria-posinset="1000"]').waitFor()
    await page.getByLabel('Search requests').fill('service/5003')
    await page.locator('[aria-setsize="111"]').first().waitFor()
    expect(wrongs).toEqual([])
  })

  test('requests that arrive while the page is open are all shown', async () => {
    const { url, call } = await start()
    const { page, wrongs } = await open(url)
    await page.getByText('live', { exact: true }).waitFor()
    await Promise.all(Array.from({ length: 300 }, () => call('GET', '/api/clients')))
    await page.getByRole('link', { name: 'Requests 300' }).waitFor()
    await page.locator('.entry').first().click()
    await page.getByRole('article').waitFor()
    expect(wrongs).toEqual([])
  })

  test('only visible rows of services are rendered, and any service can be found and changed', async () => {
    const { url, call } = await start({ scenario: 'large' })
    const { page, wrongs } = await open(`${url}/#/data`)
    await page.getByRole('grid', { name: 'Services' }).waitFor()
    const total = Number(await page.getByRole('grid', { name: 'Services' }).getAttribute('aria-rowcount'))
    expect(total).toBeGreaterThan(1000)
    expect(await page.locator('.table-row').count()).toBeLessThan(60)
    await scrollThrough(page, '.table')
    await page.locator(`[aria-rowindex="${total}"]`).waitFor()
    await page.getByLabel('Search services').fill('5002')
    await page.getByRole('row', { name: /^5002/ }).click()
    await page.getByLabel('status of service 5002').selectOption('Fraud')
    await page.getByText('status of service 5002 set to Fraud.').waitFor()
    expect((await call<{ status: string }>('GET', '/api/service/5002')).json.status).toBe('Fraud')
    expect(wrongs).toEqual([])
  })
})
