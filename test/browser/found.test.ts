import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { look, noBrowser, useBrowser } from './browser.ts'

/** What a click destroys, where, and what then is as before. */
const destroyed: [
  what: string,
  from: string,
  buttons: (string | RegExp)[],
  read: string,
  of: (json: { now: string; credit: number; tokens: string[] }, status: number) => unknown,
][] = [
  ['a record', 'data/services/5001', ['Delete service 5001'], '/api/service/5001', (_, status) => status],
  ['an account', 'data', ['Delete account'], '/__admin/accounts/reseller', (_, status) => status],
  [
    'the time',
    'requests',
    ['clock', '+1 month'],
    '/__admin/clock',
    ({ now }) => Date.parse(now) < Date.now() + 60_000,
  ],
  [
    'the state, by a scenario',
    'quality',
    ['scenario', /^low-funds/],
    '/__admin/accounts/reseller',
    ({ credit }) => credit,
  ],
  [
    'a token',
    'data',
    ['1 API token', 'Revoke tok_reseller'],
    '/__admin/accounts/reseller',
    ({ tokens }) => tokens,
  ],
]

describe.skipIf(noBrowser)('found in five seconds', { timeout: 60_000 }, () => {
  const open = useBrowser()

  const row = (page: Page, text: string) => page.locator('.entry').filter({ hasText: text }).first()

  test.each(['requests', 'data', 'quality'])('base URL and credentials, in sight on %s', async (place) => {
    const { url, page, wrongs } = await look(open, { at: place, sent: [['GET', '/api/clients']] })
    await page.getByText(url, { exact: true }).waitFor()
    await page.getByText('reseller:secret').waitFor()
    await page.getByRole('button', { name: /^credentials/ }).click()
    const menu = page.getByRole('dialog', { name: 'Credentials' })
    expect((await menu.innerText()).split(/\s+/)).toEqual(
      expect.arrayContaining(['reseller', 'secret', 'tok_reseller']),
    )
    await menu.getByRole('button', { name: 'Copy as .env' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('all else is on the page of its name, in sight or one click away', async () => {
    const { page } = await look(open, {
      at: 'quality',
      sent: [
        ['GET', '/api/clients'],
        ['POST', '/api/product/104', { body: { clientid: 11 } }],
      ],
    })
    const goTo = (name: string) =>
      page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
    // what is still untested
    await page.getByText(/Your client was tested against \d+ of \d+ responses/).waitFor()
    await page.getByRole('button', { name: '422 product-not-found , not tested' }).first().waitFor()
    await goTo('Requests')
    // why the last call failed, and the failures only
    await row(page, 'credit 250.00 is less than price 499.99').waitFor()
    await page.getByRole('button', { name: /^Failed/ }).click()
    await expect.poll(() => page.locator('.entry').count()).toBe(1)
    await row(page, '/api/product/104').waitFor()
    await goTo('Data')
    // a given service
    await page.getByRole('searchbox', { name: 'Search the services' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('5101')
    await page.getByRole('row', { name: /5101/ }).click()
    await page.getByRole('article', { name: 'Service 5101' }).waitFor()
  })

  test('which account a request was of', async () => {
    const { page } = await look(open, {
      scenario: 'two-accounts',
      sent: ['reseller', 'another'].map((login) => ['GET', `/api/clients?${login}`, { login }]),
    })
    for (const login of ['reseller', 'another'])
      await expect.poll(() => row(page, `?${login}`).getByText(login, { exact: true }).count()).toBe(1)
  })

  test.each(destroyed)('how to get back %s', async (_what, from, buttons, read, of) => {
    const { call, page, wrongs } = await look(open, { at: from })
    const state = async () => {
      const { json, status } = await call<{ now: string; credit: number; tokens: string[] }>('GET', read)
      return of(json, status)
    }
    const before = await state()
    for (const name of buttons) await page.getByRole('button', { name }).click()
    const toast = page.getByRole('contentinfo')
    await toast.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await state()).not.toEqual(before)
    await page.keyboard.press('Escape')
    await toast.getByRole('button', { name: 'Undo' }).click()
    await toast.getByText('Undone.').waitFor()
    expect(await state()).toEqual(before)
    expect(wrongs.filter((wrong) => !wrong.includes('404'))).toEqual([])
  })
})
