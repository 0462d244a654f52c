import { describe, expect, test } from 'vitest'
import { look, noBrowser, useBrowser, violations } from './browser.ts'

const twice = {
  stage: 'first',
  operation: 'orderService',
  call: 1,
  verdict: 'ordered-twice',
  accepted: null,
  exitCode: 0,
  durationMs: 1,
  why: ['The order was sent again: services 5104 and 5105.'],
  advice: 'Look for the order.',
  output: [],
  findings: [
    {
      finding: 'ordered-twice',
      severity: 'high',
      message: 'The order was sent again: services 5104 and 5105.',
      advice: 'Look for the order.',
      requests: [],
    },
  ],
  shown: [
    {
      text: ' 1. POST /api/product/101 → no response  ← lost',
      mark: 'bad',
      request: { headers: {}, body: { clientid: 11 } },
      response: { headers: {}, body: { serviceId: 5104 } },
    },
    { text: '   The program exited with 0', mark: null },
  ],
  repeat: "proxysim sweep --cell 'orderService lost' -- node app.mjs",
}
const sweep = {
  command: ['node', 'app.mjs'],
  leftOut: { recovery: 2 },
  runs: [
    { ...twice, cell: 'getService 503', operation: 'getService', verdict: 'reported', findings: [] },
    { ...twice, cell: 'getService reset', operation: 'getService', verdict: 'ok', findings: [] },
    {
      ...twice,
      cell: 'updateService error-200',
      operation: 'updateService',
      verdict: 'wrong-result',
      findings: [],
      why: ['missing: service bindedip → 192.0.2.20'],
    },
    { ...twice, cell: 'orderService lost' },
    {
      ...twice,
      cell: 'orderService cut',
      why: ['The order was sent again: services 5104 and 5107.'],
    },
    { ...twice, cell: 'orderService 503', accepted: 'support looks for these' },
  ],
}
const matrix = {
  command: ['node', 'client.mjs'],
  interpretations: [
    { ...twice, cell: 'default', assumption: null, value: null, meaning: null, verdict: 'ok' },
    {
      ...twice,
      cell: 'numbers=string',
      assumption: 'numbers',
      value: 'string',
      meaning: 'Numbers are written as strings.',
      verdict: 'wrong-result',
      findings: [],
      why: ['added: invoice 0.00'],
    },
  ],
}
const exec = {
  exitCode: 1,
  requests: 3,
  findings: [],
  refusals: [{ id: 2, method: 'GET', path: '/api/x', status: 422, case: 'unprocessable', reason: 'no x' }],
  covered: 2,
  total: 47,
  percent: 4.3,
  assumptions: [{ id: 'geo', value: 'code', confirmed: false }],
}

const calibration = {
  exchanges: { read: 7, judged: 5, skipped: [] },
  assumptions: [
    {
      id: 'productSort',
      verdict: 'undecided',
      interpretation: null,
      needs: [{ call: 'GET /x', effect: 'reads' }],
    },
    { id: 'geo', verdict: 'contradicts', interpretation: null, evidence: [1, 2] },
  ],
  violations: [{ operation: 'getRate', status: 200, message: 'rate must be string', exchanges: [3] }],
  behaviour: { same: 3, differ: 1, fidelity: 75, differences: [] },
}

