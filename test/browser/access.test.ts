import { describe, expect, test } from 'vitest'
import { look, type LookOptions, noBrowser, useBrowser, violations, visit } from './browser.ts'

const order = (product: number, headers = {}): [string, string, object] => [
  'POST',
  `/api/product/${product}`,
  { body: { clientid: 11 }, headers },
]
const fault = (body: object): [string, string, object] => ['POST', '/__admin/faults', { body }]

/** Makes data for every page. */
const lively: LookOptions = {
  sent: [
    order(101, { accept: '*/*' }),
    order(104),
    ['GET', '/api/clients', { login: null }],
    fault({ operation: 'getCredit', respond: { status: 503 }, times: 1 }),
    fault({ operation: 'orderService', respond: 'insufficient-funds' }),
    ['GET', '/api/billing/credit'],
    ['PATCH', '/__admin/accounts/reseller', { body: { assumptions: { geo: 'object' } } }],
    ['POST', '/__admin/snapshots'],
  ],
}

const places =
  'requests requests/2 requests/new data data/services/5101 data/yaml data/accounts problems problems/coverage problems/assumptions reports'.split(
    ' ',
  )
const reference = ['/docs#orderService', '/docs/admin#addFault']
const widths = [390, 1024, 1440]
const guide = ['/docs/guide/javascript', '/docs/guide/errors']

/** Measures how far the page, or its main part, reaches to the right. */
const widest = `Math.max(
  document.documentElement.scrollWidth,
  document.querySelector('main').getBoundingClientRect().left + document.querySelector('main').scrollWidth,
)`

describe.skipIf(noBrowser)('accessibility', () => {
  const open = useBrowser()

  describe('axe-core finds no violations, light or dark', () => {
    test('in the menus', async () => {
      const { page, wrongs } = await look(open, lively)
      for (const menu of ['credentials', 'scenario', 'clock', 'faults']) {
        await page.locator(`[popovertarget=menu-${menu}]`).click()
        expect(await violations(page), menu).toEqual([])
        await page.keyboard.press('Escape')
      }
      expect(wrongs).toEqual([])
    })

    test('in the reference and the guide', async () => {
      const { url, page, wrongs } = await look(open)
      for (const path of reference) {
        await page.goto(url + path)
        await page
          .locator(path.slice(path.indexOf('#')))
          .getByRole('button', { name: 'Try it out' })
          .click()
        expect(await violations(page), path).toEqual([])
      }
      for (const path of guide) {
        await page.goto(url + path)
        expect(await violations(page), path).toEqual([])
      }
      expect(wrongs).toEqual([])
    })
  })

  test('each page of the dashboard is accessible, fits every width, and scrolls only in parts', async () => {
    const { url, page, wrongs } = await look(open, lively)
    for (const place of places) {
      await visit(page, `${url}/#/${place}`)
      expect(await violations(page), place).toEqual([])
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        const size =
          await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
          () => done([${widest}, document.documentElement.scrollHeight]),
        )))`)
        expect(size, `${place} at ${width} px`).toEqual([width, 800])
      }
    }
    expect(wrongs).toEqual([])
  })

  test.each([390, 1024])('the bar and its menus fit in %i px', async (width) => {
    const { url, page } = await look(open, { ...lively, context: { viewport: { width, height: 800 } } })
    for (const name of ['Requests', 'Data', 'Problems', 'Reports']) {
      const box = await page
        .getByRole('navigation', { name: 'Pages' })
        .getByRole('link', { name })
        .boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= width, name).toBe(true)
    }
    // Two lines: the pages, and the facts. The first row follows the filters.
    const bar = await page.getByRole('banner').boundingBox()
    expect(bar?.height).toBeLessThan(80)
    await page.goto(`${url}/#/requests`)
    const row = await page.locator('.entry').first().boundingBox()
    expect(row?.y).toBeLessThan(width < 900 ? 160 : 120)
    for (const menu of ['scenario', 'clock', 'faults', 'settings']) {
      const sheet = page.locator('[popovertarget=menu-facts]')
      if (width < 900 && menu !== 'settings') await sheet.click()
      await page.locator(`[popovertarget=menu-${menu}]`).click()
      const box = await page.locator(`#menu-${menu}`).boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 800, menu).toBe(true)
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
    }
  })

  test('the rows keep their height when a request opens, and a toast covers nothing', async () => {
    const { page, press } = await look(open, lively)
    const height = async () => (await page.locator('.entry').first().boundingBox())?.height
    const before = await height()
    await page.locator('.entry').first().click()
    await page.getByRole('article').waitFor()
    expect(await height()).toBe(before)
    await press('Clear')
    const toast = await page.getByText('Requests cleared from view').boundingBox()
    const main = await page.getByRole('main').boundingBox()
    expect(toast && main && toast.y >= main.y + main.height).toBe(true)
  })

  test('search, shortcuts and menus work with the keyboard alone', async () => {
    const { page } = await look(open, { sent: [['GET', '/api/clients']] })
    const focused = () => page.evaluate('document.activeElement.textContent.trim()')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to content')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Search requests')
    await page.keyboard.press('Tab')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'scenario default' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Scenario' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await focused()).toContain('scenario')
  })

  test('the layout does not shift while a page loads', async () => {
    const { url, page } = await look(open, lively)
    await page.addInitScript(`window.shift = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })`)
    for (const place of ['requests', 'data', 'problems', 'problems/coverage', 'data/services/5101']) {
      await page.goto('about:blank')
      await page.goto(`${url}/#/${place}`)
      await page.getByText('live', { exact: true }).waitFor()
      await page.locator('.entry, .table-row, .response, .verdict').first().waitFor()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      expect(await page.evaluate('window.shift'), place).toBeLessThan(0.05)
    }
  })

  test('the chosen theme is stored, and applies to every page', async () => {
    const { url, page } = await look(open)
    const colour = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const light = await colour()
    await page.locator('[popovertarget=menu-settings]').click()
    await page.getByLabel('Theme', { exact: true }).selectOption('dark')
    expect(await colour()).not.toBe(light)
    for (const path of ['/', '/docs', '/docs/guide']) {
      await visit(page, url + path)
      expect(await colour(), path).not.toBe(light)
    }
  })
})
