import { describe, expect, test } from 'vitest'
import type { AccountState } from '../../src/index.ts'
import { look, noBrowser, useBrowser } from './browser.ts'

describe.skipIf(noBrowser)('the dashboard answers common questions', () => {
  const open = useBrowser()

  test.each(['requests', 'data', 'problems'])('base URL and credentials are visible on %s', async (place) => {
    const { url, page, wrongs, press, shows } = await look(open, {
      at: place,
      sent: [['GET', '/api/clients']],
    })
    await page.getByText(url, { exact: true }).waitFor()
    await shows('reseller:secret')
    await press(/^credentials/)
    const menu = page.getByRole('dialog', { name: 'Credentials' })
    for (const text of ['reseller', 'secret', 'tok_reseller'])
      await menu.getByText(text, { exact: true }).waitFor()
    await menu.getByRole('button', { name: 'Copy as .env' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('a request shows its account', async () => {
    const logins = ['reseller', 'another']
    const { page } = await look(open, {
      scenario: 'two-accounts',
      sent: logins.map((login) => ['GET', `/api/clients?${login}`, { login }]),
    })
    for (const login of logins)
      await expect
        .poll(() =>
          page
            .locator('.entry', { hasText: `?${login}` })
            .getByText(login, { exact: true })
            .count(),
        )
        .toBe(1)
  })

  test.each([
    ['a record', 'data/services/5001', ['Delete service 5001']],
    ['an account', 'data', ['Delete account']],
    ['the time', 'requests', ['clock', '+1 month']],
    ['the state, by a scenario', 'problems', ['scenario', /^low-funds/]],
    ['a token', 'data', ['1 API token', 'Revoke tok_reseller']],
  ])('Undo restores %s', async (_what, from, buttons) => {
    const { call, page, wrongs } = await look(open, { at: from })
    const state = async () => {
      const { status, json } = await call<AccountState>('GET', '/__admin/accounts/reseller')
      const { clock, ...account } = json
      return { status, ...account, isNow: !(Date.parse(clock?.now) > Date.now() + 60_000) }
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
