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
import { type CallOptions, start, type Started, type StartOptions } from '../support/start.ts'

const chromiumPath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
)

/** `describe.skipIf(noBrowser)`: without a Chromium there is nothing to look with. */
export const noBrowser = chromiumPath === undefined

if (noBrowser)
  process.stderr.write(
    'No Chromium (`apt-get install chromium`, or name one in CHROMIUM): the browser tests are skipped.\n',
  )

/** Flags that stop Chromium from making requests of its own. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page, how people use it, and what it did that it must not. */
export interface Watched {
  page: Page
  /** Clicks these buttons, one after the other. */
  press: (...buttons: (string | RegExp)[]) => Promise<void>
  /** Fills the field with this label, and presses Enter. */
  enter: (label: string, text: string) => Promise<void>
  /** Waits for these texts, one after the other. */
  shows: (...texts: (string | RegExp)[]) => Promise<void>
  /** Errors and warnings in the console, exceptions, requests to elsewhere */
  wrongs: string[]
}

export type Open = (url: string, options?: BrowserContextOptions) => Promise<Watched>

/** Starts the browser that the tests look with. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: flags })
}

/**
 * One browser for the tests of a file, with one context for each set of options; what is returned opens a page in it, until
 * the end of its test. Simulators have ports of their own, so that nothing that a browser keeps is shared.
 */
export function useBrowser(): Open {
  let browser: Browser | undefined
  const contexts = new Map<string, Promise<BrowserContext>>()
  beforeAll(async () => {
    browser = await launch()
  }, 60_000)
  afterAll(() => browser?.close())
  return async (url, options = {}) => {
    if (!browser) throw new Error('The browser is there in tests only.')
    const key = JSON.stringify(options)
    const context =
      contexts.get(key) ?? browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    contexts.set(key, context)
    const page = await (await context).newPage()
    onTestFinished(() => page.close())
    page.setDefaultTimeout(15_000)
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
  /** Requests that were made before: the arguments of `call` */
  sent?: readonly [method: string, path: string, options?: CallOptions][]
  context?: BrowserContextOptions
}

/** A simulator of its own, and its dashboard, once what it shows is of now. */
export async function look(
  open: Open,
  { at = '', sent = [], context, ...options }: LookOptions = {},
): Promise<Started & Watched & { account: () => Promise<AccountState> }> {
  const started = await start(options)
  for (const request of sent) await started.call(...request)
  const watched = await open(`${started.url}/#/${at}`, context)
  await watched.page.getByText('live', { exact: true }).waitFor()
  const account = async () => (await started.call<AccountState>('GET', '/__admin/accounts/reseller')).json
  return { ...started, ...watched, account }
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

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

/** The violations that axe-core finds on the current page: WCAG 2.2 and best practices, of any severity. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  // Describing what is fine, too, takes longer than finding what isn't.
  const options = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } } // off by default
  const found = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}
