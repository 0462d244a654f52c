import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, openLive, useBrowser } from './browser.ts'

interface World {
  credit: number
  password: string
  tokens: string[]
  services: Record<string, { status: string; nextduedate: string; bindedip: string }>
}

describe.skipIf(noBrowser)('Data', { timeout: 60_000 }, () => {
  const open = useBrowser()

  /** The dashboard on a simulator of its own, and the world as the simulator has it. */
  async function look(at: string, options: Parameters<typeof start>[0] = {}) {
    const started = await start(options)
    const { page, wrongs } = await openLive(open, `${started.url}/#/${at}`)
    const world = async () => (await started.call<World>('GET', '/__admin/accounts/reseller')).json
    return { ...started, page, wrongs, world }
  }

  test('a record opens over its table, and is changed in place', async () => {
    const { page, wrongs, world } = await look('data')
    await page.getByRole('row', { name: /5001/ }).click()
    const drawer = page.getByRole('article', { name: 'Service 5001' })
    await drawer.getByLabel('status of service 5001').selectOption('Suspended')
    await page.getByText('status of service 5001: Suspended.').waitFor()
    await drawer.getByLabel('nextduedate of service 5001').fill('2027-03-01')
    await page.keyboard.press('Enter')
    await page.getByText('nextduedate of service 5001: 2027-03-01.').waitFor()
    expect((await world()).services['5001']).toMatchObject({ status: 'Suspended', nextduedate: '2027-03-01' })
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    expect(await page.getByRole('row', { name: /5001/ }).innerText()).toContain('Suspended')
    expect(wrongs).toEqual([])
  })

  test('what is refused says why under its field, moves nothing, and Escape takes it back', async () => {
    const { page, world } = await look('data/services/5001')
    const field = page.getByLabel('bindedip of service 5001')
    const below = page.getByLabel('All fields of service 5001, as JSON')
    const top = (await below.boundingBox())?.y
    await field.fill('192.0.2.20')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('192.0.2.20').waitFor()
    expect((await below.boundingBox())?.y).toBe(top)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.press('Escape')
    expect(await field.inputValue()).toBe('192.0.2.10')
    expect((await world()).services['5001']?.bindedip).toBe('192.0.2.10')
  })

  test('all of a record is changed as JSON', async () => {
    const { page, world } = await look('data/services/5001')
    const json = page.getByLabel('All fields of service 5001, as JSON')
    await json.fill('nonsense')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('This is not a JSON object.').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await json.fill((await json.inputValue()).replace('"Active"', '"Fraud"'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Service 5001 saved.').waitFor()
    expect((await world()).services['5001']?.status).toBe('Fraud')
  })

  test('a delete says what it orphans', async () => {
    const { page, world } = await look('data/services/5001')
    await page.getByText('named by 1 invoice').waitFor()
    await page.getByRole('button', { name: 'Delete service 5001' }).click()
    await page.getByText('Service 5001 deleted. It is still named by 1 invoice.').waitFor()
    expect((await world()).services['5001']).toBeUndefined()
  })

  test('credit, password and tokens', async () => {
    const { page, world } = await look('data')
    await page.getByLabel('Credit in USD').fill('12,5')
    await page.keyboard.press('Enter')
    await page.getByText('Credit set to 12.50.').waitFor()
    await page.getByLabel('Credit in USD').fill('much')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Password').fill('changed')
    await page.keyboard.press('Enter')
    await page.getByText('Password changed.').waitFor()
    await page.getByText('reseller:changed').waitFor()
    await page.getByRole('button', { name: '1 API token' }).click()
    await page.getByRole('button', { name: 'Generate API token' }).click()
    await page.getByRole('button', { name: '2 API tokens' }).waitFor()
    expect(await world()).toMatchObject({ credit: 12.5, password: 'changed' })
    expect((await world()).tokens).toHaveLength(2)
  })

  test('accounts are made, chosen and deleted; the chosen one scopes every page', async () => {
    const { page, call } = await look('data/accounts')
    await page.getByLabel('Login of the new account').fill('reseller')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Login of the new account').fill('second')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByText('Account second created.').waitFor()
    await call('GET', '/api/clients')
    await call('GET', '/api/products', { login: 'second' })
    await page.getByRole('row', { name: /second/ }).click()
    await page.getByText('second:').waitFor()
    await page.getByRole('link', { name: 'Requests' }).click()
    await expect.poll(() => page.locator('.entry').count()).toBe(1)
    await page.getByRole('button', { name: 'account second' }).click()
    await page.getByRole('button', { name: /All accounts/ }).click()
    await page.locator('.entry').nth(1).waitFor()
    await page.getByRole('link', { name: 'Data' }).click()
    await page.getByRole('button', { name: 'Delete second' }).click()
    await page.getByText('Account second deleted').waitFor()
  })

  test('YAML is checked before it is loaded, with the line of each mistake', async () => {
    const { page, world } = await look('data/yaml')
    const field = page.getByLabel('The state as YAML')
    await expect.poll(() => field.inputValue()).toContain('credit: 250')
    const text = await field.inputValue()
    await field.fill(text.replace('credit: 250', 'credit: lots'))
    await page.getByRole('button', { name: 'Load this' }).click()
    await page.getByRole('button', { name: /^Line \d+: .*credit/ }).click()
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe(text.indexOf('credit: 250') + 8)
    expect((await world()).credit).toBe(250)
    await field.fill(text.replace('credit: 250', 'credit: 3'))
    await page.getByRole('button', { name: 'Load this' }).click()
    await page.getByText('Loaded.').waitFor()
    expect((await world()).credit).toBe(3)
  })

  test('sessions end by the account’s clock, and lead to their service', async () => {
    const { page, call } = await look('data/sessions')
    await call('GET', '/api/sticky/list/5101')
    await page
      .getByText(/in \d+ min/)
      .first()
      .waitFor()
    await page.getByRole('grid', { name: 'Sticky sessions' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('article').innerText()).toMatch(/^Service \d+/)
  })
})