describe.skipIf(noBrowser)('Problems', () => {
  const open = useBrowser()

  test('a finding is listed once, with its accounts and requests', async () => {
    const headers = { accept: '*/*', 'content-type': undefined }
    const { page, wrongs } = await look(open, {
      at: 'problems',
      scenario: 'two-accounts',
      sent: ['reseller', 'another'].map((login) => ['GET', '/api/clients', { login, headers }]),
    })
    const finding = page.locator('.finding')
    await finding.getByText('reseller').waitFor()
    await expect.poll(() => finding.count()).toBe(1)
    expect(await finding.innerText()).toContain('another')
    await finding.getByRole('link', { name: '#1' }).click()
    await page.getByRole('article', { name: 'Request 1' }).waitFor()
    expect(wrongs).toEqual([])
  })

  test('an order that was placed twice is loud on every page, and its requests are one click apart', async () => {
    const loss = { operation: 'orderService', drop: 'empty', phase: 'after', times: 1 }
    const { call, page, shows, wrongs } = await look(open, { mayViolate: true })
    await call('POST', '/__admin/faults', { body: loss })
    const order = () => call('POST', '/api/product/101', { body: { clientid: 11 } })
    await order().catch(() => {})
    await order()
    const badge = page.getByRole('link', { name: 'Problems: 1 problem' })
    await badge.waitFor()
    await page.locator('#entry-2').getByText('ordered twice').waitFor()
    expect(await page.locator('#entry-1').innerText(), 'only the wrong call is tagged').not.toContain('twice')
    await page.locator('#entry-1').click()
    const detail = page.getByRole('article', { name: 'Request 1' })
    await detail.getByRole('region', { name: 'Problem: ordered twice' }).getByText('was sent again').waitFor()
    await detail.getByRole('link', { name: '#2' }).click()
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    await badge.click()
    const problem = page.locator('.finding', { hasText: 'Ordered twice' })
    await problem.getByText('What to do: The API has no idempotency key').waitFor()
    await problem.getByRole('link', { name: '#2 200 POST /api/product/101 wrong call' }).waitFor()
    await problem.getByRole('button', { name: 'Make it happen again' }).click()
    await shows(/as it was before #1\. Active faults: orderService closes .* Run your client again\./)
    await shows('No requests since the rewind: run your client again')
    expect(wrongs).toEqual([])
  })

  test('problems that were loaded earlier do not replace later ones, if their response comes last', async () => {
    const { call, page, shows } = await look(open, { at: 'problems' })
    const wait = new Map<number, () => void>()
    const held = (number: number) => new Promise<void>((resolve) => wait.set(number, resolve))
    let loads = 0
    await page.route('**/__admin/findings*', async (route) => {
      const response = await route.fetch()
      await held(++loads)
      await route.fulfill({ response })
    })
    const send = async (load: number) => {
      await call('GET', '/api/clients', { headers: { accept: '*/*', 'content-type': undefined } })
      await expect.poll(() => wait.has(load)).toBe(true)
    }
    await call('GET', '/api/clients')
    await expect.poll(() => wait.has(1)).toBe(true)
    await send(2)
    wait.get(2)?.()
    await shows('1 problem in 2 requests')
    const heading = page.locator('#problems')
    const shown = await heading.evaluateHandle((node) => {
      const texts: string[] = []
      const observer = new MutationObserver(() => texts.push(node.textContent ?? ''))
      observer.observe(node, { childList: true, characterData: true, subtree: true })
      return texts
    })
    const first = page.waitForResponse('**/__admin/findings*')
    wait.get(1)?.()
    await first
    await send(3)
    wait.get(3)?.()
    await shows('1 problem in 3 requests')
    expect(await shown.jsonValue()).not.toContainEqual(expect.stringContaining('No problems'))
  })

  test('a click triggers an untested response, and Undo reverts that', async () => {
    const { call, page, press, shows } = await look(open, { at: 'problems' })
    await page.getByRole('link', { name: 'Not tested yet' }).click()
    const order = () => call('POST', '/api/product/101', { body: { clientid: 11 } })
    const provoke = page.getByRole('button', { name: '422 insufficient-funds' })
    await provoke.click()
    await shows('The next orderService request will get insufficient-funds.')
    await press('Undo')
    await shows('Undone.')
    expect((await order()).status).toBe(200)
    await provoke.click()
    await shows('The next orderService request will get')
    expect((await order()).headers['sim-case']).toBe('insufficient-funds')
    await page.getByRole('button', { name: /422 insufficient-funds ×1/ }).waitFor()
    await page.getByRole('link', { name: '200 success , not tested' }).first().click()
    await page.getByRole('article', { name: 'New request' }).waitFor()
  })

  const report = (name: string, content: unknown) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(content)),
  })

  test('a sweep shows one card for each cause, then the cells; a request opens its bodies', async () => {
    const { page, wrongs, shows } = await look(open, { at: 'requests' })
    await page.getByRole('link', { name: 'Reports' }).click()
    const file = page.getByLabel('Open a report')
    await file.setInputFiles(report('pets.json', { runs: 1 }))
    await shows('pets.json is not a JSON report of sweep, matrix, exec or calibrate.')
    await file.setInputFiles(report('sweep.json', sweep))
    await shows('2 problems in 6 runs', '3 ordered-twice, 1 wrong-result, 1 reported, 1 ok')
    await shows('Not tried: 2 cells of recovery.')
    const cards = page.getByRole('list', { name: 'Problems' }).locator('.finding')
    expect(await cards.count()).toBe(2)
    const [first, second] = [cards.nth(0), cards.nth(1)]
    await first.getByText('The order was sent again: services 5104 and 5105.').waitFor()
    await first.getByText('What to do: Look for the order.').waitFor()
    await first.getByText(twice.repeat).waitFor()
    await first.getByText('The same in 1 further cell').click()
    await first.getByText('orderService cut').waitFor()
    const lines = first.getByRole('list', { name: /^Requests/ }).locator('> li')
    expect(await lines.nth(0).getAttribute('class')).toBe('tone-bad')
    await lines.nth(0).locator('summary').click()
    await lines.nth(0).getByText('"serviceId": 5104').waitFor()
    await second.getByText('missing: service bindedip → 192.0.2.20').waitFor()
    expect(await second.locator('.status').getAttribute('title')).toContain('exited with 0')
    const cells = page.getByRole('region', { name: 'Cells' })
    expect(await cells.getByText('getService').count()).toBe(0)
    await cells.getByLabel('only red').uncheck()
    await cells.getByText('ordered-twice (accepted)').click()
    await cells.getByText('Accepted: support looks for these').waitFor()
    await cells.getByText('1 reported, 1 ok').click()
    await cells.getByText('getService reset').waitFor()
    await page.getByRole('region', { name: 'The verdicts' }).getByText('wrong-result').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Data' }).click()
    await page.getByRole('link', { name: 'Reports' }).click()
    await shows('2 problems in 6 runs')
    expect(wrongs).toEqual([])
  })

  test.each([
    [
      'matrix.json',
      matrix,
      ['1 problem in 2 runs', 'Numbers are written as strings.', 'added: invoice 0.00'],
    ],
    ['exec.json', exec, ['Exit code 1, 0 problems in 3 requests', 'unprocessable: no x', 'geo']],
    ['calibration.json', calibration, ['Fidelity 75 %: 3 of 4 comparable responses agree', 'contradicts']],
  ])('%s is shown in sentences and tables, with the worst first', async (name, content, texts) => {
    const { page, wrongs, shows } = await look(open, { at: 'reports' })
    await page.getByLabel('Open a report').setInputFiles(report(name, content))
    await shows(...texts)
    expect(wrongs).toEqual([])
  })
})
