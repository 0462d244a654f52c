import { describe, expect, test } from 'vitest'
import { client } from '../cli/client.ts'
import { proxysim } from '../cli/proxysim.ts'
import { start } from '../support/start.ts'
import { noBrowser, useBrowser } from './browser.ts'

describe.skipIf(noBrowser)("a sweep's report on the coverage page", { timeout: 60_000 }, () => {
  const open = useBrowser()

  test('is shown as a grid, and what happened at a cell', async () => {
    const careless = client(`await ask('POST', '/api/product/101', { clientid: 11 }).catch(() => {})`)
    const { stdout } = await proxysim(['sweep', '--json', '--faults', 'reset', 'lost', '--', ...careless])
    const { url } = await start()
    const { page, wrongs } = await open(`${url}/#/coverage`)
    const choice = page.getByLabel('choose it:')
    const file = (text: string) => ({
      name: 'sweep.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    })

    await choice.setInputFiles(file('{"runs": [{}]}'))
    await page.getByText('sweep.json is not the JSON report of a sweep.').waitFor()

    await choice.setInputFiles(file(stdout))
    await page.getByText('2 runs: 1 swallowed, 1 survived').waitFor()
    await page.getByRole('button', { name: 'orderService lost survived' }).waitFor()
    await page.getByRole('button', { name: 'orderService reset swallowed' }).click()
    await page.getByText('missing at the end: reseller: credit: 230.00').waitFor()
    await page.getByText(/^proxysim sweep --only orderService --faults reset -- /).waitFor()

    await page.goto(`${url}/#/world`)
    await page.goto(`${url}/#/coverage`)
    await page.getByRole('button', { name: 'orderService reset swallowed' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('can be dropped anywhere on the page', async () => {
    const { url } = await start()
    const { page } = await open(`${url}/#/coverage`)
    await page.getByRole('heading', { name: 'When things go wrong' }).waitFor()
    const report = {
      verdicts: { hang: 1 },
      runs: [
        {
          operation: 'getCredit',
          fault: '503',
          verdict: 'hang',
          repeat: 'proxysim sweep',
          findings: [],
          shown: [],
          output: [],
          endState: null,
        },
      ],
    }
    await page.evaluate(
      `{
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([${JSON.stringify(JSON.stringify(report))}], 'sweep.json'))
        document.querySelector('h1').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
      }`,
    )
    await page.getByRole('button', { name: 'getCredit 503 hang' }).click()
    const said = page.getByRole('status').filter({ hasText: 'getCredit × 503: hang' })
    expect(await said.innerText()).toContain('It was stopped after the timeout.')
  })
})
