import { describe, expect, test } from 'vitest'
import { isoDuration } from '../../src/lib/duration.ts'
import { formatCurl, rebuildRequest } from '../../ui/src/lib/apiRequest.ts'
import { describeChange } from '../../src/service/describeChange.ts'
import { listDue } from '../../ui/src/lib/due.ts'
import { parseNumber, formatTimeUntil } from '../../ui/src/lib/format.ts'
import type { JournalEntry, World } from '../../ui/src/lib/types.ts'
import { readReport } from '../../ui/src/reports/readReport.ts'
import { filterEntries } from '../../ui/src/requests/filterEntries.ts'
import { findOperations } from '../../ui/docs/contract.ts'

const session = (name: string, address: number) => ({
  server: 'us1',
  session: name,
  ip: `192.0.2.${address}`,
  since: '2026-01-01T00:00:00Z',
})

describe('the description of a change', () => {
  test.each<[change: unknown, before: unknown, words: string[]]>([
    [{ credit: 80 }, { credit: 1100.5 }, ['credit: 1,100.50 → 80.00']],
    [
      { clients: { 1: null }, credit: 0 },
      { clients: { 1: {} }, credit: 1 },
      ['credit: 1.00 → 0.00', '− client 1'],
    ],
    [
      { services: { 5: { status: 'Active', bindedip: '192.0.2.1' } } },
      { services: { 5: { status: 'Pending', bindedip: null } } },
      ['service 5 status: Pending → Active', 'service 5 bindedip: none → 192.0.2.1'],
    ],
    [
      { services: { 5: { product_name: 'Static 10', status: 'Active', price: 3 } }, next: { service: 6 } },
      { services: { 5: null } },
      ['+ service 5 (Static 10, Active)'],
    ],
    [
      { clients: { 11: null } },
      { clients: { 11: { email: 'a@example.com' } } },
      ['− client 11 (a@example.com)'],
    ],
    [{ tickets: { 7: { status: 'Open' } } }, { tickets: { 7: null } }, ['+ ticket 7 (Open)']],
    [{ limits: { payment: 5 } }, { limits: { payment: null } }, ['limits payment: none → 5']],
    [{ tokens: ['a', 'b'] }, { tokens: ['a'] }, ['tokens: 1 entry → 2 entries']],
    [
      {
        services: { 5: { ips: null, errors: [], list_version: 1, list_updated_at: '2026-01-01T00:00:00Z' } },
      },
      {
        services: {
          5: { ips: ['192.0.2.1'], errors: ['192.0.2.1'], list_version: null, list_updated_at: null },
        },
      },
      ['IP list of 5 renewed'],
    ],
    [
      {
        services: {
          5: { sticky: { ttl: 20, sessions: [session('a', 2), session('b', 1), session('d', 1)] } },
        },
      },
      {
        services: {
          5: { sticky: { ttl: 10, sessions: [session('a', 1), session('b', 1), session('c', 1)] } },
        },
      },
      [
        'sessions of 5 ttl: 10 → 20',
        'session us1/a of 5: 192.0.2.1 → 192.0.2.2',
        '− session us1/c of 5',
        '+ session us1/d of 5',
      ],
    ],
    [
      { services: { 5: { usage: { stats: { '2026-01-01': 7 } } } } },
      { services: { 5: { usage: { stats: { '2026-01-01': null } } } } },
      ['usage of 5 on 2026-01-01: none → 7'],
    ],
    [
      {
        faults: { 1: { used: 2 }, 2: null, 3: { used: 0 } },
        timeline: { 4: { pay: 9001 } },
        history: { 1: {} },
      },
      { faults: { 1: { used: 1 }, 2: { used: 0 }, 3: null }, timeline: { 4: null }, history: { 1: null } },
      ['− fault 2', '+ fault 3', 'scheduled: invoice 9001 is paid'],
    ],
    [null, null, []],
  ])('%j', (change, before, expected) => {
    expect(describeChange(change, before)).toEqual(expected)
  })
})

test('values are parsed and formatted for users', () => {
  const durations = {
    '10m': 'PT10M',
    '2d': 'P2D',
    '1mo': 'P1M',
    '90 s': 'PT90S',
    P1M: 'P1M',
    '1M': '1M',
    soon: 'soon',
  }
  for (const [text, iso] of Object.entries(durations)) expect(isoDuration(text), text).toBe(iso)
  const amounts = { '12,5': 12.5, '0.1': 0.1, '1,000': undefined, '': undefined, much: undefined }
  for (const [text, number] of Object.entries(amounts)) expect(parseNumber(text), text).toBe(number)
  const hour = 3_600_000
  expect([-1, 1500, 61_000, hour * 3 + 60_000, hour * 720].map(formatTimeUntil)).toEqual([
    'now',
    'in 2 s',
    'in 2 min',
    'in 3 h 1 min',
    'in 30 days',
  ])
})

