import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { formatLine } from '../../src/logging.ts'

beforeEach(() => void vi.stubEnv('FORCE_COLOR', '1'))
afterEach(() => vi.unstubAllEnvs())

const colours: Record<string, string> = { 2: '(', 31: 'red:', 32: 'green:', 33: 'yellow:' }
const request = { level: 30, msg: 'request', id: 7, account: 'a', operation: 'x', method: 'GET', path: '/x' }
const good = { ...request, status: 200, case: null, reason: null }

test.each<[fields: object, line: string]>([
  [{ ...good, ms: 1.26 }, '(#7) green:200) GET /x (1.3 ms)'],
  [{ ...good, path: '/\u001b[2J', ms: 10 }, '(#7) green:200) GET /\\u001b[2J (10 ms)'],
  [
    { ...good, status: 400, case: 'not-found', reason: 'no \u0007', ms: 9.99 },
    '(#7) yellow:400) GET /x (10.0 ms) yellow:not-found) no \\u0007',
  ],
  [{ ...good, status: 500, ms: 12.6 }, '(#7) red:500) GET /x (13 ms)'],
  [{ ...good, status: null, ms: 0 }, '(#7) red:no response) GET /x (0.0 ms)'],
  [{ level: 30, msg: 'ready', pid: 1, hostname: 'h' }, 'ready'],
  [{ level: 31, msg: 'late', account: 'a' }, 'yellow:warning )late {"account":"a"}'],
  [{ level: 50, msg: 'failed', err: { message: 'm', stack: 'at x' } }, 'red:error )failed\nat x'],
  [{ level: 60, msg: 'failed', err: { message: 'm' } }, 'red:error )failed\nm'],
])('on a terminal, %j is one line of few words', (fields, line) => {
  const time = Date.parse('2026-01-15T12:34:56Z')
  const text = formatLine(JSON.stringify({ time, ...fields }))
  const marked = text.replaceAll(/\u001b\[(\d+)m/g, (_, code: string) => colours[code] ?? ')')
  expect(marked).toMatch(/^\(\d\d:\d\d:56\) /)
  expect(marked.slice(11)).toBe(line)
})
