// Takes the screenshots of the dashboard with Chromium. Run `npm run build`, then `npm run screenshots`.
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../src/server.ts'

const root = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const folder = root('docs/screenshots/')

/** Limit in bytes */
const maxSize = 150 * 1024

type Call = (method: string, path: string, body?: unknown) => Promise<void>

/** The pages and how to prepare each. Screenshots are wide and narrow, light and dark. */
const pages: Record<string, (page: Page) => Promise<unknown>> = {
  requests: async (page) => {
    await page.locator('.entry', { hasText: 'ordered twice' }).first().click()
    await page.getByRole('article').waitFor()
  },
  data: async (page) => {
    await page.getByRole('row', { name: /5001/ }).click()
    await page.getByRole('article').waitFor()
  },
  problems: (page) => page.getByRole('heading', { name: 'Ordered twice' }).waitFor(),
  report: async (page) => {
    await page.getByLabel('Open a report').setInputFiles(sweep)
    await page.getByText(/problems? in \d+ runs/).waitFor()
  },
  reference: (page) => page.getByText('Requests are sent as').waitFor({ state: 'attached' }),
}
/** Pages to prepare only if they are wide: on narrow ones, an open item would cover the list. */
const preparedIfWide = new Set(['requests', 'data'])

const paths: Record<string, string> = { reference: '/docs#orderService', report: '/#/reports' }
const getPath = (name: string) => paths[name] ?? `/#/${name}`

/** Sweeps the example, and returns the path of the JSON report. */
async function writeSweep(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'sweep-')), 'sweep.json')
  const command = [
    root('bin/proxysim.mjs'),
    'sweep',
    '--quick',
    '--report',
    file,
    '--',
    'node',
    'provision.mjs',
  ]
  // It exits with 1, because the example has bugs.
  spawnSync(process.execPath, command, { cwd: root('examples/sweep/'), stdio: 'ignore' })
  return file
}

/** Sends the requests that the screenshots show. */
async function sendTraffic(call: Call): Promise<void> {
  await call('PUT', '/__admin/clock', { frozen: true })
  await call('GET', '/api/clients')
  await call('GET', '/api/products')
  await call('GET', '/api/products/orderby/price')
  await call('POST', '/api/product/101', { clientid: 11 })
  await call('PUT', '/api/service/5104', { setip: '203.0.113.20' })
  await call('PUT', '/api/service/5104', { setip: '192.0.2.20' })
  await call('PUT', '/api/service/5001', { update_list: 'true' })
  await call('PUT', '/api/service/5001', { update_list: 'true' })
  await call('GET', '/api/iplist/http-ip/txt/5001')
  await call('GET', '/api/sticky/list/5101')
  await call('GET', '/api/sticky/rotate/5101/us1/abc')
  await call('GET', '/api/stats/5101')
  await call('POST', '/__admin/faults', { operation: 'getCredit', respond: { status: 503 }, times: 1 })
  await call('GET', '/api/billing/credit')
  await call('POST', '/__admin/faults', {
    operation: 'orderService',
    drop: 'empty',
    phase: 'after',
    times: 1,
  })
  await call('POST', '/api/product/101', { clientid: 12 })
  await call('POST', '/api/product/101', { clientid: 12 })
  await call('GET', '/api/billing/invoices')
  await call('POST', '/api/product/101', { clientid: 77 })
  await call('PATCH', '/__admin/accounts/reseller', {
    credit: 12,
    assumptions: { orderedService: 'Pending' },
  })
  await call('POST', '/api/product/101', { clientid: 11 })
  const patch = { services: { 5001: { status: 'Suspended' } } }
  await call('POST', '/__admin/timeline', { after: 'P3D', description: 'service 5001 is not renewed', patch })
  await call('POST', '/__admin/faults', { operation: '*', delay: 2000, probability: 0.1 })
}

/** Calls the API or the control plane. */
function createCall(url: string): Call {
  const credentials = Buffer.from('reseller:secret').toString('base64')
  return async (method, path, body) => {
    await fetch(url + path, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(path.startsWith('/api') && { authorization: `Basic ${credentials}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {}) // a fault drops one response
  }
}

async function takeScreenshots(scheme: 'light' | 'dark'): Promise<void> {
  const { url, close } = await startServer({ scenario: 'default' })
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: scheme })
    await page.goto(url)
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
    if (scheme === 'light') await save(page, 'first-light.webp')
    await sendTraffic(createCall(url))
    for (const [name, prepare] of Object.entries(pages))
      for (const [width, height, suffix] of [
        [1440, 900, ''],
        [390, 844, '-narrow'],
      ] as const) {
        await page.setViewportSize({ width, height })
        await page.goto(url + getPath(name))
        await page.reload() // removes old messages
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
        if (suffix === '' || !preparedIfWide.has(name)) await prepare(page)
        await page.mouse.move(0, 0)
        await save(page, `${name}${suffix}-${scheme}.webp`)
      }
  } finally {
    await browser.close()
    await close()
  }
}

async function save(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  // Playwright supports only PNG and JPEG. WebP files are a third of their size.
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 88 })
  const picture = Buffer.from(data, 'base64')
  if (picture.length > maxSize)
    throw new Error(`${file} has ${picture.length} bytes; the limit is ${maxSize}`)
  await writeFile(folder + file, picture)
  console.log(`docs/screenshots/${file}: ${Math.round(picture.length / 1024)} KB`)
}

const sweep = await writeSweep()
await mkdir(folder, { recursive: true })
await takeScreenshots('light')
await takeScreenshots('dark')
