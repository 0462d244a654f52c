// The pictures of the dashboard: `npm run screenshots`, after `npm run build`. It needs a Chromium.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { startRecorder } from '../src/calibration/record/startRecorder.ts'
import { loadContract } from '../src/contract/loadContract.ts'
import { startServer } from '../src/server.ts'

const program = fileURLToPath(new URL('../bin/proxysim.mjs', import.meta.url))
const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url))

/** Limit in bytes */
const maxSize = 150 * 1024

type Call = (method: string, path: string, body?: unknown) => Promise<void>

interface Shot {
  name: string
  hash: string
  width?: number
  /** In dark too */
  isDark?: boolean
  prepare?: (page: Page, call: Call) => Promise<unknown>
}

const shots: Shot[] = [
  {
    name: 'requests',
    hash: 'requests',
    isDark: true,
    prepare: async (page) => {
      await page.getByRole('option', { name: /insufficient-funds.*credit/ }).click()
      await page.getByRole('link', { name: /^Coverage (?!0%)/ }).waitFor()
    },
  },
  { name: 'world', hash: 'world', isDark: true },
  { name: 'world-narrow', hash: 'world', width: 375 },
  {
    name: 'world-yaml',
    hash: 'world/scenario',
    prepare: async (page) => {
      const text = page.getByLabel('Scenario, YAML')
      const edited = () => text.inputValue().then((yaml) => yaml.replace(/credit: .*/, 'credit: plenty'))
      await page.waitForFunction(`document.querySelector('.numbered textarea').value !== ''`)
      await text.fill(await edited())
      await page.getByRole('button', { name: /^Line/ }).click()
    },
  },
  { name: 'control', hash: 'control', isDark: true },
  {
    name: 'coverage',
    hash: 'coverage',
    isDark: true,
    prepare: (page) => page.getByRole('button', { name: 'orderService insufficient-funds' }).click(),
  },
  { name: 'start', hash: 'start', width: 1600 },
  {
    name: 'calibration',
    hash: 'calibration',
    prepare: async (page) => page.getByLabel('choose it:').setInputFiles(await calibrationFile),
  },
  {
    name: 'findings',
    hash: 'findings',
    width: 1600,
    prepare: async (page, call) => {
      // The answer to the first is lost, as a fault is armed by then.
      await call('POST', '/api/product/101', { clientid: 12 })
      await call('POST', '/api/product/101', { clientid: 12 })
      await page.getByRole('listitem').filter({ hasText: 'duplicate-order' }).waitFor()
    },
  },
]

/** The JSON report of what a simulator that reads the gaps otherwise was seen to do. */
async function calibrate(): Promise<string> {
  const kept = await mkdtemp(join(tmpdir(), 'proxysim-'))
  const [recording, report] = [join(kept, 'real.har'), join(kept, 'calibration.json')]
  const real = await startServer({ scenario: 'other-readings' })
  const recorder = await startRecorder({
    target: real.url,
    host: '127.0.0.1',
    port: 0,
    output: recording,
    contract: await loadContract(),
    keep: [],
    onViolation: () => {},
    onFailure: () => {},
  })
  const call = callOf(recorder.url)
  await call('GET', '/api/products')
  await call('GET', '/api/products/orderby/price')
  await call('GET', '/api/products/orderby/colour')
  await call('GET', '/api/product/101')
  await call('GET', '/api/services')
  await call('GET', '/api/service/999999')
  await call('GET', '/api/billing/invoices')
  await call('GET', '/api/billing/invoice/999999')
  await call('GET', '/api/billing/credit')
  await call('POST', '/api/product/101', { clientid: 11 })
  await callOf(real.url)('PATCH', '/__admin/accounts/reseller', { credit: 99.5 })
  await call('GET', '/api/billing/credit')
  await recorder.close()
  await real.close()
  await promisify(execFile)(process.execPath, [program, 'calibrate', recording, '--report', report])
  return report
}

/** What a client's first minutes look like. */
async function traffic(call: Call): Promise<void> {
  await call('GET', '/api/clients')
  await call('GET', '/api/products')
  await call('GET', '/api/products/orderby/price')
  await call('POST', '/api/product/101', { clientid: 11 })
  await call('GET', '/api/service/5104')
  await call('PUT', '/api/service/5104', { setip: '203.0.113.20' })
  await call('PUT', '/api/service/5104', { setip: '192.0.2.20' })
  await call('PUT', '/api/service/5001', { update_list: 'true' })
  await call('PUT', '/api/service/5001', { update_list: 'true' })
  await call('GET', '/api/iplist/http-ip/txt/5001')
  await call('GET', '/api/sticky/list/5101')
  await call('GET', '/api/sticky/rotate/5101/us1/abc')
  await call('GET', '/api/stats/5101')
  await call('GET', '/api/billing/invoices')
  await call('POST', '/api/product/101', { clientid: 77 })
  await call('POST', '/api/product/104', { clientid: 11 })
  await call('POST', '/__admin/faults', { operation: 'getCredit', respond: { status: 503 }, times: 2 })
  await call('GET', '/api/billing/credit')
  await call('GET', '/api/billing/credit')
  await call('POST', '/__admin/faults', {
    operation: 'orderService',
    drop: 'empty',
    phase: 'after',
    times: 1,
  })
}

/** Calls a simulator as its client, or as its master. */
function callOf(url: string): Call {
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
    }).catch(() => {}) // an answer that a fault drops
  }
}

async function take(scheme: 'light' | 'dark'): Promise<void> {
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
    const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: scheme })
    await page.goto(url)
    await page.getByText('live', { exact: true }).waitFor()
    await fetch(`${url}/__admin/clock`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ frozen: true }),
    })
    const call = callOf(url)
    await traffic(call)
    for (const { name, hash, width = 1280, prepare } of shots.filter(
      ({ isDark }) => isDark || scheme === 'light',
    )) {
      await page.setViewportSize({ width, height: width < 1600 ? 760 : 900 })
      await page.goto(`${url}/#/${hash}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await prepare?.(page, call)
      await page.mouse.move(0, 0)
      await save(page, `${name}-${scheme}.webp`)
    }
  } finally {
    await browser.close()
    await close()
  }
}

async function save(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  // Playwright only supports PNG and JPEG; WebP is a third of the size.
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 88 })
  const picture = Buffer.from(data, 'base64')
  if (picture.length > maxSize)
    throw new Error(`${file} has ${picture.length} bytes; the limit is ${maxSize}`)
  await writeFile(folder + file, picture)
  console.log(`docs/screenshots/${file}: ${Math.round(picture.length / 1024)} KB`)
}

await mkdir(folder, { recursive: true })
const calibrationFile = calibrate()
await take('light')
await take('dark')
