import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import AxeSource from 'axe-core'
import { describe, expect, test } from 'vitest'
import { startForAll } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

const sim = startForAll()
const built = fileURLToPath(new URL('../../dist/guide/', import.meta.url))
const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((file) =>
  statSync(built + file).isFile(),
)
const pages = files.filter((file) => file.endsWith('.html'))
const docs = readdirSync(new URL('../../docs/', import.meta.url)).filter((file) => file.endsWith('.md'))

test('every page of docs/ is a page of the guide', async () => {
  for (const file of docs) {
    const name = file === 'README.md' ? '' : `/${file.replace('.md', '')}`
    const { status, headers, text } = await sim().call('GET', `/docs/guide${name}`)
    expect([file, status]).toEqual([file, 200])
    expect(headers['content-type']).toMatch(/^text\/html/)
    expect(String(headers['content-security-policy']).split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]),
    )
    expect(headers['cache-control']).toBe('no-cache')
    expect(text).toContain('<h1 ')
  }
})

test('every page that was built is served', async () => {
  for (const page of pages) {
    const path = page.replace(/\.html$/, '').replace(/^index$/, '')
    expect([page, (await sim().call('GET', `/docs/guide/${path}`)).status]).toEqual([page, 200])
  }
})

test('a page that does not exist is JSON for programs, and a page with links for browsers', async () => {
  const { status, json } = await sim().call('GET', '/docs/guide/nope')
  expect([status, json]).toEqual([404, { error: 'Not Found: there is no GET /docs/guide/nope' }])
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const shown = await sim().call('GET', '/docs/<b>', { headers: { accept } })
  expect([shown.status, shown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(shown.text).toContain('href="/docs/guide"')
  expect(shown.text).not.toContain('<b>')
})

test('nothing is inline in any page, and nothing comes from elsewhere', () => {
  for (const page of pages) {
    const html = readFileSync(built + page, 'utf8')
    expect(html, page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|<[^>]*\sstyle=|<[^>]*\son\w+=/)
    expect(html, page).not.toMatch(/<(?:script|link|img)[^>]*https?:/)
  }
})

test('every link leads somewhere, to its heading too', () => {
  const broken = pages.flatMap((page) => {
    const html = readFileSync(built + page, 'utf8')
    return [...html.matchAll(/<a [^>]*href="([^"]*)"/g)]
      .map(([, href = '']) => href)
      .filter((href) => /^(?:#|\/docs\/guide)/.test(href))
      .filter((href) => {
        const [path = '', id] = href.split('#')
        const name = path.replace(/^\/docs\/guide\/?/, '') || 'index'
        const file = path === '' ? page : `${name}.html`
        if (!existsSync(built + file)) return true
        return id !== undefined && !readFileSync(built + file, 'utf8').includes(`id="${id}"`)
      })
      .map((href) => `${page}: ${href}`)
  })
  expect(broken).toEqual([])
})

test('it adds less than 2 MB to the package', () => {
  expect(files.reduce((sum, file) => sum + statSync(built + file).size, 0)).toBeLessThan(2_000_000)
})

test.each(['nothing', 'source/package.json', '..%2fcli.js', '%2e%2e/cli.js'])(
  '/docs/guide/%s is not there',
  async (path) => {
    expect((await sim().call('GET', `/docs/guide/${path}`)).status).toBeGreaterThanOrEqual(400)
  },
)

describe.skipIf(noBrowser)('the guide', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('is found from the dashboard and from the API docs', async () => {
    const { page, wrongs } = await open(sim().url)
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Guide' }).waitFor()
    await page.getByRole('navigation', { name: 'Simulator' }).getByRole('link', { name: 'API' }).click()
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Guide' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('goes from page to page, and says where one is', async () => {
    const { page, wrongs } = await open(`${sim().url}/docs/guide`)
    const list = page.getByRole('navigation', { name: 'Pages' })
    await list.getByRole('link', { name: 'Errors' }).click()
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor()
    expect(await list.locator('[aria-current=page]').innerText()).toBe('Errors')
    // A link in the text, to a file of the repository
    await page.getByRole('link', { name: 'low-funds' }).click()
    await page.getByRole('heading', { level: 1, name: 'scenarios/low-funds.yaml' }).waitFor()
    await page.getByText('extends: default').waitFor()
    await page.goBack()
    await page
      .getByRole('navigation', { name: 'On this page' })
      .getByRole('link', { name: 'Why it was refused' })
      .click()
    expect(new URL(page.url()).hash).toBe('#why-it-was-refused')
    expect(wrongs).toEqual([])
  })

  test.each([
    ['ip-already-bound', 'Errors', /\/errors$/],
    ['throttle-ignored', 'Findings and coverage › Findings', /\/findings#findings$/],
    ['kill -9', 'Durability › What survives', /\/durability#what-survives$/],
    ['connectsimulator', 'The handle', /\/testing#the-handle$/],
    ['asumptions', 'Assumptions', /\/assumptions$/], // misspelt
  ])('finds "%s"', async (words, result, url) => {
    const { page, wrongs } = await open(`${sim().url}/docs/guide`)
    await page.keyboard.press('/')
    await page.keyboard.type(words)
    const link = page.locator('#results a', { hasText: result }).first()
    await link.waitFor()
    await link.click()
    await page.waitForURL(url)
    expect(wrongs).toEqual([])
  })

  test('is searched by keys alone', async () => {
    const { page } = await open(`${sim().url}/docs/guide/testing`)
    await page.keyboard.press('/')
    await page.keyboard.type('scenario')
    await page.locator('#results a').nth(1).waitFor()
    await expect.poll(() => page.locator('#found').innerText()).toMatch(/^\d+ results$/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(
      await page
        .locator('#results a')
        .nth(1)
        .evaluate((link) => link === document.activeElement),
    ).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.locator('#results').isVisible()).toBe(false)
    await page.keyboard.type('xyzzy')
    await page.getByText('Nothing found for').first().waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('durability')
    await page.locator('#results a').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/durability/)
  })

  test('each block can be copied, at the address of this simulator, over plain HTTP too', async () => {
    const { url } = sim()
    const { page, wrongs } = await open(`${url}/docs/guide/shell`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    expect(await page.getByRole('main').innerText()).not.toMatch(/(?:localhost|127\.0\.0\.1):4010/)
    const block = page.locator('.block', { hasText: 'curl' }).first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      (await block.locator('pre').innerText()).trimEnd(),
    )
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.reload()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('fits a telephone, where the list of pages opens on demand', async () => {
    const { page } = await open(`${sim().url}/docs/guide/errors`, { viewport: { width: 375, height: 700 } })
    const list = page.getByRole('navigation', { name: 'Pages' })
    expect(await list.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Pages' }).click()
    await list.getByRole('link', { name: 'Durability' }).click()
    await page.getByRole('heading', { level: 1, name: 'Durability' }).waitFor()
    for (const file of pages) {
      await page.goto(`${sim().url}/docs/guide/${file.replace(/\.html$/, '').replace(/^index$/, '')}`)
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect([file, wider]).toEqual([file, 0])
    }
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
    ['dark', 375],
  ] as const)('can be read by all, %s at %i px', async (colorScheme, width) => {
    const { page } = await open(`${sim().url}/docs/guide/testing`, {
      colorScheme,
      viewport: { width, height: 800 },
    })
    for (const name of ['testing', 'errors', 'command-line']) {
      await page.goto(`${sim().url}/docs/guide/${name}`)
      await page.evaluate(AxeSource.source)
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: typeof AxeSource }
        const { violations: found } = await axe.run()
        return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`.slice(0, 400))
      })
      expect([name, violations]).toEqual([name, []])
    }
  })
})
