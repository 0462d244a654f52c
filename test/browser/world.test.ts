import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { start, type Started } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

interface World {
  credit: number
  clock: { now: string }
  clients: Record<string, { email: string }>
  products: Record<string, { productName: string; price: number; geo?: string[] }>
  services: Record<
    string,
    {
      status: string
      bindedip?: string
      nextduedate: string
      client: number
      usage?: { stats: Record<string, number> }
    }
  >
  invoices: Record<string, { amount: number }>
}

async function worldOf({ call }: Started): Promise<World> {
  return (await call<World>('GET', '/__admin/accounts/reseller')).json
}

const order = { body: { clientid: 11 } }

describe.skipIf(noBrowser)('the world page', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test.each([
    [
      'clients',
      'email of client 11',
      'new@example.com',
      (world: World) => world.clients['11']?.email,
      'new@example.com',
    ],
    [
      'products',
      'productName of product 101',
      'Static Ten',
      (world: World) => world.products['101']?.productName,
      'Static Ten',
    ],
    ['products', 'price of product 101', '12,50', (world: World) => world.products['101']?.price, 12.5],
    [
      'services',
      'nextduedate of service 5001',
      '2027-01-01',
      (world: World) => world.services['5001']?.nextduedate,
      '2027-01-01',
    ],
    ['services', 'client of service 5001', '12', (world: World) => world.services['5001']?.client, 12],
    ['invoices', 'amount of invoice 9001', '7.77', (world: World) => world.invoices['9001']?.amount, 7.77],
  ] as const)('%s: %s is changed in place', async (part, label, typed, read, wanted) => {
    const started = await start()
    const { page, wrongs } = await open(`${started.url}/#/world/${part}`)
    await page.getByLabel(label, { exact: true }).fill(typed)
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText(`${label} is`).waitFor()
    expect(read(await worldOf(started))).toBe(wanted)
    expect(wrongs).toEqual([])
  })

  test('all fields of a record are there, lists too; records are added and deleted', async () => {
    const started = await start()
    const { page, wrongs } = await open(`${started.url}/#/world/products`)
    await page.getByRole('link', { name: 'All fields of product 101' }).click()
    const record = page.getByRole('article', { name: 'product 101' })
    await record.getByLabel('geo of product 101').fill('["FR"]')
    await page.keyboard.press('Tab')
    await page.getByText('geo of product 101 is changed.').waitFor()
    expect((await worldOf(started)).products['101']?.geo).toEqual(['FR'])

    await page.getByRole('button', { name: 'Add a product' }).click()
    const made = page.getByRole('article', { name: /^product/ }).filter({ hasNotText: 'product 101' })
    await expect.poll(() => page.getByRole('heading', { level: 2 }).innerText()).not.toContain('101')
    const id = (await made.getAttribute('aria-label'))?.split(' ')[1] ?? ''
    await page.getByText(`product ${id} was added.`).waitFor()
    expect((await worldOf(started)).products[id]?.productName).toBe('New product')
    await made.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(`product ${id} is gone.`).waitFor()
    expect((await worldOf(started)).products).not.toHaveProperty(id)
    expect(wrongs).toEqual([])
  })

  test('what is taken out of a map is gone; what was only laid out otherwise changes nothing', async () => {
    const started = await start()
    const usage = async () => (await worldOf(started)).services['5101']?.usage
    const before = await usage()
    const [day = ''] = Object.keys(before?.stats ?? {})
    const { page, wrongs } = await open(`${started.url}/#/world/services/5101`)
    const field = page.getByRole('article').getByLabel('usage of service 5101')
    const { [day]: _taken, ...stats } = before?.stats ?? {}
    await field.fill(JSON.stringify({ ...before, stats }))
    await page.keyboard.press('Tab')
    await page.getByText('usage of service 5101 is changed.').waitFor()
    expect(await usage()).toEqual({ ...before, stats })
    expect(await field.inputValue()).not.toContain(day)

    const patches: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && patches.push(request.url()))
    await field.fill(JSON.stringify({ ...before, stats }))
    await page.keyboard.press('Tab')
    await expect.poll(() => field.inputValue()).toContain('\n')
    expect(patches).toEqual([])
    expect(wrongs).toEqual([])
  })

  test('what is emptied shows the default that the simulator gives it', async () => {
    const started = await start()
    const { page, wrongs } = await open(`${started.url}/#/world/services/5001`)
    const field = page.getByRole('article').getByLabel('ip_count of service 5001')
    await field.fill('')
    await page.keyboard.press('Enter')
    await page.getByText('ip_count of service 5001 is back to its default.').waitFor()
    await expect.poll(() => field.inputValue()).toBe('10')
    await page.getByRole('article').getByLabel('bindedip of service 5001').fill('')
    await page.keyboard.press('Enter')
    await page.getByText('bindedip of service 5001 is empty.').waitFor()
    expect(wrongs).toEqual([])
  })

  test.each([
    ['world/products', 'price of product 101', '1,000', '"1,000" is not an amount'],
    ['world', 'Credit in USD', '1,000', '“1,000” is not an amount.'],
    ['control', 'Reading of updateListInterval', '', '"" is not a number of seconds'],
  ])('%s: %s is not set by “%s”, which is no number', async (place, label, typed, told) => {
    const started = await start()
    const { page } = await open(`${started.url}/#/${place}`)
    const before = await worldOf(started)
    await page.getByLabel(label, { exact: true }).fill(typed)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText(told).waitFor()
    const { clock: _then, ...untouched } = before
    expect(await worldOf(started)).toMatchObject(untouched)
  })

  test('what is refused is told under its cell and stays as it was typed, until Escape; no notice', async () => {
    const started = await start()
    const { page } = await open(`${started.url}/#/world`)
    const bound = page.getByLabel('bindedip of service 5008')
    await bound.fill('1.2.3')
    await page.keyboard.press('Enter')
    const refusal = page.getByRole('alert').getByText('"1.2.3" is not an IPv4 address')
    await refusal.waitFor()
    expect(await bound.inputValue()).toBe('1.2.3')
    expect(await bound.getAttribute('aria-invalid')).toBe('true')
    const [field, told] = [await bound.boundingBox(), await refusal.boundingBox()]
    expect(told?.y).toBeGreaterThanOrEqual((field?.y ?? 0) + (field?.height ?? 0))
    expect((told?.y ?? 0) - (field?.y ?? 0)).toBeLessThan(60)
    // None of it is cut off at the edge of the table, which scrolls.
    const table = await page.getByRole('table').first().boundingBox()
    expect(rightOf(told)).toBeLessThanOrEqual(rightOf(table))
    await page.keyboard.press('Tab')
    expect(await bound.inputValue()).toBe('1.2.3')
    expect(await page.locator('.notice').count()).toBe(0)
    expect((await worldOf(started)).services['5008']?.bindedip).toBe('203.0.113.80')

    await bound.focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => bound.inputValue()).toBe('203.0.113.80')
    expect(await refusal.count()).toBe(0)
  })

  test('notices do not pile up', async () => {
    const { url } = await start()
    const { page } = await open(`${url}/#/world`)
    for (const id of ['5001', '5002', '5003'])
      await page.getByLabel(`status of service ${id}`, { exact: true }).selectOption('Fraud')
    await page.getByText('status of service 5003 is Fraud.').waitFor()
    expect(await page.locator('.notice').count()).toBe(1)
  })

  test.each(['services', 'sessions', 'invoices', 'clients', 'products', 'services/5101'])(
    '%s: nothing is cut at 375 px',
    async (part) => {
      const { url } = await start()
      const { page } = await open(`${url}/#/world/${part}`, { viewport: { width: 375, height: 800 } })
      await page
        .locator(part.includes('/') ? '.record-fields dd' : '.table-row')
        .first()
        .waitFor()
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.table-row > span, .world-part input:not([type=search]), .world-part select')]
          .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
          .map((one) => (one.getAttribute('aria-label') ?? one.dataset.name) + ': ' + (one.value ?? one.innerText))`,
      )
      expect(cut).toEqual([])
    },
  )

  test('the state is edited as YAML: what is wrong is told by line and column, which lead there; then it is loaded', async () => {
    const started = await start()
    const { page, wrongs } = await open(`${started.url}/#/world/scenario`)
    const text = page.getByLabel('Scenario, YAML')
    await expect.poll(() => text.inputValue()).toContain('ana@example.com')
    const before = await text.inputValue()
    const lines = before.split('\n')
    const at = lines.findIndex((line) => /^ {4}credit:/.test(line))
    await text.fill(lines.with(at, '    credit: plenty').join('\n'))
    const mistake = page.getByRole('button', {
      name: `Line ${at + 1}, column 13: accounts.reseller.credit: "plenty"`,
    })
    await mistake.waitFor()
    expect(wrongs.splice(0).every((wrong) => wrong.includes('400'))).toBe(true)
    await mistake.click()
    expect(
      await page.evaluate<string>(
        `document.activeElement.value.slice(document.activeElement.selectionStart).split('\\n')[0]`,
      ),
    ).toBe('plenty')
    expect((await worldOf(started)).credit).toBe(250)

    await text.fill(lines.with(at, '    credit: 77.5').join('\n'))
    await page.getByText('can be loaded').waitFor()
    expect((await worldOf(started)).credit).toBe(250)
    await page.getByRole('button', { name: 'Load this' }).click()
    await page.getByText('The scenario is loaded.').waitFor()
    expect((await worldOf(started)).credit).toBe(77.5)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('What was replaced is back.').waitFor()
    expect((await worldOf(started)).credit).toBe(250)
    expect(wrongs).toEqual([])
  })

  test('an empty text is called so, and is not sent', async () => {
    const { url } = await start()
    const { page, wrongs } = await open(`${url}/#/world/scenario`)
    const text = page.getByLabel('Scenario, YAML')
    await expect.poll(() => text.inputValue()).not.toBe('')
    await text.fill(' ')
    await page.getByText('The editor is empty.').waitFor()
    await page.getByRole('button', { name: 'Load this' }).click()
    await page.getByText('The editor is empty.').waitFor()
    expect(wrongs).toEqual([])
  })

  test('what is wrong in a file that the text extends is told by that file, and leads nowhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proxysim-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'broken.yaml')
    writeFileSync(
      file,
      'description: Broken.\nextends: default\naccounts:\n  reseller:\n    credit: plenty\n',
    )
    const { url } = await start({ scenarios: folder })
    const { page } = await open(`${url}/#/world/scenario`)
    const text = page.getByLabel('Scenario, YAML')
    await expect.poll(() => text.inputValue()).not.toBe('')
    await text.fill('extends: broken\n')
    await page.getByText(`${file}:5:13: accounts.reseller.credit: "plenty"`).waitFor()
    expect(await page.locator('.scenario-editor li button').count()).toBe(0)
    expect(await page.locator('.numbers span').count()).toBe(0)
  })

  test('a check alone changes nothing', async () => {
    const started = await start()
    const raw = 'description: None.\nextends: default\naccounts: { reseller: { credit: 1 } }\n'
    const reply = await started.call('PUT', '/__admin/scenario?check=true', {
      raw,
      headers: { 'content-type': 'application/yaml' },
    })
    expect(reply).toMatchObject({ status: 200, json: { accounts: ['reseller'] } })
    expect((await worldOf(started)).credit).toBe(250)
  })

  test('is exported as a file, and a file is imported', async () => {
    const started = await start()
    const { page, wrongs } = await open(`${started.url}/#/world/scenario`)
    const text = page.getByLabel('Scenario, YAML')
    await expect.poll(() => text.inputValue()).not.toBe('')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('scenario.yaml')
    const exported = parse(readFileSync(await download.path(), 'utf8')) as { accounts: { reseller: World } }
    expect(exported.accounts.reseller.credit).toBe(250)

    await page.getByLabel('Import').setInputFiles({
      name: 'mine.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from('description: Mine.\nextends: low-funds\n'),
    })
    await page.getByText('can be loaded').waitFor()
    expect(await text.inputValue()).toContain('Mine.')
    await page.getByRole('button', { name: 'Load this' }).click()
    await page.getByText('The scenario is loaded.').waitFor()
    expect((await worldOf(started)).credit).toBe(0.5)
    expect(wrongs).toEqual([])
  })

  test('a picture of the credit has the orders on it, which lead to their requests', async () => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', order)
    await call('GET', '/api/clients')
    await call('POST', '/api/product/102', order)
    const { page } = await open(`${url}/#/world`)
    const picture = page.getByRole('figure').filter({ hasText: 'Credit, request by request' })
    await picture.getByText('2 orders').waitFor()
    await picture.getByText('· 250.00').waitFor()
    await picture.getByText('now · 140.10').waitFor()
    const marks = picture.getByRole('link')
    const heights = await marks.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y))
    expect(heights[1]).toBeGreaterThan(heights[0] ?? Infinity)
    await picture.getByRole('link', { name: '#3 order of Static 50: 230.00 → 140.10' }).click()
    await page.getByRole('article', { name: 'Request 3' }).waitFor()
  })

  test('a picture of the clock shows what falls due, and takes it there', async () => {
    const started = await start({ scenario: { extends: 'default', clock: '2026-01-15T12:00:00Z' } })
    const { page } = await open(`${started.url}/#/world`)
    const picture = page.getByRole('figure').filter({ hasText: 'what falls due' })
    await picture.getByText('2026-01-15 12:00:00 UTC').waitFor()
    expect(await picture.locator('.due-mark').count()).toBeGreaterThan(3)
    const first = picture.getByRole('listitem').first()
    expect(await first.innerText()).toMatch(/^in \d+ min: session \S+ of service 5101 ends/)
    await first.getByRole('button').click()
    await expect.poll(() => first.innerText()).not.toContain('session')
    const { clock } = await worldOf(started)
    expect(Date.parse(clock.now)).toBeGreaterThan(Date.parse('2026-01-15T12:00:00Z'))
    expect(Date.parse(clock.now)).toBeLessThan(Date.parse('2026-01-15T13:00:00Z'))
  })
})

function rightOf(box: { x: number; width: number } | null): number {
  return box ? box.x + box.width : Number.NaN
}
