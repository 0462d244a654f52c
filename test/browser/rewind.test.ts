import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { start, type Started } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { violations } from './violations.ts'

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
    const notice = page.locator('.notice-failed')
    await expect.poll(() => notice.innerText()).toContain('does not reach back to request 1')
  })
})

describe.skipIf(noBrowser)('the world as it was', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('is looked at over the requests with the keyboard, read only, and gone back to', async () => {
    const started = await start()
    const { url, call } = started
    await call('POST', '/api/product/101', order)
    await call('GET', '/api/clients', { login: null })
    await call('POST', '/api/product/101', order)
    const { page, wrongs } = await open(`${url}/#/world`)
    const slider = page.getByRole('slider', { name: 'Look back' })
    const credit = page.getByLabel('Credit in USD')
    await expect.poll(() => credit.inputValue()).toBe('210.00')
    expect(await slider.getAttribute('aria-valuetext')).toBe('now')
    await slider.press('ArrowLeft')
    await page.getByText('As it was before #3 POST /api/product/101, read only').waitFor()
    expect(await credit.inputValue()).toBe('230.00')
    // The second request reached no account: there is no world before it.
    await slider.press('ArrowLeft')
    await page.getByText('As it was before #1 POST /api/product/101, read only').waitFor()
    expect(await credit.inputValue()).toBe('250.00')
    expect(await page.getByText('Static 10').count()).toBeGreaterThan(0)
    expect(await page.getByLabel('status of service 5104').count()).toBe(0)

    expect(await credit.isEditable()).toBe(false)
    expect(await page.getByLabel('status of service 5001').isDisabled()).toBe(true)
    expect(await page.getByLabel('bindedip of service 5001').isEditable()).toBe(false)
    expect(await page.getByRole('button', { name: /^Unbind / }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Generate API token' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: /^Products/ }).click()
    expect(await page.getByRole('button', { name: 'Order product 101' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'As YAML' }).click()
    await page.getByText('the state of all accounts now, not at that request').waitFor()
    await page.getByRole('link', { name: /^Products/ }).click()
    expect(await creditOf(started)).toBe(210)

    await slider.press('End')
    await expect.poll(() => credit.isEditable()).toBe(true)
    expect(await credit.inputValue()).toBe('210.00')

    await slider.press('Home')
    await page.getByRole('button', { name: 'Go back to here' }).click()
    await page.getByText('The world of reseller is as it was before request 1.').waitFor()
    await expect.poll(() => credit.isEditable()).toBe(true)
    await expect.poll(() => credit.inputValue()).toBe('250.00')
    expect(await creditOf(started)).toBe(250)
    expect(wrongs).toEqual([])
  })

  test('stays the one that is looked at while requests come in', async () => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', order)
    const { page } = await open(`${url}/#/world`)
    const slider = page.getByRole('slider', { name: 'Look back' })
    await slider.press('Home')
    await page.getByText('As it was before #1').waitFor()
    await call('POST', '/api/product/101', order)
    await expect.poll(() => slider.getAttribute('max')).toBe('2')
    expect(await slider.inputValue()).toBe('0')
    expect(await page.getByLabel('Credit in USD').inputValue()).toBe('250.00')
    await page.getByRole('button', { name: 'Show now' }).click()
    await expect.poll(() => page.getByLabel('Credit in USD').inputValue()).toBe('210.00')
  })

  test('is not shown if it is beyond reach, which is told in its place', async () => {
    const { url, call } = await start({ scenario: 'two-accounts' })
    await call('GET', '/api/clients', { login: 'another' })
    await call('DELETE', '/__admin/accounts/another')
    await call('POST', '/__admin/accounts', { body: { login: 'another' } })
    const { page } = await open(`${url}/#/world`)
    await page.getByRole('banner').getByLabel('Account').selectOption('another')
    const slider = page.getByRole('slider', { name: 'Look back' })
    await slider.press('ArrowLeft')
    const box = page.getByRole('region', { name: 'Look back' })
    await box.getByText('does not reach back to request 1').waitFor()
    expect(await page.getByRole('button', { name: 'Go back to here' }).count()).toBe(0)
    expect(await page.getByLabel('Credit in USD').count()).toBe(0)
    await slider.press('End')
    await page.getByLabel('Credit in USD').waitFor()
  })

  test('is no longer gone back to once the journal has dropped its request, which is told in its place', async () => {
    const started = await start({ journal: 2 })
    const { url, call } = started
    await call('POST', '/api/product/101', order)
    const { page } = await open(`${url}/#/world`)
    const slider = page.getByRole('slider', { name: 'Look back' })
    await slider.press('Home')
    await page.getByText('As it was before #1').waitFor()
    await call('GET', '/api/clients')
    await call('GET', '/api/clients')
    await page.getByRole('button', { name: 'Go back to here' }).click()
    const box = page.getByRole('region', { name: 'Look back' })
    await box.getByText('Request 1 is no longer in the journal').waitFor()
    expect(await creditOf(started)).toBe(230)
  })

  test.each(['light', 'dark'] as const)('fits a phone, and everyone can read it, %s', async (colorScheme) => {
    const { url, call } = await start()
    await call('GET', `/api/clients?${'x'.repeat(200)}`)
    const { page } = await open(`${url}/#/world`, { colorScheme, viewport: { width: 375, height: 800 } })
    await page.getByRole('slider', { name: 'Look back' }).press('Home')
    await page.getByText('As it was before #1').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    expect(
      await page.evaluate<number>(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('main'))",
      ),
    ).toBe(0)
    expect(await violations(page)).toEqual([])
  })
})
