import { describe, expect, onTestFinished, test } from 'vitest'
import { SlowNetwork } from '../support/SlowNetwork.ts'
import { start } from '../support/start.ts'
import { look, noBrowser, useBrowser } from './browser.ts'

describe.skipIf(noBrowser)('the bar', () => {
  const open = useBrowser()

  test('scenarios are found, loaded and reset, and snapshots restored', async () => {
    const { call, page, wrongs, account, press, shows } = await look(open)
    const health = async () => (await call<{ scenario: string }>('GET', '/__admin/health')).json.scenario
    const credit = async () => (await account()).credit
    await press('scenario default', 'Take snapshot')
    await shows('Snapshot taken.', 'and empties the list of requests.')
    await page.getByLabel('Search scenarios').fill('insufficient')
    await press(/^low-funds/)
    await shows('low-funds loaded.')
    expect(await health()).toBe('low-funds')
    await call('PATCH', '/__admin/accounts/reseller', { body: { credit: 77 } })
    await press('Reset low-funds')
    await shows('Scenario low-funds reset.')
    expect(await credit()).not.toBe(77)
    await press('Restore My snapshot')
    await shows('Restored: My snapshot.')
    expect([await health(), await credit()]).toEqual(['default', 250])
    expect(wrongs).toEqual([])
  })

  test('the clock is frozen, advanced by common notations, and set, and mistakes are explained', async () => {
    const { call, page, account, press, shows } = await look(open)
    const now = async () => (await call<{ now: string }>('GET', '/__admin/clock')).json.now
    await press(/^clock/)
    const menu = page.getByRole('dialog', { name: 'Clock' })
    await menu.getByRole('button', { name: 'Freeze' }).click()
    await page.getByRole('button', { name: /^clock .* frozen/ }).waitFor()
    const start_ = Date.parse(await now())
    const field = menu.getByLabel('Advance by a duration or to a UTC date')
    await field.fill('3h')
    await field.press('Enter')
    await shows('Clock advanced to')
    expect(Date.parse(await now()) - start_).toBe(3 * 3_600_000)
    await field.fill('soon')
    await field.press('Enter')
    await menu.getByRole('alert').getByText('soon').waitFor()
    await field.fill('2031-02-01 08:00')
    await field.press('Enter')
    await shows('Clock advanced to 2031-02-01 08:00:00 UTC.')
    await menu.getByRole('switch', { name: 'Renewals: off' }).click()
    await shows('Renewals are on.')
    await menu.getByRole('switch', { name: 'Renewals: on' }).waitFor()
    expect((await account()).limits.renewal).toBe(true)
    await menu.getByLabel('Simulated seconds per real second').selectOption('60')
    await shows('Clock rate set to 60.')
    expect((await call<{ rate: number }>('GET', '/__admin/clock')).json.rate).toBe(60)
  })

  test('faults are amber while one is active, added, refused and removed; Undo adds them again', async () => {
    const { call, page, press, shows } = await look(open)
    const faults = async () => (await call<object[]>('GET', '/__admin/faults')).json
    await press('no faults')
    const menu = page.getByRole('dialog', { name: 'Faults' })
    await menu.getByLabel('Operation').selectOption('getCredit')
    await menu.getByLabel('Response').selectOption('too-many-requests')
    await menu.getByLabel('Times').fill('often')
    await menu.getByRole('button', { name: 'Add fault' }).click()
    await menu.getByRole('alert').getByText(/times/).waitFor()
    await menu.getByLabel('Times').fill('2')
    await menu.getByRole('button', { name: 'Add fault' }).click()
    await page.getByRole('button', { name: '1 fault' }).waitFor()
    await menu.getByText('getCredit responds with 429').waitFor()
    const { status, headers } = await call('GET', '/api/billing/credit')
    expect([status, headers['retry-after']]).toEqual([429, '1'])
    await menu.getByText('(1 of 2)').waitFor()
    await menu.getByRole('button', { name: 'Remove fault 1' }).click()
    await shows('Fault 1 removed.')
    expect(await faults()).toEqual([])
    await page.keyboard.press('Escape')
    await press('Undo')
    await shows('Undone.')
    expect(await faults()).toMatchObject([{ id: 1, used: 1 }])
  })

  test('a click adds a usual fault or lowers the credit, and Undo reverts that', async () => {
    const { call, page, account, press, shows } = await look(open)
    const order = () => call('POST', '/api/product/101', { body: { clientid: 11 } })
    await press('no faults', '429')
    await shows('The next request will get 429.')
    expect((await order()).status).toBe(429)
    await press('Low credit')
    await shows('Credit set to 0.00.')
    expect((await order()).headers['sim-case']).toBe('insufficient-funds')
    await page.keyboard.press('Escape')
    await press('Undo')
    await shows('Undone.')
    expect((await account()).credit).toBe(250)
  })

  test('of several accounts, the one with a fault is offered, and the assumptions are listed', async () => {
    const { url, call, page, press } = await look(open, { scenario: 'two-accounts' })
    const fault = { operation: 'getCredit', respond: { status: 503 }, times: 1 }
    await call('POST', '/__admin/faults?account=another', { body: fault })
    await press('faults in 1 account')
    const choices = page.getByRole('dialog', { name: 'Faults' }).getByRole('listitem')
    await expect.poll(() => choices.allInnerTexts()).toEqual([expect.stringMatching(/^another/)])
    await call('GET', '/api/billing/credit', { login: 'another' })
    await page.getByRole('button', { name: 'no faults' }).waitFor() // it is exhausted
    await page.goto(`${url}/#/problems/assumptions`)
    await page.locator('.assumptions li', { hasText: 'productSort' }).waitFor()
  })

  test('an assumption that differs from its default has a chip that links to it', async () => {
    const { call, page, shows } = await look(open)
    await call('PATCH', '/__admin/accounts/reseller', { body: { assumptions: { geo: 'object' } } })
    await page.getByRole('link', { name: '1 assumption changed' }).click()
    await page.locator('.assumptions li').first().getByText('geo', { exact: true }).waitFor()
    await page.getByLabel('geo', { exact: true }).selectOption('code')
    await shows('geo set to code.')
    await expect.poll(() => page.getByText('assumption changed').count()).toBe(0)
  })

  test('an advance of the clock says what happened meanwhile, and shows it before what comes', async () => {
    const { call, page, press, shows } = await look(open)
    const plan = (after: string, credit: number) =>
      call('POST', '/__admin/timeline', {
        body: { after, description: `credit ${credit}`, patch: { credit } },
      })
    await plan('PT10M', 7)
    await plan('P2D', 8)
    await press(/^clock/, '+1 h')
    await shows('1 change meanwhile:')
    await page.getByRole('contentinfo').getByText('credit 7').waitFor()
    const axis = page.getByRole('list', { name: 'Past and coming changes' })
    await expect
      .poll(async () => (await axis.innerText()).replace(/\s+/g, ' '))
      .toMatch(/credit 7 \(credit -243\.00\) Now .*credit 8/)
  })

  test('the dashboard works without the browser’s storage', async () => {
    const { url, page, press, shows, wrongs } = await look(open, { sent: [['GET', '/api/clients']] })
    await page.addInitScript(`for (const area of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, area, { get() { throw new DOMException('blocked', 'SecurityError') } })`)
    await page.reload()
    await page.locator('.entry').waitFor()
    await press('scenario default', 'Take snapshot')
    await shows('Snapshot taken.')
    for (const path of ['/docs', '/docs/guide']) {
      await page.goto(url + path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    }
    expect(wrongs).toEqual([])
  })

  test('a hidden page leaves the event stream, and catches up when it is shown again', async () => {
    const { call, page } = await look(open)
    const turn = (state: string) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { get: () => '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
    const left = page.waitForEvent('requestfailed')
    await turn('hidden')
    expect((await left).url()).toContain('/__admin/events')
    await call('GET', '/api/clients')
    await turn('visible')
    await page.locator('.entry').waitFor()
  })

  test('Back closes an open menu', async () => {
    const { url, page, press } = await look(open)
    await page.goto(`${url}/#/data`)
    await page.getByRole('row', { name: /5001/ }).waitFor()
    await press('no faults')
    const menu = page.getByRole('dialog', { name: 'Faults' })
    await menu.waitFor()
    await page.goBack()
    await expect.poll(() => menu.isVisible()).toBe(false)
  })

  test('the dashboard asks for the token, and stores it for the tab', async () => {
    const { url } = await start({ adminToken: 'open-sesame' })
    const { page, enter } = await open(url)
    await page.getByRole('heading', { name: 'Enter the admin token' }).waitFor()
    await enter('Admin token', 'open-barley')
    await page.getByRole('alert').getByText('Wrong token.').waitFor()
    await enter('Admin token', 'open-sesame')
    await page.getByText('live', { exact: true }).waitFor()
    await page.reload()
    await expect.poll(() => page.getByRole('banner').innerText()).toContain('live')
  })

  test('a stopped simulator is reported, and reconnected when it is back', async () => {
    const first = await start()
    const network = await SlowNetwork.start(first.port)
    onTestFinished(() => network.stop())
    const { page, shows } = await open(`http://127.0.0.1:${network.port}`)
    await page.getByText('live', { exact: true }).waitFor()
    await first.close()
    await shows('not connected')
    await page.getByRole('alert').getByText('doesn’t answer').waitFor()
    network.forwardTo((await start()).port)
    await expect.poll(() => page.getByRole('banner').innerText()).toContain('live')
  })
})
