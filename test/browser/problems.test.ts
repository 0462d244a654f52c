import { describe, expect, test } from 'vitest'
import { look, noBrowser, useBrowser, violations } from './browser.ts'

const lost = {
  cell: 'orderService#3 lost',
  stage: 'later',
  operation: 'orderService',
  fault: 'lost',
  verdict: 'doubled',
  exitCode: 1,
  headline: 'The rerun ordered again: two services instead of one',
  remarks: [],
  advice: 'Look for the order on the next start.',
  shown: [
    { text: ' 1. POST /api/product/101 → no response, carried out: + service 5104  ← lost', mark: 'bad' },
    { text: 'Second run', mark: 'note' },
    { text: ' 2. POST /api/product/101 → 200, carried out: + service 5105', mark: null },
  ],
  repeat: 'proxysim sweep --rerun --only orderService --faults lost -- node app.mjs',
}
const sweep = {
  command: ['node', 'app.mjs'],
  leftOut: { recovery: 2 },
  runs: [
    { operation: 'getCredit', fault: '503', verdict: 'noticed', repeat: 'proxysim sweep' },
    { ...lost, cell: 'orderService lost', stage: 'first', verdict: 'survived', shown: [] },
    lost,
  ],
}
const matrix = {
  command: ['node', 'client.mjs'],
  interpretations: [
    { assumption: null, value: null, meaning: null, verdict: 'survives', exitCode: 0 },
    {
      assumption: 'numbers',
      value: 'string',
      meaning: 'Numbers are written as strings.',
      verdict: 'changed',
      exitCode: 0,
      changes: { missing: ['PUT /api/service/5001'], added: ['POST /api/product/101'] },
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
    const badge = page.getByRole('link', { name: 'Problems: 2 problems' })
    await badge.waitFor()
    await page.locator('#entry-2').getByText('ordered twice').click()
    const detail = page.getByRole('article', { name: 'Request 1' })
    await detail.getByRole('region', { name: 'Problem: ordered twice' }).getByText('was sent again').waitFor()
    await detail.getByRole('link', { name: 'Go to the next request, #2' }).click()
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    await badge.click()
    const problem = page.locator('.finding', { hasText: 'Ordered twice' })
    await problem.getByText('What to do: The API has no idempotency key').waitFor()
    await problem.getByRole('link', { name: '#2 200 POST /api/product/101' }).click()
    await page.getByRole('article', { name: 'Request 2' }).waitFor()
    await badge.click()
    await problem.getByRole('button', { name: 'Make it happen again' }).click()
    await shows(/as it was before #1\. Active faults: orderService closes .* Run your client again\./)
    await shows('No problems in 2 requests', '1 request failed', '2 problems undone by a rewind')
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

  test('a sweep is a grid of colored cells; a cell opens its requests, advice and command', async () => {
    const { page, wrongs, shows } = await look(open, { at: 'problems/reports' })
    const file = page.getByLabel('Open a report')
    await file.setInputFiles(report('pets.json', { runs: 1 }))
    await shows('pets.json is not a JSON report of sweep, matrix, exec or calibrate.')
    await file.setInputFiles(report('sweep.json', sweep))
    await shows(
      '1 of 3 runs reveals a bug',
      '1 doubled, 1 noticed, 1 survived',
      'Not tried: 2 cells of recovery.',
    )
    const opened = page.getByRole('article', { name: 'orderService#3 lost' })
    const lines = opened.locator('.trace li')
    expect(await lines.allInnerTexts()).toEqual(lost.shown.map(({ text }) => text.trim()))
    expect(await lines.nth(0).getAttribute('class')).toContain('tone-bad')
    expect(await lines.nth(1).getAttribute('class')).toContain('is-run')
    await opened.getByText('What to do: Look for the order on the next start.').waitFor()
    await opened.getByText(lost.repeat).waitFor()
    expect(await violations(page)).toEqual([])
    const cell = page.getByRole('group', { name: 'First calls' }).getByRole('button')
    expect(await cell.allInnerTexts()).toEqual(['noticed', 'survived'])
    await page.getByRole('button', { name: 'orderService lost: survived' }).click()
    await page.getByRole('article', { name: 'orderService lost' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('article').count()).toBe(0)
    await page.getByRole('list', { name: 'Bugs' }).getByRole('button', { name: lost.headline }).click()
    await opened.waitFor()
    await page.reload()
    await shows('1 of 3 runs reveals a bug')
    await file.setInputFiles(report('long.json', { ...sweep, command: ['x'.repeat(4_000_000)] }))
    await page.getByRole('heading', { name: 'long.json' }).waitFor()
    await page.reload()
    await shows('Open or drop a JSON report here')
    expect(wrongs).toEqual([])
  })

  test('what is shown can be used and reloaded at once, even if no frame follows', async () => {
    const { page, url, shows } = await look(open)
    // Preact runs `useEffect` after the next frame, or after 35 ms.
    await page.addInitScript(`{
      const later = setTimeout
      window.requestAnimationFrame = () => 0
      window.setTimeout = (f, ms, ...rest) => (ms === 35 ? 0 : later(f, ms, ...rest))
    }`)
    await page.reload()
    await page.getByRole('searchbox').waitFor()
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.type')).toBe('search')
    await page.goto(`${url}/#/problems/reports`)
    await page.getByLabel('Open a report').setInputFiles(report('sweep.json', sweep))
    await shows('1 of 3 runs reveals a bug')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('article').count()).toBe(0)
    await page.reload()
    await shows('1 of 3 runs reveals a bug')
  })

  test.each([
    [
      'matrix.json',
      matrix,
      [
        '1 of 2 runs reveals a bug',
        '1 changed, 1 survives',
        'node client.mjs',
        '− PUT /api/service/5001',
        '+ POST /api/product/101',
      ],
    ],
    ['exec.json', exec, ['Exit code 1, 0 problems in 3 requests', 'unprocessable: no x', 'geo']],
    ['calibration.json', calibration, ['Fidelity 75 %: 3 of 4 comparable responses agree', 'contradicts']],
  ])('%s is shown in sentences and tables, with the worst first', async (name, content, texts) => {
    const { page, wrongs, shows } = await look(open, { at: 'problems/reports' })
    await page.getByLabel('Open a report').setInputFiles(report(name, content))
    await shows(...texts)
    expect(await violations(page)).toEqual([])
    expect(wrongs).toEqual([])
  })
})
