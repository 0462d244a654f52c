import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

const order = { body: { clientid: 11 } }

interface Entry {
  id: number
  method: string
  path: string
  status: number | null
  case: string | null
  request: { body: unknown }
}

function entries(page: Page) {
  return page.locator('.entries').getByRole('option')
}

describe.skipIf(noBrowser)('the requests page', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test.each([375, 768, 1280, 1600])(
    'shows method and path whole at %i px, with a request open too',
    async (width) => {
      const { url, call } = await start()
      await call('GET', '/api/sticky/rotate/5101/us1/abc')
      await call('POST', '/api/product/104', order)
      const { page } = await open(`${url}/#/requests`, { viewport: { width, height: 800 } })
      const isWhole = async () => {
        await page.locator('.entry-path').first().waitFor()
        return page.evaluate<boolean>(
          `[...document.querySelectorAll('.entry-path')].every((path) => path.checkVisibility() && path.scrollWidth <= path.clientWidth)`,
        )
      }
      expect(await isWhole()).toBe(true)
      await entries(page).first().click()
      await page.getByRole('article').waitFor()
      // A narrow page shows the request alone.
      expect(width < 1100 || (await isWhole())).toBe(true)
      expect(await page.getByRole('article').getByText('/api/product/104').first().isVisible()).toBe(true)
    },
  )

  test('Escape closes a request, wherever the focus is, but not while it empties the search', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients')
    const { page } = await open(`${url}/#/requests/1`)
    const article = page.getByRole('article')
    await article.waitFor()
    await page.getByLabel('Search the requests').fill('clients')
    await page.keyboard.press('Escape')
    expect(await article.count()).toBe(1)
    await page.getByRole('button', { name: 'Send again' }).focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => article.count()).toBe(0)
    expect(await page.evaluate('document.activeElement.className')).toContain('entries')
  })

  test('a request that falls out of the journal stays, and says so; one that never was there says so in its place', async () => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', order)
    const { page } = await open(`${url}/#/requests/1`)
    const article = page.getByRole('article', { name: 'Request 1' })
    await article.getByText('What it changed').waitFor()
    await call('DELETE', '/__admin/requests')
    await call('GET', '/api/clients')
    await page.reload()
    await article.getByText('The journal does not have this request').waitFor()

    await page.goto(`${url}/#/requests/2`)
    const second = page.getByRole('article', { name: 'Request 2' })
    await second.getByRole('button', { name: 'Go back to before this' }).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await second.getByText('The journal does not have this request any more').waitFor()
    await second.getByText('What it changed').waitFor()
    expect(await second.getByRole('button', { name: 'Go back to before this' }).count()).toBe(0)
  })

  test('is sent again, and the new one is opened', async () => {
    const { url, call } = await start()
    await call('PUT', '/api/service/5001', { body: { setip: '203.0.113.10' } })
    const { page, wrongs } = await open(`${url}/#/requests/1`)
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    const { requests } = (await call<{ requests: Entry[] }>('GET', '/__admin/requests')).json
    expect(requests[0]).toMatchObject({
      id: 2,
      method: 'PUT',
      path: '/api/service/5001',
      status: 200,
      request: { body: { setip: '203.0.113.10' } },
    })
    expect(wrongs).toEqual([])
  })

  // Milliseconds from the first click to the second: when that comes, the simulator may have answered already.
  test.each([0, 150])('a double click on Send again sends once, %d ms apart', async (delay) => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', order)
    const { page, wrongs } = await open(`${url}/#/requests/1`)
    await page.getByRole('button', { name: 'Send again' }).dblclick({ delay })
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    await call('GET', '/api/clients')
    await page.getByText('/api/clients').first().waitFor()
    const { requests } = (await call<{ requests: Entry[] }>('GET', '/__admin/requests')).json
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST'])
    expect(wrongs).toEqual([])
  })

  test('while a fault delays what was sent again, the other buttons work', async () => {
    const { url, call } = await start()
    await call('POST', '/api/product/101', order)
    await call('POST', '/__admin/faults', { body: { operation: 'orderService', delay: 600_000 } })
    const { page } = await open(`${url}/#/requests/1`)
    const sent = page.waitForRequest('**/api/product/101')
    await page.getByRole('button', { name: 'Send again' }).click()
    await sent
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('The journal does not have this request any more').waitFor()
    expect((await call('GET', '/__admin/requests')).json).toMatchObject({ requests: [] })
  })

  test('what the journal has no credentials of is not sent again', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients', { headers: { authorization: 'Basic cmVzZWxsZXI6d3Jvbmc=' } })
    await call('PUT', '/api/service/5001', { body: { password: 'czNjcmV0' } })
    const { page } = await open(`${url}/#/requests/1`)
    await page.getByRole('button', { name: 'Copy as scenario' }).waitFor()
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0)
    await page.goto(`${url}/#/requests/2`)
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0)
  })

  test('is answered in Try though its connection broke: then the browser sent it again, and the page says so', async () => {
    const { url, call } = await start()
    await call('POST', '/__admin/faults', { body: { operation: 'listClients', drop: 'reset', times: 1 } })
    const { page } = await open(`${url}/#/try/listClients`)
    const told = page.getByText('your browser sent the request again by itself')
    // As Firefox does.
    await page.route('**/api/clients', async (route) => {
      const headers = await route.request().allHeaders()
      await fetch(`${url}/api/clients`, { headers }).catch(() => {})
      await route.continue()
    })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => told.count()).toBe(1)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => told.count()).toBe(0)
  })

  test('is opened in Try, with its path and body', async () => {
    const { url, call } = await start()
    await call('PUT', '/api/service/5002', { body: { setip: '203.0.113.10' } })
    const { page } = await open(`${url}/#/requests/1`)
    await page.getByRole('link', { name: 'Open in Try' }).click()
    await page.getByRole('heading', { name: 'Try a request' }).waitFor()
    expect(await page.getByLabel('id', { exact: true }).inputValue()).toBe('5002')
    expect(JSON.parse(await page.getByLabel('Body (JSON)').inputValue())).toEqual({ setip: '203.0.113.10' })
  })

  test('a path with an escape that is none is shown as it was sent', async () => {
    const { url, call } = await start()
    await call('GET', '/api/service/%zz')
    await call('GET', '/api/clients')
    const { page, wrongs } = await open(`${url}/#/requests/1`)
    const article = page.getByRole('article', { name: 'Request 1' })
    await article.getByText('id must be a positive integer').first().waitFor()
    await page.getByRole('link', { name: 'Open in Try' }).click()
    await expect.poll(() => page.getByLabel('id', { exact: true }).inputValue()).toBe('%zz')
    expect(wrongs).toEqual([])
  })

  test('is made a fault of, which strikes the same call and no other', async () => {
    const { url, call } = await start()
    await call('PUT', '/api/service/5002', { body: { setip: '192.0.2.10' } })
    const { page } = await open(`${url}/#/requests/1`)
    await page.getByRole('link', { name: 'Make a fault of this' }).click()
    const form = page.getByRole('form', { name: 'Arm a fault' })
    await expect.poll(() => form.getByLabel('id', { exact: true }).inputValue()).toBe('5002')
    await form.getByRole('button', { name: 'Arm' }).click()
    await page.getByText('The fault is armed.').waitFor()
    expect((await call('PUT', '/api/service/5001', { body: { setip: '203.0.113.10' } })).status).toBe(200)
    const struck = await call('PUT', '/api/service/5002', { body: { setip: '203.0.113.11' } })
    expect(struck.status).toBe(422)
    expect(struck.headers['sim-case']).toBe('ip-already-bound')
  })

  test('the filters stand in the address, and survive a reload and a request that is opened', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients')
    await call('POST', '/api/product/999', order)
    await call('POST', '/api/product/104', order)
    const { page } = await open(`${url}/#/requests`)
    await page.getByLabel('Status', { exact: true }).selectOption('4xx')
    await page.getByLabel('Search the requests').fill('less than')
    await expect.poll(() => entries(page).count()).toBe(1)
    expect(page.url()).toBe(`${url}/#/requests?text=less+than&status=4xx`)
    await entries(page).click()
    await page.getByRole('article', { name: 'Request 3' }).waitFor()
    expect(page.url()).toBe(`${url}/#/requests/3?text=less+than&status=4xx`)
    await page.reload()
    await expect.poll(() => entries(page).count()).toBe(1)
    expect(await page.getByLabel('Search the requests').inputValue()).toBe('less than')
  })

  test('is paused, counts what comes meanwhile, and goes on', async () => {
    const { url, call } = await start()
    await call('GET', '/api/clients')
    const { page } = await open(`${url}/#/requests`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await call('GET', '/api/products')
    await call('GET', '/api/products')
    await page.getByText('2 new requests').waitFor()
    expect(await entries(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => entries(page).count()).toBe(3)
  })

  test('a timeline shows how the calls ended; some are chosen by drawing over them, or by keys', async () => {
    const { url, call } = await start()
    for (const id of [101, 999, 998, 102, 101]) await call('POST', `/api/product/${id}`, order)
    await call('POST', '/__admin/faults', { body: { operation: 'getCredit', respond: { status: 503 } } })
    await call('GET', '/api/billing/credit')
    const { page, wrongs } = await open(`${url}/#/requests`)
    const timeline = page.getByRole('group', { name: 'Timeline' })
    await timeline.getByRole('img', { name: '6 calls, 3 answered, 2 refused, 1 failed, 0 lost' }).waitFor()
    expect(
      await timeline
        .locator('rect')
        .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('class')?.trim())),
    ).toEqual(['bar-good', 'bar-bad', 'bar-bad', 'bar-good', 'bar-good', 'bar-broken'])
    const box = (await timeline.locator('.timeline-bars').boundingBox()) as {
      x: number
      y: number
      width: number
    }
    const xOf = (bar: number) => box.x + ((bar - 0.5) / 6) * box.width
    await page.mouse.move(xOf(2), box.y + 20)
    await page.mouse.down()
    await page.mouse.move(xOf(3), box.y + 20)
    await page.mouse.up()
    await expect.poll(() => entries(page).count()).toBe(2)
    expect(page.url()).toBe(`${url}/#/requests?ids=2-3`)
    await timeline.getByRole('slider', { name: 'Last request of the list' }).press('ArrowRight')
    await expect.poll(() => entries(page).count()).toBe(3)
    await timeline.getByRole('button', { name: 'All of them' }).click()
    await expect.poll(() => entries(page).count()).toBe(6)
    expect(wrongs).toEqual([])
  })
})
