import { existsSync } from 'node:fs'
import axe from 'axe-core'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { AccountState } from '../../src/index.ts'
import { type CallOptions, start, type TestSimulator, type StartOptions } from '../support/start.ts'

/** The headless shell has no windows, and takes half the time. */
const chromiumPath = [
  process.env['CHROMIUM'],
  ...['chromium-headless-shell', 'chromium', 'chromium-browser'].map((name) => `/usr/bin/${name}`),
].find((path) => path !== undefined && existsSync(path))

/** Whether Chromium is missing: `describe.skipIf(noBrowser)`. */
export const noBrowser = chromiumPath === undefined

if (noBrowser)
  process.stderr.write(
    'No Chromium (`apt-get install chromium-headless-shell`, or name one in CHROMIUM): the browser tests are skipped.\n',
  )

/** Flags that keep Chromium from making its own requests. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page, helpers to use it as people do, and its problems. */
export interface Watched {
  page: Page
  /** Clicks these buttons in order. */
  press: (...buttons: (string | RegExp)[]) => Promise<void>
  /** Fills the field with this label, and presses Enter. */
  enter: (label: string, text: string) => Promise<void>
  /** Waits for these texts in order. */
  shows: (...texts: (string | RegExp)[]) => Promise<void>
  /** Errors and warnings in the console, exceptions, and requests to other hosts */
  wrongs: string[]
}

export type Open = (url: string, options?: BrowserContextOptions) => Promise<Watched>

/** Starts the browser of the tests. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: flags })
}

/**
 * Starts one browser for the tests of a file, with a context for each set of options. The returned function opens a page,
 * which is closed at the end of the test. Each simulator has its own port, so tests share no browser storage.
 */
export function useBrowser(): Open {
  let browser: Browser | undefined
  const contexts = new Map<string, Promise<BrowserContext>>()
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  return async (url, options = {}) => {
    if (!browser) throw new Error('The browser is there in tests only.')
    const key = JSON.stringify(options)
    const context =
      contexts.get(key) ?? browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    contexts.set(key, context)
    const page = await (await context).newPage()
    onTestFinished(() => page.close())
    page.setDefaultTimeout(60_000)
    const wrongs = watch(page, `${new URL(url).origin}/`)
    await page.goto(url)
    return {
      page,
      wrongs,
      press: async (...buttons) => {
        for (const name of buttons) await page.getByRole('button', { name }).click()
      },
      enter: async (label, text) => {
        await page.getByLabel(label).fill(text)
        await page.keyboard.press('Enter')
      },
      shows: async (...texts) => {
        for (const text of texts) await page.getByText(text).waitFor()
      },
    }
  }
}

export interface LookOptions extends StartOptions {
  /** The page of the dashboard: `requests/1` */
  at?: string
  /** Requests to make before the page opens: the arguments of `call` */
  sent?: readonly [method: string, path: string, options?: CallOptions][]
  context?: BrowserContextOptions
}

/** Starts a simulator, and opens its dashboard. Waits until it shows current data. */
export async function look(
  open: Open,
  { at = '', sent = [], context, ...options }: LookOptions = {},
): Promise<TestSimulator & Watched & { account: () => Promise<AccountState> }> {
  const started = await start(options)
  for (const request of sent) await started.call(...request)
  const watched = await open(`${started.url}/#/${at}`, context)
  await watched.page.getByText('live', { exact: true }).waitFor()
  const account = async () => (await started.call<AccountState>('GET', '/__admin/accounts/reseller')).json
  return { ...started, ...watched, account }
}

/** Opens an address, and waits until its page has replaced the previous one, and has loaded its code. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await page.locator('.skeleton').waitFor({ state: 'detached' })
}

/** @param own the simulator's URL */
function watch(page: Page, own: string): string[] {
  const wrongs: string[] = []
  page.on('console', (message) => {
    // Expected refusals of the simulated API are logged there, too.
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

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

/**
 * The violations that axe-core finds on the current page: WCAG 2.2 and best practices, of any severity. In the dark, only the
 * contrast of colors is different.
 */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  // Describing what is fine, too, takes longer than finding what isn't.
  const run = async (options: object) =>
    page.evaluate<Violation[]>(
      `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })}).then(({ violations }) => violations)`,
    )
  const light = await run({ rules: { 'target-size': { enabled: true } } }) // off by default
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await run({ runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}
