// Takes the screenshots of the README: `npx tsx scripts/screenshots.ts`, after `npm run build`. Requires Chromium.
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../src/server.ts'

const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url))

/** Limit in bytes */
const maxSize = 150 * 1024

type Call = (method: string, path: string, body?: unknown) => Promise<void>

interface Shot {
  name: string
  hash: string
  prepare?: (page: Page) => Promise<unknown>
}

const shots: Shot[] = [
  {
    name: 'requests',
    hash: 'requests',
    prepare: (page) => page.getByRole('option', { name: /insufficient-funds.*credit/ }).click(),
  },
  { name: 'world', hash: 'world' },
  { name: 'control', hash: 'control' },
  {
    name: 'coverage',
    hash: 'coverage',
    prepare: (page) => page.getByRole('button', { name: 'orderService insufficient-funds' }).click(),
  },
]

/** The requests of a client's first minutes. */
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
    await traffic(async (method, path, body) => {
      const credentials = Buffer.from('reseller:secret').toString('base64')
      await fetch(url + path, {
        method,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          ...(path.startsWith('/api') && { authorization: `Basic ${credentials}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch(() => {}) // dropped by a fault
    })
    for (const { name, hash, prepare } of shots) {
      await page.goto(`${url}/#/${hash}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await prepare?.(page)
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
await take('light')
await take('dark')
