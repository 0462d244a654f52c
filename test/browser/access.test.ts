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
  'requests requests/2 requests/4 requests/99 requests/new data data/services/5101 data/sessions data/yaml data/accounts problems problems/coverage problems/reports problems/assumptions unknown'.split(
    ' ',
  )
const reference = ['/docs#orderService', '/docs/admin#addFault']
const guide = ['/docs/guide/javascript', '/docs/guide/errors', '/docs/guide/command-line']

/** Measures how far the page, or its main part, reaches to the right. */
const widest = `Math.max(
  document.documentElement.scrollWidth,
  document.querySelector('main').getBoundingClientRect().left + document.querySelector('main').scrollWidth,
)`

/** Computes the contrast of an element's text with its background by WCAG's formula. */
function contrast(element: Element): number {
  const canvas = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
  const draw = (colour: string) => {
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
  }
  const luminance = () => {
    const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const path = [element]
  while (path[0]?.parentElement) path.unshift(path[0].parentElement)
  for (const one of path) draw(getComputedStyle(one).backgroundColor)
  const behind = luminance()
  draw(getComputedStyle(element).color)
  const [dark = 0, light = 0] = [behind, luminance()].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe.skipIf(noBrowser)('accessibility', () => {
  const open = useBrowser()

  describe('axe-core finds no violations, light or dark', () => {
    test('on the pages of the dashboard', async () => {
      const { url, page, wrongs } = await look(open, lively)
      for (const place of places) {
        await visit(page, `${url}/#/${place}`)
        expect(await violations(page), place).toEqual([])
      }
      expect(wrongs).toEqual([])
    })

    test('in the menus', async () => {
      const { page, wrongs } = await look(open, lively)
      for (const menu of ['account', 'credentials', 'scenario', 'clock', 'faults', 'settings']) {
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
      for (const width of [1280, 375])
        for (const path of guide) {
          await page.setViewportSize({ width, height: 800 })
          await page.goto(url + path)
          expect(await violations(page), `${path} at ${width} px`).toEqual([])
        }
      expect(wrongs).toEqual([])
    })
  })

  test.each([390, 768, 1280, 1600])(
    'nothing overflows at %i px, and only parts of the page scroll',
    async (width) => {
      const { url, page } = await look(open, {
        ...lively,
        context: { viewport: { width, height: 800 } },
      })
      for (const place of places) {
        await visit(page, `${url}/#/${place}`)
        expect(await page.evaluate(widest), place).toBeLessThanOrEqual(width)
        expect(await page.evaluate('document.documentElement.scrollHeight'), place).toBe(800)
      }
      for (const name of ['Requests', 'Data', 'Problems']) {
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
        await page.locator(`[popovertarget=menu-${menu}]`).click()
        const box = await page.locator(`#menu-${menu}`).boundingBox()
        expect(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 800, menu).toBe(true)
        await page.keyboard.press('Escape')
      }
    },
  )

  test('a long reason stays readable in its row while a request is open', async () => {
    const update: [string, string, object] = ['PUT', '/api/service/5001', { body: { update_list: 'true' } }]
    const context = { viewport: { width: 1440, height: 800 } }
    const { page } = await look(open, { at: 'requests/2', sent: [update, update], context })
    await page.locator('.reason').getByText('the interval is 3600 s').waitFor()
    const [seen, all] = await page
      .locator('.entry-outcome')
      .first()
      .evaluate((box) => [box.clientHeight, box.scrollHeight])
    expect(all).toBeLessThanOrEqual(seen ?? 0)
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

  test('pointing at a selected row, filter or page keeps it marked, and rows leave the focus ring visible', async () => {
    const { page } = await look(open, { at: 'requests/2', sent: [order(101), order(101)] })
    for (const selector of [
      '.entry[aria-selected=true]',
      '.chips [aria-pressed=true]',
      '.pages [aria-current]',
    ]) {
      const one = page.locator(selector).first()
      const colour = () => one.evaluate((element) => getComputedStyle(element).backgroundColor)
      const before = await colour()
      await one.hover()
      expect(await colour(), selector).toBe(before)
    }
    await page.locator('.entries').focus()
    await page.keyboard.press('ArrowDown')
    const ring = await page
      .locator('.split-list')
      .evaluate(
        (list) => getComputedStyle(list, '::after').zIndex + getComputedStyle(list, '::after').borderWidth,
      )
    expect(ring).toBe('22px')
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

  test.each(['light', 'dark'] as const)('every button stays readable on hover, %s', async (colorScheme) => {
    const { url, page } = await look(open, { ...lively, context: { colorScheme } })
    for (const [place, within] of [
      ['requests/2', 'article'],
      ['requests/new', '.toolbar'],
      ['data', 'header'],
      ['data/services/5101', 'article'],
      ['data/yaml', 'main'],
      ['problems/coverage', 'main'],
    ]) {
      await visit(page, `${url}/#/${place}`)
      const buttons = page.locator(`${within} :is(button, a.button, a.chip, .pages a):visible`)
      await buttons.first().waitFor()
      for (const button of await buttons.all()) {
        await button.hover()
        const what = `${place}: ${await button.innerText()}`
        expect(await button.evaluate(contrast), what).toBeGreaterThanOrEqual(4.5)
      }
    }
  })

  test.each(['requests', 'data', 'problems', 'problems/coverage', 'data/services/5101'])(
    'the layout does not shift while %s loads',
    async (place) => {
      const { url, page } = await look(open, lively)
      await page.addInitScript(`window.shift = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })`)
      await page.goto('about:blank')
      await page.goto(`${url}/#/${place}`)
      await page.getByText('live', { exact: true }).waitFor()
      await page.locator('.entry, .table-row, .response, .verdict').first().waitFor()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      expect(await page.evaluate('window.shift')).toBeLessThan(0.05)
    },
  )

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
