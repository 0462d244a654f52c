import { describe, expect, test } from 'vitest'
import { look as lookWith, type LookOptions, noBrowser, useBrowser } from './browser.ts'

describe.skipIf(noBrowser)('Data', () => {
  const open = useBrowser()
  const look = (at: string) => lookWith(open, { at })

  test('a record opens over its table, and is edited in place', async () => {
    const { page, wrongs, account, shows } = await look('data')
    await page.getByRole('row', { name: /5001/ }).click()
    const drawer = page.getByRole('article', { name: 'Service 5001' })
    await drawer.getByLabel('status of service 5001').selectOption('Suspended')
    await shows('status of service 5001 set to Suspended.')
    await drawer.getByLabel('nextduedate of service 5001').fill('2027-03-01')
    await page.keyboard.press('Enter')
    await shows('nextduedate of service 5001 set to 2027-03-01.')
    expect((await account()).services['5001']).toMatchObject({
      status: 'Suspended',
      nextduedate: '2027-03-01',
    })
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /5001.*Suspended/ }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('an ordered service shows its addresses, the first of which the order returned', async () => {
    const sent: LookOptions['sent'] = [['POST', '/api/product/101', { body: { clientid: 11 } }]]
    const { page, call } = await lookWith(open, { at: 'data/services/5104', sent })
    const { requests } = (
      await call<{ requests: { response: { body: { ip: string } } }[] }>('GET', '/__admin/requests')
    ).json
    const list = page.getByText(/and 5 more$/)
    await expect.poll(() => list.innerText()).toMatch(new RegExp(`^${requests[0]?.response.body.ip}, `))
  })

  test('a refusal is explained under its field without moving the page, and Escape reverts it', async () => {
    const { page, account } = await look('data/services/5001')
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
    expect((await account()).services['5001']?.bindedip).toBe('192.0.2.10')
  })

  test('a whole record can be edited as JSON', async () => {
    const { page, account, press, shows } = await look('data/services/5001')
    const json = page.getByLabel('All fields of service 5001, as JSON')
    await json.fill('nonsense')
    await press('Save')
    await page.getByRole('alert').getByText('Enter a valid JSON object.').waitFor()
    await press('Discard')
    await json.fill((await json.inputValue()).replace('"Active"', '"Fraud"'))
    await press('Save')
    await shows('Service 5001 saved.')
    expect((await account()).services['5001']?.status).toBe('Fraud')
  })

  test('a deletion lists the records that it orphans', async () => {
    const { account, press, shows } = await look('data/services/5001')
    await shows('referenced by 1 invoice')
    await press('Delete service 5001')
    await shows('Service 5001 deleted. It is still referenced by 1 invoice.')
    expect((await account()).services['5001']).toBeUndefined()
  })

  test('credit, password and tokens can be changed', async () => {
    const { page, account, press, shows, enter } = await look('data')
    await enter('Credit (USD)', '12,5')
    await shows('Credit set to 12.50.')
    await enter('Credit (USD)', 'much')
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await enter('Password', 'changed')
    await shows('Password changed.', 'reseller:changed')
    await press('1 API token', 'Generate API token')
    await page.getByRole('button', { name: '2 API tokens' }).waitFor()
    expect(await account()).toMatchObject({ credit: 12.5, password: 'changed' })
    expect((await account()).tokens).toHaveLength(2)
  })

  test('accounts are created, chosen and deleted; the choice applies to every page', async () => {
    const { page, call, press, shows } = await look('data/accounts')
    await page.getByLabel('Login of the new account').fill('reseller')
    await press('New account')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Login of the new account').fill('second')
    await press('New account')
    await shows('Account second created.')
    await call('GET', '/api/clients')
    await call('GET', '/api/products', { login: 'second' })
    await page.getByRole('row', { name: /second/ }).click()
    await shows('second:')
    await page.getByRole('link', { name: 'Requests' }).click()
    await expect.poll(() => page.locator('.entry').count()).toBe(1)
    await press('account second', /All accounts/)
    await page.locator('.entry').nth(1).waitFor()
    await page.getByRole('link', { name: 'Data' }).click()
    await press('Delete second')
    await shows('Account second deleted')
  })

  test('YAML is checked before it is loaded, with the line of each mistake', async () => {
    const { page, account, press, shows } = await look('data/yaml')
    const field = page.getByLabel('State as YAML')
    await expect.poll(() => field.inputValue()).toContain('credit: 250')
    const text = await field.inputValue()
    await field.fill(text.replace('credit: 250', 'credit: lots'))
    await press('Load YAML', /^Line \d+: .*credit/)
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe(text.indexOf('credit: 250') + 8)
    expect((await account()).credit).toBe(250)
    await field.fill(text.replace('credit: 250', 'credit: 3'))
    await press('Load YAML')
    await shows('YAML loaded.')
    expect((await account()).credit).toBe(3)
  })
})
