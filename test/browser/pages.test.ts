import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import express from 'express'
import supertest from 'supertest'
import { expect, test } from 'vitest'
import { pages } from '../../src/admin/pages.ts'
import { startForAll } from '../support/start.ts'

const simulator = startForAll()

test.each(['/', '/docs', '/docs/admin'])('%s comes with a strict policy and nothing inline', async (path) => {
  const { status, headers, text } = await simulator().call('GET', path)
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(/^text\/html/)
  const policy = String(headers['content-security-policy'])
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ])
    expect(policy.split('; ')).toContain(directive)
  expect(policy).not.toContain('unsafe-inline')
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//)
})

test('what the dashboard loads is under 40 KB compressed', () => {
  const folder = fileURLToPath(new URL('../../dist/ui/', import.meta.url))
  // The reference has the rest.
  const files = ['index.html', ...readdirSync(`${folder}assets`).map((file) => `assets/${file}`)].filter(
    (file) => !file.startsWith('assets/docs'),
  )
  expect(files.some((file) => file.endsWith('.js'))).toBe(true)
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(folder + file)).length, 0)
  expect(bytes).toBeLessThan(40 * 1024)
})

test('files that are named by their content may be kept, the page is asked for anew', async () => {
  const { call } = simulator()
  const page = await call('GET', '/')
  expect(page.headers['cache-control']).toBe('no-cache')
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1] ?? ''
  const { status, headers } = await call('GET', script)
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(/javascript/)
  expect(headers['cache-control']).toMatch(/max-age=31536000/)
})

test.each([
  '/assets/',
  '/assets/nothing.js',
  '/docs/nothing',
  '/assets/..%2f..%2fpackage.json',
  '/assets/%2e%2e/%2e%2e/package.json',
])('%s is not there', async (path) => {
  expect((await simulator().call('GET', path)).status).toBeGreaterThanOrEqual(400)
})

test.each(['POST', 'PUT', 'DELETE'])('%s / is refused', async (method) => {
  expect((await simulator().call(method, '/')).status).toBe(404)
})

test.each(['/', '/docs'])('%s says plainly that it was not built', async (path) => {
  const reply = await supertest(express().use(pages('/nowhere/'))).get(path)
  expect(reply.status).toBe(503)
  expect(reply.text).toContain('npm run build')
})
