/** Tests the served pages: dashboard, reference and guide. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import express from 'express'
import supertest from 'supertest'
import { expect, test } from 'vitest'
import { pages } from '../../src/admin/pages.ts'
import { root } from '../support/project.ts'
import { startForAll } from '../support/start.ts'

const sim = startForAll()
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(folder + file).isFile(),
  )
const built = `${root}dist/guide/`
const guide = filesIn(built)
const guidePages = guide.filter((file) => file.endsWith('.html'))
const guidePaths = guidePages.map((file) => `/docs/guide/${file.replace(/(?:^index)?\.html$/, '')}`)

test.each(['/', '/docs', '/docs/admin', ...guidePaths])(
  '%s has a strict policy, no inline code and no external resources',
  async (path) => {
    const { status, headers, text } = await sim().call('GET', path)
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/html/)
    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    const policy = String(headers['content-security-policy'])
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(policy).not.toContain('unsafe-inline')
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|<[^>]*\sstyle=|<[^>]*\son\w+=/)
    expect(text).not.toMatch(/<(?:script|link|img)[^>]*https?:/)
  },
)

test('the dashboard is under 40 KB compressed, the guide under 2 MB', () => {
  const folder = `${root}dist/ui/`
  // The files that the page needs; it imports other sections when they are opened.
  const loaded = new Set(['index.html'])
  for (const file of loaded)
    for (const [, name] of readFileSync(folder + file, 'utf8').matchAll(
      /(?:(?:src|href)="\/assets|from"\.|import"\.)\/([\w.-]+\.(?:js|css))"/g,
    ))
      loaded.add(`assets/${name}`)
  expect(loaded.size).toBeGreaterThan(3)
  const bytes = [...loaded].reduce((sum, file) => sum + gzipSync(readFileSync(folder + file)).length, 0)
  expect(bytes).toBeLessThan(40 * 1024)
  expect(guide.reduce((sum, file) => sum + statSync(built + file).size, 0)).toBeLessThan(2_000_000)
})

test('files with a content hash in their name may be cached', async () => {
  const { text } = await sim().call('GET', '/')
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? ''
  const { status, headers } = await sim().call('GET', script)
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(/javascript/)
  expect(headers['cache-control']).toMatch(/max-age=31536000/)
})

test.each([
  ['GET', '/assets/'],
  ['GET', '/assets/nothing.js'],
  ['GET', '/docs/nothing'],
  ['GET', '/assets/..%2f..%2fpackage.json'],
  ['GET', '/assets/%2e%2e/%2e%2e/package.json'],
  ['GET', '/docs/guide/source/package.json'],
  ['GET', '/docs/guide/..%2fcli.js'],
  ['GET', '/docs/guide/%2e%2e/cli.js'],
  ['POST', '/'],
  ['DELETE', '/'],
])('%s %s is not there', async (method, path) => {
  expect((await sim().call(method, path)).status).toBeGreaterThanOrEqual(400)
})

test('an unknown path links to the existing pages', async () => {
  const { status, json } = await sim().call('GET', '/docs/guide/nope')
  const error =
    'Not Found: there is no GET /docs/guide/nope. Paths of the API begin with /api. The dashboard is at / and the docs are at /docs.'
  expect([status, json]).toEqual([404, { error }])
})

test.each(['/nope', '/docs/nope', '/docs/admin/nope', '/docs/guide/nope', "/docs/guide/<b>'$&"])(
  'a browser gets a page for %s that names the path and offers others',
  async (path) => {
    const { status, headers, text } = await sim().call('GET', path, {
      headers: { accept: 'text/html,*/*;q=0.8' },
    })
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(text).toContain('<h1>Page not found</h1>')
    expect(text).toMatch(
      path.includes('<') ? /<code>\/docs\/guide\/[^<]*\$&amp;<\/code>/ : `<code>${path}</code>`,
    )
    for (const offered of ['/', '/docs', '/docs/guide']) expect(text).toContain(`<a href="${offered}">`)
  },
)

test('every link of the guide leads to an existing page and heading', () => {
  const broken = guidePages.flatMap((page) =>
    [...readFileSync(built + page, 'utf8').matchAll(/<a [^>]*href="([^"]*)"/g)]
      .map(([, href = '']) => href)
      .filter((href) => {
        const [path = '', id] = href.split('#')
        if (!/^(?:#|\/docs\/guide)/.test(href)) return false
        const name = path.replace(/^\/docs\/guide\/?/, '') || 'index'
        const file = built + (path === '' ? page : `${name}.html`)
        return !existsSync(file) || (id !== undefined && !readFileSync(file, 'utf8').includes(`id="${id}"`))
      })
      .map((href) => `${page}: ${href}`),
  )
  expect(broken).toEqual([])
})

test.each(['/', '/docs'])('%s says that it was not built', async (path) => {
  const reply = await supertest(express().use(pages('/nowhere/'))).get(path)
  expect(reply.status).toBe(503)
  expect(reply.text).toContain('npm run build')
})
