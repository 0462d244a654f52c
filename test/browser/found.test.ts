import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { start, type Started } from '../support/start.ts'
import { noBrowser, openLive, useBrowser } from './browser.ts'

/** What a new user looks for, from each page: how many clicks it takes. */
describe.skipIf(noBrowser)('found in five seconds', { timeout: 60_000 }, () => {
  const open = useBrowser()

  /** A simulator with a failed order, and a page of the dashboard; clicks are counted. */
  async function lookFor(from: string, scenario = 'default') {
    const started = await start({ scenario })
    await started.call('GET', '/api/clients')
    await started.call('POST', '/api/product/104', { body: { clientid: 11 } })
    const { page, wrongs } = await openLive(open, `${started.url}/#/${from}`)
    let clicks = 0
    const click = async (locator: Locator) => {
      clicks++
      await locator.click()
    }
    return { ...started, page, wrongs, click, clicks: () => clicks }
  }

  const row = (page: Page, text: string) => page.locator('.entry').filter({ hasText: text }).first()
  const goTo = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })

  test.each(['requests', 'data', 'quality'])('base URL and credentials, from %s', async (from) => {
    const { page, url, click, clicks, wrongs } = await lookFor(from)
    await page.getByText(url, { exact: true }).waitFor()
    await page.getByText('reseller:secret').waitFor()
    expect(clicks()).toBe(0)
    await click(page.getByRole('button', { name: /^credentials/ }))
    const menu = page.getByRole('dialog', { name: 'Credentials' })
    expect((await menu.innerText()).split(/\s+/)).toEqual(
      expect.arrayContaining(['reseller', 'secret', 'tok_reseller']),
    )
    await menu.getByRole('button', { name: 'Copy as .env' }).waitFor()
    expect(clicks()).toBe(1)
    expect(wrongs).toEqual([])
  })

  test.each(['requests', 'data', 'quality'])('why the last call failed, from %s', async (from) => {
    const { page, click, clicks } = await lookFor(from)
    if (from !== 'requests') await click(goTo(page, 'Requests'))
    await row(page, 'credit 250.00 is less than price 499.99').waitFor()
    expect(clicks()).toBeLessThanOrEqual(1)
  })

  test.each(['requests', 'data', 'quality'])('which account a request was of, from %s', async (from) => {
    const { page, call, click, clicks } = await lookFor(from, 'two-accounts')
    await call('GET', '/api/products', { login: 'another' })
    if (from !== 'requests') await click(goTo(page, 'Requests'))
    expect(await row(page, '/api/products').innerText()).toContain('another')
    expect(await row(page, '/api/clients').innerText()).toContain('reseller')
    expect(clicks()).toBeLessThanOrEqual(1)
  })

  test.each(['requests', 'data', 'quality'])('a given service, from %s', async (from) => {
    const { page, click, clicks } = await lookFor(from)
    if (from !== 'data') await click(goTo(page, 'Data'))
    await page.keyboard.press('/')
    await page.keyboard.type('5101')
    await click(page.getByRole('row', { name: /5101/ }))
    await page.getByRole('article', { name: 'Service 5101' }).waitFor()
    expect(clicks()).toBeLessThanOrEqual(2)
  })

  test.each(['requests', 'data', 'quality'])('the failures only, from %s', async (from) => {
    const { page, click, clicks } = await lookFor(from)
    if (from !== 'requests') await click(goTo(page, 'Requests'))
    await click(page.getByRole('button', { name: /^Failed/ }))
    await expect.poll(() => page.locator('.entry').count()).toBe(1)
    await row(page, '/api/product/104').waitFor()
    expect(clicks()).toBeLessThanOrEqual(2)
  })

  test.each(['requests', 'data', 'quality'])('what is still untested, from %s', async (from) => {
    const { page, click, clicks } = await lookFor(from)
    if (from !== 'quality') await click(goTo(page, 'Quality'))
    await page.getByText(/Your client was tested against \d+ of \d+ responses/).waitFor()
    await page.getByRole('button', { name: '422 product-not-found , not tested' }).first().waitFor()
    expect(clicks()).toBeLessThanOrEqual(1)
  })

  /** What a click destroys, where, and what then is as before. */
  const destroyed: [
    what: string,
    from: string,
    destroy: (page: Page) => Promise<void>,
    isBack: (sim: Started) => Promise<unknown>,
  ][] = [
    [
      'a record',
      'data/services/5001',
      (page) => page.getByRole('button', { name: 'Delete service 5001' }).click(),
      async ({ call }) => (await call('GET', '/api/service/5001')).status,
    ],
    [
      'an account',
      'data',
      (page) => page.getByRole('button', { name: 'Delete account' }).click(),
      async ({ call }) => (await call('GET', '/__admin/accounts/reseller')).status,
    ],
    [
      'the time',
      'requests',
      async (page) => {
        await page.getByRole('button', { name: 'clock' }).click()
        await page.getByRole('button', { name: '+1 month' }).click()
      },
      async ({ call }) => {
        const { json } = await call<{ now: string }>('GET', '/__admin/clock')
        return Date.parse(json.now) < Date.now() + 60_000
      },
    ],
    [
      'the state, by a scenario',
      'quality',
      async (page) => {
        await page.getByRole('button', { name: 'scenario' }).click()
        await page.getByRole('button', { name: /^low-funds/ }).click()
      },
      async ({ call }) => (await call<{ credit: number }>('GET', '/__admin/accounts/reseller')).json.credit,
    ],
    [
      'a token',
      'data',
      async (page) => {
        await page.getByRole('button', { name: '1 API token' }).click()
        await page.getByRole('button', { name: 'Revoke tok_reseller' }).click()
      },
      async ({ call }) => (await call<{ tokens: string[] }>('GET', '/__admin/accounts/reseller')).json.tokens,
    ],
  ]
  test.each(destroyed)('how to get back %s', async (_what, from, destroy, isBack) => {
    const sim = await start()
    const { page, wrongs } = await openLive(open, `${sim.url}/#/${from}`)
    const before = await isBack(sim)
    await destroy(page)
    const toast = page.getByRole('contentinfo')
    await toast.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await isBack(sim)).not.toEqual(before)
    await page.keyboard.press('Escape')
    await toast.getByRole('button', { name: 'Undo' }).click()
    await toast.getByText('Undone.').waitFor()
    expect(await isBack(sim)).toEqual(before)
    expect(wrongs.filter((wrong) => !wrong.includes('404'))).toEqual([])
  })
})
