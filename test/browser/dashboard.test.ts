import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { violations } from './violations.ts'

const order = { body: { clientid: 11 } }

/** The dashboard, once it follows what happens. */
async function live(page: Page): Promise<void> {
  await page.getByText('live', { exact: true }).waitFor()
}

describe.skipIf(noBrowser)('the dashboard', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('who has read nothing makes an order fail for want of funds, and is told why', async () => {
    const { url } = await start()
    const { page, wrongs } = await open(url)
    // The empty journal says what to do, in three steps.
    await page.getByRole('button', { name: 'Load low-funds' }).click()
    await page.getByText('low-funds is loaded.').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('credit 0.50 is less than price 20.00').waitFor()
    await page.getByRole('link', { name: 'Open it in the journal' }).click()
    const opened = page.getByRole('article')
    await opened.getByText('Why: insufficient-funds').waitFor()
    expect(await opened.innerText()).toContain('credit 0.50 is less than price 20.00')
    expect(await opened.innerText()).toContain('Unprocessed entity or not enough funds to order')
    expect(wrongs).toEqual([])
  })

  test('a request by the API appears by itself, with what it changed', async () => {
    const { url, call } = await start()
    const { page, wrongs } = await open(url)
    await live(page)
    const { status } = await call('POST', '/api/product/101', order)
    expect(status).toBe(200)
    const entry = page.getByRole('option', { name: /\/api\/product\/101.*orderService/ })
    await entry.click()
    const opened = page.getByRole('article')
    await opened.getByText('What it changed').waitFor()
    const text = await opened.innerText()
    expect(text).toMatch(/credit\s+250\.00\s+→\s+is now\s+230\.00/)
    expect(text).toMatch(/\+\s+service 5104 \(Static 10, Active\)/)
    expect(text).toMatch(/\+\s+invoice \d+ \(Paid, 20\.00\)/)
    expect(wrongs).toEqual([])
  })

  test('a bound address that changes shows what it was', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/requests`)
    await live(page)
    await call('PUT', '/api/service/5001', { body: { setip: '203.0.113.10' } })
    const outcome = page.locator('.entry .entry-reason')
    await expect.poll(() => outcome.innerText()).toBe('service 5001 bindedip 192.0.2.10 → 203.0.113.10')
  })

  test('a request is copied as curl, with the credentials that the journal does not keep', async () => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', { body: { clientid: 77 } })
    const { page } = await open(`${url}/#/requests/1`, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByLabel('Language to copy in').selectOption('curl')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      [
        'curl -i -X POST',
        "-u 'reseller:secret'",
        "-H 'accept: application/json'",
        "-H 'content-type: application/json'",
        `-d '{"clientid":77}'`,
        `'${url}/api/product/101'`,
      ].join(' \\\n  '),
    )
  })

  test('what broke the contract is named', async () => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', { raw: '{"clientid":' })
    const { page } = await open(`${url}/#/requests/1`)
    await page.getByRole('heading', { name: 'Breaks the contract' }).waitFor()
    expect(await page.getByRole('article').innerText()).toContain('the body is not valid JSON')
  })

  test('an account that is taken away is no longer looked at', async () => {
    const { url, call } = await start({ scenario: 'two-accounts' })
    const { page } = await open(`${url}/#/world`)
    await page.getByRole('banner').getByLabel('Account').selectOption('another')
    await page.getByRole('heading', { name: 'World of another' }).waitFor()
    await call('DELETE', '/__admin/accounts/another')
    const heading = page.getByRole('heading', { level: 1 })
    await expect.poll(() => heading.innerText()).toBe('World of reseller')
  })

  test('the journal is filtered by operation, status, case and text', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients')
    await call('POST', '/api/product/999', order)
    await call('POST', '/api/product/104', order)
    const { page } = await open(url)
    const entries = page.getByRole('option', { name: /\/api\// })
    await expect.poll(() => entries.count()).toBe(3)
    await page.getByLabel('Case').selectOption('insufficient-funds')
    await expect.poll(() => entries.count()).toBe(1)
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Status', { exact: true }).selectOption('4xx')
    await expect.poll(() => entries.count()).toBe(2)
    await page.getByLabel('Operation').selectOption('listClients')
    await page.getByText('No request matches.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Search the requests').fill('less than price')
    await expect.poll(() => entries.count()).toBe(1)
  })

  test('what the contract does not have can be filtered by once it occurs', async () => {
    const { url, call } = await start()
    await call('POST', '/api/clients')
    await call('POST', '/__admin/faults', { body: { operation: 'getCredit', respond: { status: 503 } } })
    await call('GET', '/api/billing/credit')
    const { page } = await open(url)
    const entries = page.getByRole('option', { name: /\/api\// })
    await page.getByLabel('Case').selectOption('method-not-allowed')
    // Read aloud, its parts are apart.
    await page
      .getByRole('option', { name: 'POST /api/clients unknown method method-not-allowed POST is not' })
      .waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Status', { exact: true }).selectOption('503')
    await expect.poll(() => entries.count()).toBe(1)
  })

  test('the journal is read with the arrow keys', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients')
    await call('GET', '/api/products')
    const { page } = await open(url)
    const list = page.getByRole('listbox')
    await list.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('article', { name: 'Request 1' }).waitFor()
    expect(await list.getAttribute('aria-activedescendant')).toBe('entry-1')
  })

  test('a fault is armed for an operation and one of its cases, strikes, and is removed', async () => {
    const { url, call } = await start()
    const { page, wrongs } = await open(`${url}/#/control`)
    await live(page)
    const form = page.getByRole('form', { name: 'Arm a fault' })
    await form.getByLabel('Operation').selectOption('updateService')
    const cases = await form.getByLabel('Case').locator('option').allInnerTexts()
    expect(cases).toContain('update-list-throttled')
    expect(cases).not.toContain('insufficient-funds')
    await form.getByLabel('Case').selectOption('update-list-throttled')
    await form.getByRole('button', { name: 'Arm' }).click()
    const armed = page.getByRole('list', { name: 'Armed faults' }).getByRole('listitem')
    await armed.getByText('updateService answers update-list-throttled').waitFor()
    const { status } = await call('PUT', '/api/service/5001', { body: {} })
    expect(status).toBe(429)
    await armed.getByText('spent: 1 of 1 times').waitFor()
    await armed.getByRole('button', { name: /Remove fault/ }).click()
    await page.getByText('None is armed').waitFor()
    expect(wrongs).toEqual([])
  })

  test('the clock is frozen and advanced, and sessions fall due', async () => {
    const { url, call } = await start({ scenario: 'session-expired' })
    const { page } = await open(`${url}/#/control`)
    await live(page)
    const box = page.getByRole('region', { name: 'Clock' })
    await box.getByText('2026-01-15 12:00:00').waitFor()
    await box.getByRole('button', { name: '+ 1 hour' }).click()
    await box.getByText('2026-01-15 13:00:00').waitFor()
    await box.getByRole('button', { name: '+ 1 month' }).click()
    await box.getByText('2026-02-15 13:00:00').waitFor()
    await box.getByLabel('By another duration').fill('tomorrow')
    await box.getByRole('button', { name: 'Advance', exact: true }).click()
    await box
      .getByRole('alert')
      .getByText(/duration/)
      .waitFor()
    expect(await box.getByLabel('By another duration').inputValue()).toBe('tomorrow')
    await box.getByText('2026-02-15 13:00:00').waitFor()
    await box.getByRole('button', { name: 'Resume' }).click()
    await box.getByText('running').waitFor()
    expect((await call<{ frozen: boolean }>('GET', '/__admin/clock')).json.frozen).toBe(false)
  })

  test('a generated token opens the API', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/world`)
    await page.getByRole('button', { name: 'Generate API token' }).click()
    const token = await page.locator('.new-token code').innerText()
    const authorization = `Basic ${Buffer.from(`reseller:${token}`).toString('base64')}`
    expect((await call('GET', '/api/clients', { headers: { authorization } })).status).toBe(200)
    expect(
      (await call('GET', '/api/clients', { headers: { authorization: `${authorization}x` } })).status,
    ).not.toBe(200)
  })

  test('credit, status and bound address are changed in place', async () => {
    const { url, call } = await start()
    const { page, wrongs } = await open(`${url}/#/world`)
    await page.getByLabel('Credit in USD').fill('12.5')
    await page.keyboard.press('Enter')
    await page.getByText('The credit is 12.50.').waitFor()
    expect((await call<{ credit: number }>('GET', '/api/billing/credit')).json.credit).toBe(12.5)
    await page.getByLabel('status of service 5001').selectOption('Suspended')
    await page.getByText('status of service 5001 is Suspended.').waitFor()
    await page.getByRole('button', { name: 'Unbind 192.0.2.20' }).click()
    await page.getByText('bindedip of service 5002 is empty.').waitFor()
    const { services } = (
      await call<{ services: Record<string, { status: string; bindedip: string }> }>(
        'GET',
        '/__admin/accounts/reseller',
      )
    ).json
    expect(services['5001']?.status).toBe('Suspended')
    expect(services['5002']?.bindedip ?? '').toBe('')
    expect(wrongs).toEqual([])
  })

  test('what others change is seen without a reload', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/world`)
    await page.getByLabel('status of service 5001').waitFor()
    await call('PATCH', '/__admin/accounts/reseller', {
      body: { credit: 7, services: { 5001: { status: 'Fraud' } } },
    })
    await expect.poll(() => page.getByLabel('Credit in USD').inputValue()).toBe('7.00')
    expect(await page.getByLabel('status of service 5001').inputValue()).toBe('Fraud')
    await call('POST', '/__admin/scenarios/low-funds/load')
    await expect.poll(() => page.getByLabel('Credit in USD').inputValue()).toBe('0.50')
  })

  test('a snapshot brings the state back', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/control`)
    await page.getByRole('button', { name: 'Take snapshot' }).click()
    await page.getByText('The snapshot is taken.').waitFor()
    await call('POST', '/api/product/101', order)
    await page.getByRole('button', { name: 'Restore s1' }).click()
    await page.getByText('s1 is restored.').waitFor()
    expect((await call<{ credit: number }>('GET', '/api/billing/credit')).json.credit).toBe(250)
  })

  test('an assumption is read the other way', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/control`)
    await page.locator('.assumptions code').getByText('ppr').first().waitFor()
    expect(await page.locator('.assumptions').innerText()).not.toContain('`')
    await page.getByLabel('Reading of unknownInvoice').selectOption('unprocessable')
    await page.getByText('unknownInvoice is read as unprocessable.').waitFor()
    expect((await call('GET', '/api/billing/invoice/1')).status).toBe(422)
  })

  test('coverage fills up, and a cell names the scenario that shows it', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/coverage`)
    await page.getByRole('button', { name: 'listClients success 200 not exercised' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(22)
    await call('GET', '/api/clients')
    await page.getByRole('button', { name: 'listClients success 200 1' }).waitFor()
    await page.getByRole('button', { name: 'authentication unauthenticated 401 not exercised' }).click()
    await page.getByText('operations 1/20 · answers 1/47').waitFor()
    await page.getByRole('button', { name: 'orderService insufficient-funds 422 not exercised' }).click()
    await page.getByRole('button', { name: 'Load low-funds' }).click()
    await page.getByText('low-funds is loaded.').waitFor()
  })

  test('coverage follows a reading that another program switches', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/coverage`)
    await page.getByRole('button', { name: /^getInvoice success 200/ }).waitFor()
    const refused = page.getByRole('button', { name: /^getInvoice unprocessable 422/ })
    expect(await refused.count()).toBe(0)
    const assumptions = { unknownInvoice: 'unprocessable' }
    await call('PATCH', '/__admin/accounts/reseller', { body: { assumptions } })
    await refused.waitFor()
  })

  test('a finding teaches, and leads to its requests', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients', { headers: { accept: '*/*' } })
    const { page } = await open(`${url}/#/findings`)
    await page.getByRole('heading', { name: /header-missing/ }).waitFor()
    expect(await page.locator('.findings .reason').innerText()).toContain('Accept')
    await page.getByRole('link', { name: /^#1,/ }).click()
    await page.getByRole('article', { name: 'Request 1' }).waitFor()
  })

  test('each account has its own world', async () => {
    const { url } = await start({ scenario: 'two-accounts' })
    const { page } = await open(`${url}/#/world`)
    await page.getByRole('banner').getByLabel('Account').selectOption('another')
    await page.getByRole('heading', { name: 'World of another' }).waitFor()
    await expect.poll(() => page.getByLabel('Credit in USD').inputValue()).toBe('10.00')
    await page.getByText('There is no service.').waitFor()
  })

  test('asks for the admin token where one is needed', async () => {
    const { url } = await start({ adminToken: 'open-sesame' })
    const { page } = await open(url)
    await page.getByLabel('Admin token').fill('open-sesame')
    await page.getByRole('button', { name: 'Open' }).click()
    await live(page)
    await expect.poll(() => page.getByText('No request yet.').count()).toBe(1)
  })

  test('says that a token is wrong, and does not send what cannot be one', async () => {
    const { url } = await start({ adminToken: 'open-sesame' })
    const { page } = await open(url)
    const field = page.getByLabel('Admin token')
    await field.fill('open-barley')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').getByText('That is not the token.').waitFor()
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await violations(page)).toEqual([])
    for (const impossible of ['', '日本', 'a b']) {
      await field.fill(impossible)
      expect(await field.evaluate((element: HTMLInputElement) => element.checkValidity())).toBe(false)
    }
    await field.fill('open-sesame')
    await field.press('Enter')
    await live(page)
  })

  test('a page that cannot be drawn says so, and takes no other down with it', async () => {
    const { url } = await start()
    const { page, wrongs } = await open(`${url}/#/world`)
    await page.route('**/__admin/findings', (route) => route.fulfill({ json: [{ requests: [] }] }))
    await page.reload()
    await page.getByRole('link', { name: /^Findings/ }).click()
    await page.getByRole('alert').getByText('This page could not be drawn').waitFor()
    expect(wrongs.splice(0)).toEqual([expect.stringMatching(/TypeError/)])
    await page.getByRole('link', { name: /^World/ }).click()
    await page.getByRole('heading', { name: 'World of reseller' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(wrongs).toEqual([])
  })

  test.each([
    ['world/constructor', 'World of reseller'],
    ['constructor', 'Requests'],
  ])('an address that names nothing, %s, shows the first page of its kind', async (place, title) => {
    const { url } = await start()
    const { page, wrongs } = await open(`${url}/#/${place}`)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('says when the simulator is gone', async () => {
    const { url, close } = await start()
    const { page } = await open(url)
    await live(page)
    await close()
    await expect.poll(() => page.getByRole('banner').innerText()).toContain('not connected')
  })
})
