import { describe, expect, test } from 'vitest'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { violations } from './violations.ts'

describe.skipIf(noBrowser)('the docs', { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('render the contract, and what is tried in place is sent with the credentials', async () => {
    const { url, simulation } = await start()
    const { page, wrongs } = await open(`${url}/docs`)
    await page.getByText('What you try here is sent as reseller.').waitFor()
    expect(await page.locator('.opblock').count()).toBe(20)
    await page.locator('#operations-Clients-listClients .opblock-summary-control').click()
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.locator('.live-responses-table').getByText('ana@example.com').waitFor()
    const [record] = simulation.store.observations().journal.records
    expect(record?.raw.operation).toBe('listClients')
    expect(record?.raw.status).toBe(200)
    expect(await (await fetch(`${url}/__admin/findings`)).json()).toEqual([])
    expect(wrongs).toEqual([])
  })

  test('of the control plane render too', async () => {
    const { url } = await start()
    const { page, wrongs } = await open(`${url}/docs/admin`, { colorScheme: 'dark' })
    await page.getByText('/__admin/health').first().waitFor()
    await page.locator('#operations-Simulator-getHealth .opblock-summary-control').click()
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.locator('.live-responses-table').getByText('"ok"').waitFor()
    expect(wrongs).toEqual([])
  })

  test('of the control plane ask for the token, and what is tried is sent with it', async () => {
    const { url } = await start({ adminToken: 'open-sesame' })
    const { page } = await open(`${url}/docs/admin`)
    await page.getByLabel('Admin token').fill('open-barley')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').getByText('That is not the token.').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Admin token').fill('open-sesame')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.locator('#operations-Scenarios-listScenarios .opblock-summary-control').click()
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.locator('.live-responses-table').getByText('"low-funds"').waitFor()
    // This tab remembers it, on every page.
    await page.goto(`${url}/docs`)
    await page.getByText('What you try here is sent as reseller.').waitFor()
    await page.goto(`${url}/docs/admin`)
    await page.getByText('/__admin/health').first().waitFor()
  })

  test.each(['/docs', '/docs/admin'])('%s has one main part', async (path) => {
    const { url } = await start()
    const { page } = await open(url + path)
    await page.locator('.opblock').first().waitFor()
    expect(await page.locator('main').count()).toBe(1)
    expect((await violations(page)).filter((one) => one.startsWith('landmark'))).toEqual([])
  })

  test('send as the account that the dashboard looks at', async () => {
    const { url } = await start({ scenario: 'two-accounts' })
    const { page } = await open(`${url}/#/world`)
    await page.getByRole('banner').getByLabel('Account').selectOption('another')
    await page.getByRole('heading', { name: 'World of another' }).waitFor()
    await page.goto(`${url}/docs`)
    const notice = page.locator('#notice')
    await expect.poll(() => notice.innerText()).toBe('What you try here is sent as another.')
  })
})
