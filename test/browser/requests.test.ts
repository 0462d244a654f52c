import { describe, expect, test } from 'vitest'
import { type LookOptions, look as lookWith, noBrowser, useBrowser } from './browser.ts'

describe.skipIf(noBrowser)('Requests', () => {
  const open = useBrowser()
  const look = (options?: LookOptions) => lookWith(open, options)
  const ordered = (product = 101): [string, string, object] => [
    'POST',
    `/api/product/${product}`,
    { body: { clientid: 11 } },
  ]
  const read: [string, string] = ['GET', '/api/clients']

  test('an empty journal shows how to send the first request, but a cleared one does not', async () => {
    const { url, call, page, wrongs, press, shows } = await look()
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
    expect(await page.locator('.first-request pre').innerText()).toContain(`curl '${url}/api/clients'`)
    await call('GET', '/clients')
    await shows('1 request never reached the API')
    await call('GET', '/api/clients')
    await page.locator('.entry').waitFor()
    await press('Clear')
    await shows('No new requests. Earlier requests are cleared from view.', 'All 0')
    await press('Show all')
    await page.locator('.entry').waitFor()
    expect(wrongs).toEqual([])
  })

  test('a request shows old and new values, also after a reload', async () => {
    const { page } = await look({ sent: [['PUT', '/api/service/5001', { body: { setip: '203.0.113.9' } }]] })
    const change = 'service 5001 bindedip: 192.0.2.10 → 203.0.113.9'
    await page.locator('.entry').getByText(change).click()
    await page.getByRole('article').getByText(change).waitFor()
    await page.reload()
    await expect.poll(() => page.getByRole('article').innerText()).toContain(change)
  })

  test('live requests appear immediately, with their fault, which is no contract violation', async () => {
    const { call, page, wrongs, press, shows } = await look({ mayViolate: true })
    await call('POST', '/__admin/faults', {
      body: { operation: 'getCredit', respond: { status: 503 }, times: 1 },
    })
    await page.getByRole('button', { name: '1 fault' }).waitFor()
    await call('GET', '/api/billing/credit')
    const row = page.locator('.entry')
    await expect.poll(() => row.innerText()).toMatch(/503.*fault/s)
    expect(await row.locator('.mark').allInnerTexts()).toEqual(['fault 1'])
    await page.getByRole('button', { name: 'no faults' }).waitFor()
    await press(/^Violations/)
    await shows('No requests match')
    expect(wrongs).toEqual([])
  })

  test('a row says what happened: that nothing changed, and which field is ignored', async () => {
    const { page } = await look({
      sent: [
        ['PUT', '/api/service/5001', { body: { set_ip: '203.0.113.9' } }],
        ['GET', '/api/service/99'],
        read,
      ],
    })
    const texts = () => page.locator('.entry-outcome').allInnerTexts()
    await expect
      .poll(async () => (await texts()).map((text) => text.replaceAll(/\s+/g, ' ')))
      .toEqual(['listClients', 'there is no service 99', 'unknown field "set_ip" ignored · nothing changed'])
  })

  test('requests can be grouped by account, under the label that it was created with', async () => {
    const { call, page, press, shows } = await look()
    const label = 'orders without credit'
    const { json } = await call<{ login: string; authorization: string }>('POST', '/__admin/accounts', {
      body: { label },
    })
    const headers = { authorization: json.authorization }
    for (let i = 0; i < 2; i++) {
      await call('GET', '/api/clients')
      await call('GET', '/api/products', { login: null, headers })
    }
    await page.locator('.entry').nth(3).waitFor()
    await press(/^account/, /All accounts/, 'Group by account')
    await page.waitForURL('**/#/requests?group=account')
    await expect
      .poll(() => page.locator('.entry-group').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^orders without credit\s+2 requests/),
        expect.stringMatching(/^reseller\s+2 requests/),
      ])
    await page.getByRole('listbox').focus()
    for (const [key, id] of ['Down 4', 'Down 2', 'Down 3', 'Up 2'].map((step) => step.split(' '))) {
      await page.keyboard.press(`Arrow${key}`)
      await page.getByRole('article', { name: `Request ${id}` }).waitFor()
    }
    await shows(`orders without credit (${json.login})`)
  })

  test('filters are in the URL, and are kept when the user returns', async () => {
    const { page, press } = await look({ sent: [read, ['GET', '/api/service/99']] })
    await page.getByLabel('Search requests').fill('service')
    await press(/^Failed/)
    await page.waitForURL('**/#/requests?show=failed&q=service')
    await page.getByRole('link', { name: 'Data' }).click()
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.waitForURL('**/#/requests?show=failed&q=service')
    await expect.poll(() => page.locator('.entry').count()).toBe(1)
  })

  test('arrow keys move, Escape closes, and the browser history gets one step', async () => {
    const { url, page } = await look({ at: 'problems', sent: [read, read, read] })
    await page.goto(`${url}/#/requests`)
    await page.locator('.entry').first().click()
    await page.getByRole('article', { name: 'Request 3' }).waitFor()
    await page.getByRole('listbox').focus()
    for (const id of [2, 1]) {
      await page.keyboard.press('ArrowDown')
      await page.getByRole('article', { name: `Request ${id}` }).waitFor()
    }
    await expect.poll(() => page.locator('.entry[aria-selected=true]').count()).toBe(1)
    await page.goBack()
    await page.waitForURL('**/#/requests')
    await page.goForward()
    await page.getByRole('article', { name: 'Request 1' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('article').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.className)).toContain('entries')
  })

  test('a link to a request scrolls to it, or says that it never existed', async () => {
    const { url, page } = await look({ at: 'requests/2', sent: Array.from({ length: 60 }, () => read) })
    await page.locator('#entry-2').waitFor()
    await page.goto(`${url}/#/requests/999`)
    await expect.poll(() => page.getByText('There is no request 999.').count()).toBe(1)
  })

  test('a request is sent again, and opened', async () => {
    const { call, page } = await look({ at: 'requests/1', sent: [ordered()] })
    await page.getByRole('button', { name: 'Send again' }).dblclick()
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    expect((await call<{ total: number }>('GET', '/__admin/requests')).json.total).toBe(2)
  })

  test('a request is edited and sent, and a new one starts with an example', async () => {
    const { page, press } = await look({ at: 'requests/1', sent: [ordered(104)] })
    await press('More actions')
    await page.getByRole('link', { name: 'Edit and resend' }).click()
    expect(await page.getByLabel('Path').inputValue()).toBe('/api/product/104')
    await page.getByLabel('Path').fill('/api/product/101')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('article', { name: 'Request 2' }).getByText('credit: 250.00 → 230.00').waitFor()
    await page.getByRole('link', { name: 'New request' }).click()
    await page.getByLabel('Operation').selectOption('getService')
    expect(await page.getByLabel('Path').inputValue()).toMatch(/^\/api\/service\/\d+$/)
    await page.getByRole('combobox', { name: 'Credentials' }).selectOption('Wrong password')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('article', { name: 'Request 3' }).getByText('401').first().waitFor()
  })

  test('a request is rewound and marked, and Undo reverts that', async () => {
    const { call, page, account, press, shows } = await look({ at: 'requests/1', sent: [ordered()] })
    await press('Make it happen again')
    const done = 'Account reseller is as it was before #1. Run your client again.'
    await shows(done, 'A rewind has undone this request.')
    expect((await account()).credit).toBe(250)
    await page.keyboard.press('Escape')
    await press('Undo')
    await shows('Undone.')
    expect((await account()).credit).toBe(230)
    await expect.poll(() => page.getByText('A rewind has undone').count()).toBe(0)
    await call('POST', '/__admin/requests/1/rewind') // by another client
    await expect.poll(() => page.locator('.is-rewound').innerText()).toContain('rewound')
  })

  test('Fail this call fills in the fault form', async () => {
    const { call, press, shows } = await look({
      at: 'requests/1',
      sent: [['GET', '/api/service/5001']],
    })
    await press('More actions', 'Fail this call…', 'Add fault')
    await shows('Fault added.')
    expect((await call('GET', '/api/service/5002')).status).toBe(200)
    expect((await call('GET', '/api/service/5001')).status).toBe(503)
  })

  test('Fail this call fills in the fault that the request hit', async () => {
    const fault = { operation: 'orderService', drop: 'empty', phase: 'after', delay: 7, times: 1 }
    const { call, page, press, shows } = await look({ mayViolate: true })
    await call('POST', '/__admin/faults', { body: fault })
    await call('POST', '/api/product/101', { body: { clientid: 11 } }).catch(() => {})
    await page.getByText('credit 230.00').first().waitFor() // the dashboard knows the account's new state
    expect(await page.locator('.entry').innerText()).toMatch(/lost.*fault 1.*250\.00 → 230\.00/s)
    await page.locator('.entry').click()
    await press('More actions', 'Fail this call…', 'Add fault')
    await shows('Fault added.')
    expect((await call<object[]>('GET', '/__admin/faults')).json[1]).toMatchObject({ ...fault, used: 0 })
  })

  test('a request is copied as a scenario and as a command', async () => {
    const context = { permissions: ['clipboard-read', 'clipboard-write'] }
    const { page, press } = await look({ at: 'requests/1', sent: [ordered(104)], context })
    const copied = async (label: string, part: string) => {
      await page.getByRole('button', { name: label }).click()
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(part)
    }
    await press('More actions')
    await copied('Copy as curl', `-u 'reseller:secret'`)
    await copied('Copy as scenario', 'POST /api/product/104')
  })
})
