import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

interface Fault {
  operation: string
  match?: object
  respond?: unknown
  after?: number
  times?: number
  probability?: number
}

describe.skipIf(noBrowser)('the control page', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('a fault is armed for some requests, after some, with a probability', async () => {
    const { url, call } = await start()
    const { page, wrongs } = await open(`${url}/#/control`)
    const form = page.getByRole('form', { name: 'Arm a fault' })
    await form.getByLabel('Operation').selectOption('orderService')
    await form.getByLabel('What happens').selectOption('status')
    await form.getByLabel('Status').fill('503')
    await form.getByLabel('Requests to let pass first').fill('1')
    await form.getByLabel('Probability, %').fill('100')
    const match = form.getByRole('group', { name: 'Only requests with' })
    await match.getByLabel('pid').fill('101')
    await match.getByLabel('This in the body (JSON)').fill('{"clientid": 12}')
    await form.getByRole('button', { name: 'Arm' }).click()
    await page.getByText('The fault is armed.').waitFor()
    const [fault] = (await call<Fault[]>('GET', '/__admin/faults')).json
    expect(fault).toMatchObject({
      operation: 'orderService',
      respond: { status: 503 },
      after: 1,
      times: 1,
      probability: 1,
      match: { path: { pid: '101' }, body: { clientid: 12 } },
    })
    const order = async (pid: number, clientid: number) =>
      (await call('POST', `/api/product/${pid}`, { body: { clientid } })).status
    expect(await order(102, 12)).toBe(200)
    expect(await order(101, 11)).toBe(200)
    expect(await order(101, 12)).toBe(200) // the one that passes first
    expect(await order(101, 12)).toBe(503)
    expect(wrongs).toEqual([])
  })

  test('a fault that is refused is told in the form, and what was entered stays', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/control`)
    const form = page.getByRole('form', { name: 'Arm a fault' })
    const body = form.getByLabel('This in the body (JSON)')
    await form.getByRole('button', { name: 'Arm' }).click()
    await page.getByText('The fault is armed.').waitFor()
    await call('DELETE', '/__admin/faults')
    await body.fill('{clientid}')
    await form.getByRole('button', { name: 'Arm' }).click()
    await form.getByRole('alert').getByText('The body to match is not valid JSON.').waitFor()
    expect(await body.getAttribute('aria-invalid')).toBe('true')
    expect(await body.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await page.getByText('The fault is armed.').count()).toBe(0)
    await body.fill('')
    await form.getByLabel('How often').fill('1.5')
    await form.getByRole('button', { name: 'Arm' }).click()
    await form.getByRole('alert').getByText('times: 1.5 is not a whole number').waitFor()
    expect(await form.getByLabel('How often').inputValue()).toBe('1.5')
    expect((await call('GET', '/__admin/faults')).json).toEqual([])
  })

  test('the clock is set to a date; not to one that is past', async () => {
    const { url, call } = await start({ scenario: { extends: 'default', clock: '2026-01-15T12:00:00Z' } })
    const { page } = await open(`${url}/#/control`)
    const box = page.getByRole('region', { name: 'Clock' })
    const date = box.getByLabel('To a date and time (UTC)')
    await date.fill('2026-03-01T08:30')
    await box.getByRole('button', { name: 'Set' }).click()
    await box.getByText('2026-03-01 08:30:00').waitFor()
    expect((await call<{ now: string }>('GET', '/__admin/clock')).json.now).toBe('2026-03-01T08:30:00.000Z')
    await date.fill('')
    expect(await date.evaluate((field: HTMLInputElement) => field.checkValidity())).toBe(false)
    await date.fill('2025-01-01T00:00')
    await box.getByRole('button', { name: 'Set' }).click()
    await box.getByRole('alert').waitFor()
    expect(await date.inputValue()).toBe('2025-01-01T00:00')
    expect((await call<{ now: string }>('GET', '/__admin/clock')).json.now).toBe('2026-03-01T08:30:00.000Z')
  })

  // Milliseconds from the first click to the second: when that comes, the simulator may have answered already.
  test.each([
    ['Load low-funds', 0],
    ['Load low-funds', 150],
    ['Reset', 0],
    ['Reset', 150],
  ])('a double click on %s is one, %d ms apart, so Undo brings back what was there', async (name, delay) => {
    const { url, call } = await start()
    await call('PATCH', '/__admin/accounts/reseller', { body: { credit: 123.45 } })
    const { page, wrongs } = await open(`${url}/#/control`)
    await page.getByRole('button', { name }).dblclick({ delay })
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByText('What was replaced is back.').waitFor()
    expect((await call('GET', '/api/billing/credit')).json).toEqual({ credit: 123.45 })
    expect(wrongs).toEqual([])
  })

  test('two quick clicks on a step of the clock are two', async () => {
    const { url, call } = await start({ scenario: { extends: 'default', clock: '2026-01-15T12:00:00Z' } })
    const { page } = await open(`${url}/#/control`)
    const step = page.getByRole('button', { name: '+ 1 day' })
    await step.click()
    await page.getByText('2026-01-16 12:00:00').waitFor()
    await step.dispatchEvent('click', { detail: 2 })
    await page.getByText('2026-01-17 12:00:00').waitFor()
    expect((await call<{ now: string }>('GET', '/__admin/clock')).json.now).toBe('2026-01-17T12:00:00.000Z')
  })

  test('while a button is at work, none does anything, and they say so', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/control`)
    const asked: string[] = []
    let answer = (): void => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/__admin/**', async (route) => {
      if (route.request().method() === 'POST') {
        asked.push(new URL(route.request().url()).pathname)
        await isAnswered
      }
      await route.continue()
    })
    const load = page.getByRole('button', { name: 'Load low-funds' })
    await load.click()
    await expect.poll(() => load.getAttribute('aria-disabled')).toBe('true')
    expect(await load.evaluate((element) => element === document.activeElement)).toBe(true)
    for (const name of ['Load low-funds', 'Reset', 'Take snapshot', '+ 1 day', 'Arm'])
      await page.getByRole('button', { name, exact: true }).click({ force: true })
    await page.getByLabel('Name', { exact: true }).press('Enter')
    answer()
    await page.getByText('low-funds is loaded.').waitFor()
    await expect.poll(() => load.getAttribute('aria-disabled')).toBe('false')
    expect(asked).toEqual(['/__admin/scenarios/low-funds/load'])
    expect((await call('GET', '/api/billing/credit')).json).toEqual({ credit: 0.5 })
  })

  test('what a simulator that has stopped does not do is told where it was asked for', async () => {
    const { url, close } = await start()
    const { page } = await open(`${url}/#/control`)
    const clock = page.getByRole('region', { name: 'Clock' })
    const reading = page.getByLabel('Reading of unknownInvoice')
    await reading.waitFor()
    await close()
    await clock.getByRole('button', { name: '+ 1 hour' }).click()
    await clock.getByRole('alert').getByText('The simulator does not answer').waitFor()
    await reading.selectOption('unprocessable')
    const item = page.getByRole('listitem').filter({ has: reading })
    await item.getByRole('alert').getByText('The simulator does not answer').waitFor()
    expect(await reading.inputValue()).toBe('empty')
    await page.getByRole('button', { name: 'Take snapshot' }).click()
    const notice = page.locator('.notice').getByText('The simulator does not answer')
    await notice.waitFor()
    // It is about this page.
    await page.getByRole('link', { name: /^Findings/ }).click()
    await page.getByRole('heading', { name: 'Findings', level: 1 }).waitFor()
    expect(await notice.count()).toBe(0)
  })

  test('the clock that refuses says so under its buttons', async () => {
    const { url } = await start({ scenario: { extends: 'default', clock: '9899-12-15T12:00:00Z' } })
    const { page } = await open(`${url}/#/control`)
    const clock = page.getByRole('region', { name: 'Clock' })
    await clock.getByRole('button', { name: '+ 1 month' }).click()
    await clock.getByRole('alert').waitFor()
    await clock.getByRole('button', { name: '+ 1 hour' }).click()
    await page.getByText('The clock is advanced by 1 hour.').waitFor()
    expect(await clock.getByRole('alert').count()).toBe(0)
  })

  test('a snapshot has a name, after a reload too, and is restored by it', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/control`)
    const box = page.getByRole('region', { name: 'Snapshots' })
    await box.getByLabel('Name', { exact: true }).fill('before the order')
    await box.getByRole('button', { name: 'Take snapshot' }).click()
    await page.getByText('The snapshot is taken.').waitFor()
    await call('POST', '/api/product/101', { body: { clientid: 11 } })
    await page.reload()
    const name = box.getByLabel('Name of s1')
    await expect.poll(() => name.inputValue()).toBe('before the order')
    await name.fill('rich')
    await page.keyboard.press('Enter')
    await box.getByRole('button', { name: 'Restore rich' }).click()
    await page.getByText('rich is restored.').waitFor()
    expect((await call<{ credit: number }>('GET', '/api/billing/credit')).json.credit).toBe(250)
  })

  test('what a load or a reset replaced is brought back with one click, at once or later', async () => {
    const { url, call } = await start()
    const credit = async () => (await call<{ credit: number }>('GET', '/api/billing/credit')).json.credit
    await call('POST', '/api/product/101', { body: { clientid: 11 } })
    const { page } = await open(`${url}/#/control`)
    await page.getByRole('button', { name: 'Load low-funds' }).click()
    await page.getByText('low-funds is loaded.').waitFor()
    expect(await credit()).toBe(0.5)
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('What was replaced is back.').waitFor()
    expect(await credit()).toBe(230)

    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('begins anew.').waitFor()
    expect(await credit()).toBe(250)
    await page.reload()
    await page.getByRole('region', { name: 'Scenarios' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('What was replaced is back.').waitFor()
    expect(await credit()).toBe(230)
  })
})

