import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

/** How far to the right, and how far down, the content of the page reaches. */
async function reach(page: Page): Promise<{ right: number; bottom: number }> {
  return page.evaluate(`(() => {
    const boxes = [...document.querySelectorAll('main .box')].map((one) => one.getBoundingClientRect())
    return { right: Math.max(...boxes.map((one) => one.right)), bottom: Math.max(...boxes.map((one) => one.bottom)) }
  })()`)
}

describe.skipIf(noBrowser)('what to do next', { timeout: 60_000 }, () => {
  const open = useBrowser()
  const wide = { viewport: { width: 1600, height: 900 } }

  test.each([
    ['start', '*/*'],
    ['findings', 'application/json'],
    ['findings', '*/*'],
  ])('%s fills its page at 1600 px, after a request that accepts %s', async (section, accept) => {
    const { url, call } = await start()
    await call('GET', '/api/clients', { headers: { accept } })
    const { page } = await open(`${url}/#/${section}`, wide)
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByRole('tab').first().waitFor()
    const { right, bottom } = await reach(page)
    expect(right).toBeGreaterThan(1540)
    expect(bottom).toBeGreaterThan(850)
  })

  test('a language that is chosen once is followed on every page, and after a reload', async () => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', { body: { clientid: 11 }, headers: { accept: '*/*' } })
    const { page, wrongs } = await open(`${url}/#/start`, wide)
    const first = page.getByRole('tabpanel').first()
    await page.getByRole('tab', { name: 'Python' }).first().click()
    expect(await first.innerText()).toContain('import requests')
    expect(await page.getByRole('tabpanel').nth(1).innerText()).toContain('def test_an_order')
    await page.getByRole('tab', { name: 'Python' }).first().press('ArrowRight')
    expect(await first.innerText()).toContain('curl_init')
    await page.goto(`${url}/#/findings`)
    await expect.poll(() => page.getByRole('tabpanel').first().innerText()).toContain('curl_init')
    await page.goto(`${url}/#/requests/1`)
    await page.reload()
    expect(await page.getByLabel('Language to copy in').inputValue()).toBe('PHP')
    await page.getByLabel('Language to copy in').selectOption('Go')
    await page.goto(`${url}/#/start`)
    await expect.poll(() => first.innerText()).toContain('package main')
    expect(wrongs).toEqual([])
  })

  test('a finding says what to do', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients', { headers: { accept: '*/*' } })
    const { page } = await open(`${url}/#/findings`)
    const finding = page.getByRole('listitem').filter({ hasText: 'header-missing' })
    await finding.getByText('Set both headers once').waitFor()
    expect(await finding.getByRole('tabpanel').innerText()).toContain('application/json')
  })
})

describe.skipIf(noBrowser)('how the page is read', { timeout: 60_000 }, () => {
  const open = useBrowser()
  const ground = (page: Page) =>
    page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')

  test('the theme is switched against the system, and stays after a reload', async () => {
    const { url } = await start()
    const { page, wrongs } = await open(url, { colorScheme: 'light' })
    const light = await ground(page)
    await page.getByLabel('Theme').selectOption('dark')
    const dark = await ground(page)
    expect(dark).not.toBe(light)
    await page.goto(`${url}/docs`)
    expect(await page.evaluate('document.documentElement.className')).toContain('dark-mode')
    await page.goto(url)
    await page.reload()
    await expect.poll(() => ground(page)).toBe(dark)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByLabel('Theme').selectOption('light')
    expect(await ground(page)).toBe(light)
    await page.getByLabel('Theme').selectOption('system')
    expect(await ground(page)).toBe(dark)
    expect(wrongs).toEqual([])
  })

  test('screen readers are told of new requests alone, not of those that were there', async () => {
    const { url, call } = await start()
    for (let i = 0; i < 3; i++) await call('GET', '/api/clients')
    const { page } = await open(url)
    await page.getByText('3 requests').waitFor()
    await call('POST', '/api/product/999', { body: { clientid: 11 } })
    const log = page.getByRole('log')
    await expect.poll(() => log.innerText()).toBe('1 new request. orderService: 422 product-not-found')
    await call('GET', '/api/products')
    await call('GET', '/api/products')
    await expect.poll(() => log.innerText()).toBe('2 new requests. listProducts: 200')
  })

  test('the skip link stands in the banner, and leads to the content', async () => {
    const { url } = await start()
    const { page } = await open(url)
    const skip = page.getByRole('banner').getByRole('link', { name: 'Skip to the content' })
    await skip.focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  })
})
