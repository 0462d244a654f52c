import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startForAll } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

const pages = readdirSync(new URL('../../dist/guide/', import.meta.url), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.html'))
  .map((file) => file.replace(/(?:^index)?\.html$/, ''))

describe.skipIf(noBrowser)('the guide', () => {
  const sim = startForAll()
  const open = useBrowser()

  test('is linked from the dashboard and from the API docs', async () => {
    const { page, wrongs } = await open(sim().url)
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Proxy Reselling Simulator' }).waitFor()
    await page.getByRole('navigation', { name: 'Simulator' }).getByRole('link', { name: 'API' }).click()
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Proxy Reselling Simulator' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('has links between pages, and marks the current one', async () => {
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
      .getByRole('link', { name: 'Why a request was refused' })
      .click()
    await page.waitForURL('**#why-a-request-was-refused')
    expect(wrongs).toEqual([])
  })

  test('finds pages by the words that people type', async () => {
    const { page, wrongs } = await open(`${sim().url}/docs/guide`)
    for (const [words, result, url] of [
      ['ip-already-bound', 'Errors', /\/errors$/],
      ['throttle-ignored', '› Findings', /\/findings#findings$/],
      ['kill -9', '› Durability', /\/operate#durability$/],
      ['connectsimulator', 'The handle', /\/javascript#the-handle$/],
      ['asumptions', 'Assumptions', /\/assumptions\b/], // misspelt
      ['terminate', 'What your panel does', /\/panel$/], // not a page with "terminal"
      ['order twice', '', /\/(?:sweep|retries|findings)(?:#.*)?$/], // the first result
      ['update service', '› Update a service', /\/docs#updateService$/], // leaves the guide
    ] as const) {
      await page.keyboard.press('/')
      await page.keyboard.type(words)
      await page.locator('#results a', { hasText: result }).first().click()
      await page.waitForURL(url)
    }
    expect(wrongs).toEqual([])
  })

  test('can be searched with the keyboard alone', async () => {
    const { page } = await open(`${sim().url}/docs/guide/javascript`)
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
    await page.getByText('No results for').first().waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('javascript')
    await page.locator('#results a').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/javascript/)
  })

  test('each block can be copied with this simulator’s address, also over plain HTTP', async () => {
    const { url } = sim()
    const { page, wrongs } = await open(`${url}/docs/guide/faults`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    expect(await page.getByRole('main').innerText()).not.toMatch(/(?:localhost|127\.0\.0\.1):4010/)
    const block = page.locator('.block', { hasText: 'curl' }).first()
    // The button says so for a second and a half.
    const copied = () => block.getByRole('button', { name: 'Copied' }).waitFor()
    const copy = () => Promise.all([copied(), block.getByRole('button', { name: 'Copy' }).click()])
    await copy()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      (await block.locator('pre').innerText()).trimEnd(),
    )
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.reload()
    await copy()
    expect(wrongs).toEqual([])
  })

  test('fits a phone, where the list of pages opens on demand', async () => {
    const { page } = await open(`${sim().url}/docs/guide/errors`, { viewport: { width: 375, height: 700 } })
    const list = page.getByRole('navigation', { name: 'Pages' })
    expect(await list.isVisible()).toBe(false)
    const outline = page.getByRole('navigation', { name: 'On this page' })
    const section = outline.getByRole('link', { name: 'Why a request was refused' })
    expect(await section.isVisible()).toBe(false)
    await outline.getByText('On this page').click()
    await section.click()
    await page.waitForURL('**#why-a-request-was-refused')
    await page.getByRole('button', { name: 'Pages' }).click()
    await list.getByRole('link', { name: 'Calibration' }).click()
    await page.getByRole('heading', { level: 1, name: 'Calibration' }).waitFor()
    // Shows each page in this one, which has loaded their styles.
    const tooWide = await page.evaluate(async (names) => {
      const wide: string[] = []
      for (const name of names) {
        const response = await fetch(`/docs/guide/${name}`)
        const { body } = new DOMParser().parseFromString(await response.text(), 'text/html')
        document.body.replaceWith(body)
        if (document.documentElement.scrollWidth > window.innerWidth) wide.push(name)
      }
      return wide
    }, pages)
    expect(tooWide).toEqual([])
  })
})