describe.skipIf(noBrowser)('the request that a scenario names', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test.each([
    ['wrong-credentials', 'reseller:secret', '401', 'unauthenticated'],
    ['two-accounts', 'another:secret2', '200', '[]'],
  ])('%s: it is sent as %s', async (scenario, user, status, told) => {
    const { url } = await start({ scenario })
    const { page } = await open(`${url}/#/control`)
    await page.getByRole('link', { name: 'Send that request' }).click()
    const form = page.getByRole('region', { name: 'Request' })
    expect(await form.getByLabel('Credentials').inputValue()).toBe(user)
    await form.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText(status, { exact: true }).waitFor()
    await answer.getByText(told, { exact: true }).waitFor()
  })
})

describe.skipIf(noBrowser)('the coverage page', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('choosing a cell moves nothing; the scenario is loaded at the cell', async () => {
    const { url, simulation } = await start()
    const { page, wrongs } = await open(`${url}/#/coverage`)
    const cell = page.getByRole('button', { name: 'orderService insufficient-funds 422' })
    await cell.waitFor()
    const places = () =>
      page.evaluate<string>(
        `JSON.stringify([...document.querySelectorAll('main > *, .cell')].map((one) => one.getBoundingClientRect()))`,
      )
    const before = await places()
    await cell.click()
    const detail = page.getByRole('group', { name: 'orderService insufficient-funds' })
    await detail.waitFor()
    expect(await places()).toBe(before)
    const [at, shown] = [await cell.boundingBox(), await detail.boundingBox()]
    expect(Math.abs((shown?.y ?? 0) - (at?.y ?? 0))).toBeLessThan(300)
    await page.mouse.wheel(0, 60)
    await expect.poll(async () => (await cell.boundingBox())?.y).toBeLessThan(at?.y ?? 0)
    const moved = (await cell.boundingBox())?.y ?? 0
    await expect
      .poll(async () => (await detail.boundingBox())?.y)
      .toBeCloseTo(moved + (shown?.y ?? 0) - (at?.y ?? 0), 0)
    await page.keyboard.press('Escape')
    expect(await detail.isVisible()).toBe(false)
    await cell.click()
    await detail.getByRole('button', { name: 'Load low-funds' }).click()
    await page.getByText('low-funds is loaded.').waitFor()
    expect(simulation.store.state.scenario.name).toBe('low-funds')
    expect(wrongs).toEqual([])
  })

  test('the fault is armed at the cell, and the next request has that answer', async () => {
    const { url, call } = await start()
    const { page } = await open(`${url}/#/coverage`)
    await page.getByRole('button', { name: 'updateService update-list-throttled 429' }).click()
    await page.getByRole('button', { name: 'Arm the fault' }).click()
    await page.getByText('The next updateService answers update-list-throttled.').waitFor()
    expect((await call('PUT', '/api/service/5001', { body: {} })).status).toBe(429)
    await page.getByRole('button', { name: 'updateService update-list-throttled 429 1' }).waitFor()
  })
})
