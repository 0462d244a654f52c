import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

describe.skipIf(noBrowser)('the reference', () => {
  const open = useBrowser()

  test('has every operation with its errors, and sends requests with the credentials', async () => {
    const { url, call } = await start()
    const { page, wrongs, press, shows } = await open(`${url}/docs`)
    await shows('Requests are sent as reseller.')
    const { json } = await call<{ operations: unknown[] }>('GET', '/__admin/coverage')
    await expect.poll(() => page.locator('.operation').count()).toBe(json.operations.length)
    await page.getByLabel('Search operations').fill('orderService')
    await expect.poll(() => page.locator('.operation').count()).toBe(1)
    const operation = page.locator('#orderService')
    await operation.getByText('insufficient-funds', { exact: true }).waitFor()
    await operation.getByText('Unprocessed entity or not enough funds to order').waitFor()
    const field = operation.getByRole('list', { name: 'Request body' }).getByRole('listitem').first()
    expect(await field.innerText()).toMatch(/clientid integer required/)
    const command = operation.getByLabel('curl command of orderService')
    await command.waitFor()
    await press('Try it out', 'Send')
    expect(await command.count(), 'the form replaces the example').toBe(0)
    await page.getByRole('region', { name: 'Try it out' }).getByText('"serviceId": 5104').waitFor()
    const { json: journal } = await call<{ requests: { account: string; status: number }[] }>(
      'GET',
      '/__admin/requests',
    )
    expect(journal.requests).toMatchObject([{ account: 'reseller', status: 200 }])
    expect((await call('GET', '/__admin/findings')).json).toEqual([])
    expect(wrongs).toEqual([])
  })

  test('has samples in a language that is remembered', async () => {
    const { url } = await start()
    const { page } = await open(`${url}/docs`)
    await page.locator('#listClients').getByRole('button', { name: 'PHP' }).click()
    await page.getByLabel('PHP sample of orderService').getByText("json_encode(['clientid' => 11").waitFor()
    await page.reload()
    await expect.poll(() => page.getByLabel('PHP sample of orderService').count()).toBe(1)
  })

  test('a refusal is shown with its reason and case, and does not widen the form', async () => {
    const { url } = await start()
    const { page } = await open(`${url}/docs#orderService`, { viewport: { width: 1024, height: 800 } })
    const operation = page.locator('#orderService')
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByLabel('Body (JSON)').fill('{"clientid":99}')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByRole('status').getByText('client 99').waitFor()
    await operation.getByRole('status').getByText('Case client-not-found').waitFor()
    const right = (await operation.getByLabel('Body (JSON)').boundingBox()) ?? { x: 0, width: 0 }
    expect(right.x + right.width, 'the response does not widen the form').toBeLessThan(1024)
  })

  test('finds operations by all words, and makes the next call fail like a documented error', async () => {
    const { url, call } = await start()
    const { page, shows } = await open(`${url}/docs`)
    await shows('Requests are sent as reseller.')
    await page.getByLabel('Search operations').fill('update service')
    await expect.poll(() => page.locator('.operation').count()).toBe(1)
    const error = page.locator('#updateService .fields li', { hasText: 'ip-already-bound' })
    await error.getByRole('button', { name: 'make the next call fail like this' }).click()
    await shows('The next updateService request will get ip-already-bound.')
    const update = () => call('PUT', '/api/service/5001', { body: { setip: '192.0.2.99' } })
    expect((await update()).headers['sim-case']).toBe('ip-already-bound')
    expect((await update()).status).toBe(200)
  })

  test('shows the type of every field', async () => {
    const { url } = await start()
    const { page } = await open(`${url}/docs`)
    await page.locator('.operation').first().waitFor()
    for (const summary of await page.locator('details > summary').all()) await summary.click()
    expect(await page.locator('.fields li', { hasText: /any value|undefined/ }).allInnerTexts()).toEqual([])
  })

  test('has a list with links to each operation, also on a phone', async () => {
    const { url } = await start()
    for (const width of [1280, 390]) {
      const { page } = await open(`${url}/docs`, { viewport: { width, height: 800 } })
      const list = page.getByRole('navigation', { name: 'Operations' })
      if (width === 390) await page.locator('summary', { hasText: 'Operations' }).click()
      await list.getByRole('link', { name: 'Read an invoice' }).click()
      await expect
        .poll(() =>
          page.locator('#getInvoice').evaluate((one) => Math.round(one.getBoundingClientRect().top) < 120),
        )
        .toBe(true)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await list.isVisible()).toBe(width === 1280)
    }
  })

  test('of the control plane asks for the token, and sends requests with it', async () => {
    const { url } = await start({ adminToken: 'open-sesame' })
    const { page, enter } = await open(`${url}/docs/admin#listScenarios`)
    await enter('Admin token', 'open-sesame')
    const operation = page.locator('#listScenarios')
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => operation.innerText()).toContain('"low-funds"')
  })
})
