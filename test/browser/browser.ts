import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

const found = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
)

/** `describe.skipIf(noBrowser)`: without a Chromium there is nothing to look with. */
export const noBrowser = found === undefined

if (noBrowser)
  process.stderr.write(
    'No Chromium (`apt-get install chromium`, or name one in CHROMIUM): the browser tests are skipped.\n',
  )

/** What keeps Chromium from asking for things of its own. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page, and what it did that it must not. */
export interface Watched {
  page: Page
  /** Errors and warnings in the console, exceptions, requests to elsewhere */
  wrongs: string[]
}

export type Open = (url: string, options?: BrowserContextOptions) => Promise<Watched>

/** Starts the browser that the tests look with. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: found ?? '', args: flags })
}

/** One browser for the tests of a `describe`; what is returned opens a page, until the end of its test. */
export function useBrowser(): Open {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await launch()
  }, 60_000)
  afterAll(() => browser?.close())
  return async (url, options = {}) => {
    if (!browser) throw new Error('The browser is there in tests only.')
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    // A file is of no origin: of files, it may ask for itself alone.
    const wrongs = watch(page, url.startsWith('file:') ? url : `${new URL(url).origin}/`)
    await page.goto(url)
    return { page, wrongs }
  }
}

/** @param own what its addresses begin with */
function watch(page: Page, own: string): string[] {
  const wrongs: string[] = []
  page.on('console', (message) => {
    // A refusal of the simulated API that was asked for is told there too.
    if (message.location().url.startsWith(`${own}api/`)) return
    if (message.type() === 'error' || message.type() === 'warning') wrongs.push(message.text())
  })
  page.on('pageerror', (error) => wrongs.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(own) && !/^(?:data|blob):/.test(url)) wrongs.push(`asked elsewhere: ${url}`)
  })
  return wrongs
}
