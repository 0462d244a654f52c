import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { start, type Started } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

const order = { body: { clientid: 11 } }

async function creditOf({ call }: Started): Promise<number> {
  return (await call<{ credit: number }>('GET', '/__admin/accounts/reseller')).json.credit
}

/** What the clipboard has. */
function copied(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()')
}

describe.skipIf(noBrowser)('a request of the journal', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('its account goes back to just before it', async () => {
    const started = await start()
    await started.call('POST', '/api/product/101', order)
    await started.call('POST', '/api/product/101', order)
    expect(await creditOf(started)).toBe(210)
    const { page, wrongs } = await open(`${started.url}/#/requests/2`)
    await page.getByRole('button', { name: 'Go back to before this' }).click()
    await page.getByText('The world of reseller is as it was before request 2.').waitFor()
    expect(await creditOf(started)).toBe(230)
    await page.getByRole('link', { name: 'World' }).click()
    await expect.poll(() => page.getByLabel('Credit in USD').inputValue()).toBe('230.00')
    expect(wrongs).toEqual([])
  })

  test('is not gone back to if it reached no account', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients', { login: null })
    const { page } = await open(`${url}/#/requests/1`)
    await page.getByRole('button', { name: 'Copy as scenario' }).waitFor()
    expect(await page.getByRole('button', { name: 'Go back to before this' }).count()).toBe(0)
  })

  test('is copied as a scenario that reproduces it elsewhere', async () => {
    const { url, call } = await start({ scenario: 'low-funds' })
    await call('POST', '/api/product/101', order)
    await call('PATCH', '/__admin/accounts/reseller', { body: { credit: 99 } })
    const { page, wrongs } = await open(`${url}/#/requests/1`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy as scenario' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const elsewhere = await start({ scenario: parse(await copied(page)) as object })
    const { status, json } = await elsewhere.call('POST', '/api/product/101', order)
    expect(status).toBe(422)
    expect(JSON.stringify(json)).toContain('not enough funds')
    expect(wrongs).toEqual([])
  })

  test('says why it is beyond reach', async () => {
    const { url, call } = await start({ scenario: 'two-accounts' })
    await call('GET', '/api/clients', { login: 'another' })
    await call('DELETE', '/__admin/accounts/another')
    const { page } = await open(`${url}/#/requests/1`)
    await page.getByRole('button', { name: 'Go back to before this' }).click()
    await page.locator('.notice-failed', { hasText: 'does not reach back to request 1' }).waitFor()
  })
})