const world = {
  limits: { updateListInterval: 60 },
  services: {
    1: { product_name: 'Rotating', product_type: 'ppr', status: 'Suspended' },
    2: {
      product_name: 'Rotating',
      product_type: 'ppr',
      status: 'Active',
      list_updated_at: '2026-01-01T00:00:30Z',
      sticky: {
        ttl: 1,
        sessions: [{ server: 'us1', session: 'abc', ip: '192.0.2.1', since: '2026-01-01T00:00:00Z' }],
      },
    },
    3: { product_name: 'Static', product_type: 'fpr', status: 'Active' },
  },
  products: {},
  invoices: {},
} as unknown as World

test('due entries are sorted, without past ones', () => {
  const at = (time: string) => Date.parse(`2026-01-01T00:${time}Z`)
  const timeline = {
    timeline: [
      { id: 1, at: '2026-01-01T00:02:00Z', patch: { credit: 1 } },
      { id: 2, at: '2026-01-01T00:01:10Z', add: {}, description: 'usage' },
    ],
    skipped: [],
  }
  expect(listDue(world, timeline, at('00:59')).map(({ text }) => text)).toEqual([
    'session us1/abc ends',
    'usage',
    'IP list of service 2 can be updated again',
    'credit → 1.00',
  ])
  expect(listDue(world, undefined, at('03:00'))).toEqual([])
})

function entry(part: Partial<JournalEntry>): JournalEntry {
  return {
    id: 1,
    time: '2026-01-01T00:00:00Z',
    account: 'reseller',
    version: 0,
    operation: 'getCredit',
    method: 'GET',
    path: '/api/billing/credit',
    status: 200,
    case: null,
    reason: null,
    forced: false,
    durationMs: 1,
    request: { headers: { host: 'x', accept: 'application/json', authorization: '[redacted]' }, body: null },
    response: { headers: {}, body: null },
    change: null,
    violations: [],
    ...part,
  } as JournalEntry
}

test('requests are filtered by kind and text', () => {
  const [good, lost, forced, wrong] = [
    entry({ id: 1, change: {} }),
    entry({ id: 2, status: null }),
    entry({ id: 3, status: 503, forced: true, violations: ['status'] }),
    entry({ id: 4, status: 422, reason: 'there is no client 77', violations: ['body'] }),
  ] as const
  const all = [good, lost, forced, wrong]
  const ids = (show: string, text = '') => filterEntries(all, show, text).map(({ id }) => id)
  expect(ids('all')).toEqual([1, 2, 3, 4])
  expect(ids('failed')).toEqual([2, 3, 4])
  expect(ids('faults')).toEqual([3])
  expect(ids('contract')).toEqual([4]) // the response of a fault violates it on purpose
  expect(ids('changed')).toEqual([1])
  expect(ids('all', '422 CLIENT')).toEqual([4])
})

test('a journal entry becomes a request and a curl command', () => {
  Object.assign(globalThis, { location: { origin: 'http://127.0.0.1:4010' } })
  const request = rebuildRequest(entry({ method: 'PUT', path: "/it's" }), 'reseller:secret')
  expect(request.headers).toEqual({ accept: 'application/json' })
  expect(formatCurl(request)).toBe(
    `curl -X PUT 'http://127.0.0.1:4010/it'\\''s' \\\n  -u 'reseller:secret' \\\n  -H 'accept: application/json'`,
  )
})

test('files that are not reports of sweep or calibrate are rejected', () => {
  for (const json of [undefined, 1, [], {}, { runs: 1 }]) expect(readReport(json)).toBeUndefined()
})

test('operations are found by all words, whole words first', () => {
  const operation = (operationId: string, path: string) => ({
    operationId,
    path,
    method: 'PUT',
    summary: '',
    tags: [],
    responses: {},
  })
  const all = [operation('updateService', '/api/service/{id}'), operation('listServices', '/api/services')]
  const find = (text: string) => findOperations(all, text).map(({ operationId }) => operationId)
  expect(find('update SERVICE')).toEqual(['updateService'])
  expect(find('service')).toEqual(['updateService'])
  expect(find('serv')).toEqual(['updateService', 'listServices'])
  expect(find('')).toHaveLength(2)
})
