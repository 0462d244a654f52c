import { describe, expect, test } from 'vitest'
import { start, type Started } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { violations } from './violations.ts'

/** Something of everything to look at. */
async function livenUp({ call }: Started): Promise<void> {
  await call('POST', '/api/product/101', { body: { clientid: 11 }, headers: { accept: '*/*' } })
  await call('POST', '/api/product/104', { body: { clientid: 11 } })
  await call('GET', '/api/clients', { login: null })
  await call('POST', '/__admin/faults', {
    body: { operation: 'getCredit', respond: { status: 503 }, times: 1 },
  })
  await call('POST', '/__admin/faults', {
    body: { operation: 'orderService', respond: 'insufficient-funds' },
  })
  await call('GET', '/api/billing/credit')
  await call('POST', '/__admin/snapshots')
}

/** How far to the right the page, or its main part within it, reaches. */
const widest = `Math.max(
  document.documentElement.scrollWidth,
  document.querySelector('main').getBoundingClientRect().left + document.querySelector('main').scrollWidth,
)`

const sections = [
  'start',
  'requests',
  'requests/2',
  'requests/4',
  'requests/99',
  'try/orderService',
  'world',
  'world/sessions',
  'world/invoices',
  'world/clients',
  'world/products',
  'world/products/101',
  'world/services/5101',
  'world/scenario',
  'control',
  'coverage',
  'findings',
  'calibration',
]

describe.skipIf(noBrowser)('everyone can use it', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test.each(['light', 'dark'] as const)('axe-core finds nothing in any section, %s', async (colorScheme) => {
    const started = await start()
    await livenUp(started)
    const { page, wrongs } = await open(started.url, { colorScheme })
    for (const section of sections) {
      await page.goto(`${started.url}/#/${section}`)
      await page
        .getByRole('heading', { level: section.includes('requests/') ? 2 : 1 })
        .first()
        .waitFor()
      await page.getByText('live', { exact: true }).waitFor()
      expect(await violations(page), section).toEqual([])
    }
    expect(wrongs).toEqual([])
  })

  test.each([375, 768, 1280, 1600])('nothing sticks out at %i px, under one title', async (width) => {
    const started = await start()
    await livenUp(started)
    const { page } = await open(started.url, { viewport: { width, height: 800 } })
    for (const section of sections) {
      await page.goto(`${started.url}/#/${section}`)
      await page.getByText('live', { exact: true }).waitFor()
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      expect(await page.getByRole('heading', { level: 1 }).count(), section).toBe(1)
      expect(await page.evaluate(widest), section).toBeLessThanOrEqual(width)
      // Where there is room, the parts of the page scroll, not the page.
      const height = width < 760 ? 800 : await page.evaluate('document.documentElement.scrollHeight')
      expect(height, section).toBe(800)
    }
  })

  test('a long login sticks out nowhere, and can be read', async () => {
    const started = await start()
    const login = 'l'.repeat(100)
    await started.call('POST', '/__admin/accounts', { body: { login } })
    await started.call('PATCH', `/__admin/accounts/${login}`, { body: { credit: 1_000_000_000 } })
    const { page } = await open(started.url, { viewport: { width: 375, height: 800 } })
    await page.goto(`${started.url}/#/world`)
    const account = page.getByRole('button', { name: login })
    expect(await account.innerText()).toMatch(/1,000,000,000\.00 USD.*12 services, 9 invoices, 3 sessions/s)
    expect(await account.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await account.click()
    await page.getByRole('heading', { name: `World of ${login}` }).waitFor()
    for (const section of ['world', 'requests', 'start', 'control']) {
      await page.goto(`${started.url}/#/${section}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      expect(await page.evaluate(widest), section).toBe(375)
    }
  })

  test('the section that is shown stays in sight once the counts have come', async () => {
    const { url, call } = await start()
    for (const id of [1, 2, 3]) await call('GET', `/api/service/${id}`)
    const { page } = await open(`${url}/#/findings`, { viewport: { width: 375, height: 800 } })
    await page.locator('.sections a', { hasText: 'Coverage' }).locator('.count').waitFor()
    const shown = page.locator('.sections [aria-current]')
    await expect
      .poll(async () => {
        const box = await shown.boundingBox()
        return box && box.x + box.width
      })
      .toBeLessThan(376) // it scrolls to whole pixels
  })

  test('the empty page is without a violation too', async () => {
    const { url } = await start()
    const { page } = await open(url, { viewport: { width: 375, height: 800 } })
    await page.getByText('No request yet.').waitFor()
    await page.getByRole('heading', { name: '1. Send a request' }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Requests'])
    expect(await violations(page)).toEqual([])
  })

  test('the keyboard alone gets from the first Tab to a loaded scenario', async () => {
    const { url, simulation } = await start()
    const { page } = await open(`${url}/#/control`)
    await page.getByText('live', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate("document.activeElement.getAttribute('aria-label')")) === 'Load low-funds')
        break
    }
    await page.keyboard.press('Enter')
    await page.getByText('low-funds is loaded.').waitFor()
    expect(simulation.store.state.scenario.name).toBe('low-funds')
  })
})
