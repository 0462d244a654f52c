import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Calibration } from '../../src/calibration/Calibration.ts'
import { NaiveService } from '../calibration/support/NaiveService.ts'
import { fullTour } from '../calibration/support/tours.ts'
import { proxysim } from '../cli/proxysim.ts'
import { folder, start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { violations } from './violations.ts'

/** The name of a product, which is shown as it is */
const productName = '</script><script>document.title = 7</script>'

/** A recording of a service that reads two gaps the other way, has a field more, another price and a name to beware of. */
function recording(): string {
  const tape = fullTour(new NaiveService({ productSort: 'desc', geo: 'object' }))
  for (const one of tape.taped) {
    const { path } = one.request
    if (one.answer.status !== 200) continue
    if (path === '/api/billing/credit')
      one.answer = { ...one.answer, body: '{"credit":1234.56,"currency":"USD","colour":"red"}' }
    if (path.startsWith('/api/products/orderby/'))
      one.answer = {
        ...one.answer,
        body: one.answer.body.replace(/"productName":"[^"]*"/, `"productName":"${productName}"`),
      }
  }
  return tape.file()
}

/** A program of that name that writes down what it was asked to open. */
function opener(): { env: Record<string, string>; opened: () => string } {
  const made = folder()
  const program = join(made, process.platform === 'darwin' ? 'open' : 'xdg-open')
  writeFileSync(
    program,
    `#!/bin/sh\nprintf %s "$1" >"${made}/opened.tmp" && mv "${made}/opened.tmp" "${made}/opened"\n`,
  )
  chmodSync(program, 0o755)
  return {
    env: { PATH: `${made}${delimiter}${process.env['PATH']}`, TMPDIR: made },
    opened: () => readFileSync(join(made, 'opened'), 'utf8'),
  }
}

/** What both pages show of the recording. */
async function expectReport(page: Page, found: Calibration): Promise<void> {
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })
  expect(found.assumptions.length).toBeGreaterThan(11)
  for (const { id, verdict } of found.assumptions)
    expect(await row(id).locator('.mark').innerText()).toBe(verdict)
  const geo = await row('geo').innerText()
  expect(geo).toMatch(/other\s+object\s+code\s+#3/)
  expect(found.drift.length).toBeGreaterThan(0)
  for (const { message } of found.drift)
    expect(await page.getByRole('cell', { name: message }).count()).toBeGreaterThan(0)
  const difference = found.behaviour.differences.find(({ operation }) => operation === 'getCredit')
  const shown = page.getByRole('article', { name: `Exchange ${difference?.exchange}`, exact: true })
  expect(await shown.getByRole('row').nth(1).innerText()).toMatch(/credit\s+1234\.56\s+\d/)
  await shown.getByText('Both answers').click()
  expect(await shown.getByLabel('Answer of the real service').innerText()).toContain('1234.56')
  expect(JSON.stringify(found)).toContain(productName)
  expect(await page.title()).toContain('Calibration')
  await page.getByText(`${found.behaviour.fidelity} %`, { exact: true }).waitFor()
}

describe.skipIf(noBrowser)("a calibration's report", { timeout: 120_000 }, () => {
  const open = useBrowser()

  test('is opened by --open as one file, which asks nobody for anything', async () => {
    const { env, opened } = opener()
    const { code, stdout, stderr } = await proxysim(['calibrate', recording(), '--open', '--json'], { env })
    expect(code).toBe(0)
    const [, file = ''] = /opened (\S+calibration\.html)/.exec(stderr) ?? []
    await expect.poll(opened).toBe(file)
    const { page, wrongs } = await open(pathToFileURL(file).href)
    await expectReport(page, JSON.parse(stdout) as Calibration)
    expect(await violations(page)).toEqual([])
    expect(wrongs).toEqual([])
  })

  test('is written and opened where --report says, and the path is told where nothing can open it', async () => {
    const { env, opened } = opener()
    const file = join(folder(), 'report.html')
    expect(await proxysim(['calibrate', recording(), '--open', '--report', file], { env })).toMatchObject({
      code: 0,
    })
    await expect.poll(opened).toBe(file)
    const { code, stderr } = await proxysim(['calibrate', recording(), '--open', '--report', file], {
      env: { PATH: folder() },
    })
    expect(code).toBe(0)
    expect(stderr).toContain(`open ${file} yourself`)
  })

  test('is a page of the dashboard, from the JSON report', async () => {
    const { stdout } = await proxysim(['calibrate', recording(), '--json'])
    const { url } = await start()
    const { page, wrongs } = await open(`${url}/#/calibration`)
    await page.getByText('proxysim calibrate real.har').waitFor()
    const choice = page.getByLabel('choose it:')
    const report = (text: string) => ({
      name: 'calibration.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    })
    for (const wrong of ['{', '{}', 'null', '{"assumptions": []}']) {
      await choice.setInputFiles(report(wrong))
      await page.getByText('calibration.json is not the JSON report of a calibration.').waitFor()
      await page.getByRole('button', { name: 'Dismiss' }).click()
    }
    await choice.setInputFiles(report(stdout))
    await expectReport(page, JSON.parse(stdout) as Calibration)
    expect(await violations(page)).toEqual([])
    await page.goto(`${url}/#/world`)
    await page.goto(`${url}/#/calibration`)
    await page.getByRole('rowheader', { name: 'productSort' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test.each([375, 768])('fits a page of %i px', async (width) => {
    const { env } = opener()
    const file = join(folder(), 'report.html')
    await proxysim(['calibrate', recording(), '--report', file], { env })
    const { page } = await open(pathToFileURL(file).href, { viewport: { width, height: 800 } })
    await page.getByRole('heading', { name: 'Differences' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'productSort' }) })
    expect((await row.boundingBox())?.height).toBeLessThan(100) // its text is not squeezed into a column
  })
})
