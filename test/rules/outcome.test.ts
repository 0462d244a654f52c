import { expect, test } from 'vitest'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import { describeRun, type Outcome } from '../../src/lab/runs/outcome.ts'
import type { TracedCall } from '../../src/lab/runs/Injector.ts'
import { sweepReport, type Notes, type SweepReport, type SweepRun } from '../../src/lab/runs/sweepReport.ts'
import { genericFaults, crash } from '../../src/faults/presets.ts'
import { describeDifferences, type ShownChange } from '../../src/service/describeDifferences.ts'

type Fields = Record<string, string>

const change = (subject: string, fields: Fields = {}, id?: string): ShownChange => ({
  subject,
  id,
  isNew: subject.includes(': new '),
  fields: Object.entries(fields),
})
const lines = (subject: string, ...texts: string[]): ShownChange => ({
  ...change(subject),
  fields: texts.map((text) => ['line', text]),
})
const service = (fields: Fields = {}, id?: string) => change('a: new service', fields, id)
const credit = (value: string) => change('a:', { credit: value })

test.each<[text: string, missing: ShownChange[], added: ShownChange[]]>([
  [
    'one service was not ordered',
    [service(), change('a: new invoice'), credit('190.00')],
    [credit('210.00')],
  ],
  ['two services too many were ordered', [], [service(), service(), change('a: new invoice')]],
  ['one invoice too many was added', [], [change('a: new invoice')]],
  ['one ticket was not added', [change('a: new ticket')], []],
  ['the credit is 210.00 instead of 190.00', [credit('190.00')], [credit('210.00')]],
  [
    'the IP list of service 5104 was not updated',
    [service({ product: '101', 'IP list': 'renewed' })],
    [service({ product: '101' }, '5104')],
  ],
  [
    'the IP list of service 5001 was not updated',
    [change('a: service 5001', { errors: 'none', inactive: 'none', 'IP list': 'renewed' })],
    [],
  ],
  ['the IP list of service 5001 was updated', [], [change('a: service 5001', { 'IP list': 'renewed' })]],
  [
    'service 5001 was bound to 192.0.2.1 instead of 192.0.2.2',
    [change('a: service 5001', { bindedip: '192.0.2.2' })],
    [change('a: service 5001', { bindedip: '192.0.2.1' })],
  ],
  ['service 5001 was not bound to 192.0.2.2', [change('a: service 5001', { bindedip: '192.0.2.2' })], []],
  ['the password of service 5001 was not set', [change('a: service 5001', { password: 'set (1)' })], []],
  [
    'the password of service 5001 was set to another value',
    [change('a: service 5001', { password: 'set (1)' })],
    [change('a: service 5001', { password: 'set (2)' })],
  ],
  ['the TTL of service 5001 was not changed to 7', [change('a: service 5001', { 'sticky ttl': '7' })], []],
  [
    'the sessions of service 5001 were not reset',
    [change('a: service 5001', { 'sticky sessions': 'none' })],
    [],
  ],
  [
    'the sessions of service 5001 were reset',
    [change('a: service 5001', { 'sticky sessions': '(address renewed, server us1)' })],
    [change('a: service 5001', { 'sticky sessions': 'none' })],
  ],
  [
    'one session of service 5001 was rotated',
    [],
    [change('a: service 5001', { 'sticky sessions': '(address renewed, server us1)' })],
  ],
  [
    'two sessions of service 5001 were not rotated',
    [
      change('a: service 5001', {
        'sticky sessions': '(address renewed), (address renewed), (address renewed)',
      }),
    ],
    [change('a: service 5001', { 'sticky sessions': '(address renewed), (), ()' })],
  ],
  [
    'the sessions of service 5001 were changed in another way',
    [change('a: service 5001', { 'sticky sessions': '(address renewed, server us1), (server us2)' })],
    [change('a: service 5001', { 'sticky sessions': '(server us1), (address renewed, server us2)' })],
  ],
  ['the file orders.json was not written', [change('file orders.json', { exists: 'yes', id: '…' })], []],
  [
    'the file orders.csv was not written',
    ['yes', 'a;b', 'c'].map((text, i) => change('file orders.csv', { [i ? 'line' : 'exists']: text })),
    [],
  ],
  [
    'the file orders.csv lacks "a" and 1 more',
    [lines('file orders.csv', 'a'), lines('file orders.csv', 'b')],
    [],
  ],
  ['the file orders.csv lacks "a;b" and 2 more', [lines('file orders.csv', 'a;b', 'c', '…')], []],
  ['the file got.txt lacks a new id, address or time', [lines('file got.txt', '…')], []],
  [
    'the file got.txt has "5103" instead of a new id, address or time, and 1 more',
    [lines('file got.txt', '…', '…')],
    [lines('file got.txt', '5103')],
  ],
  [
    'in the file jobs.json, jobs.a.attempts is 2 instead of 1, and 1 more',
    [change('file jobs.json', { 'jobs.a.attempts': '1', 'jobs.b.attempts': '1' })],
    [change('file jobs.json', { 'jobs.a.attempts': '2', 'jobs.b.attempts': '3' })],
  ],
  ['the file a.json names the same id for two records', [change('file a.json', { 'new record': '2' })], []],
  ['the files name the same id for two records', [change('file *', { 'new record': '2' })], []],
])('%s', (text, missing, added) => {
  expect(describeDifferences({ missing, added })).toEqual([text])
})

const order = (id: number, parts: Partial<JournalRecord> = {}): JournalRecord =>
  ({
    id,
    account: 'a',
    method: 'POST',
    path: '/api/product/101',
    operation: 'orderService',
    status: 200,
    case: null,
    reason: null,
    time: 0,
    at: 1000 * id,
    durationMs: 1,
    requestHeaders: {},
    responseHeaders: {},
    requestBody: '{"clientid":11}',
    violations: [],
    change: { services: { [5100 + id]: { status: 'Active' } }, invoices: { [9000 + id]: { amount: 20 } } },
    undo: { services: { [5100 + id]: null }, invoices: { [9000 + id]: null } },
    ...parts,
  }) as unknown as JournalRecord

const refusal = { status: 422, case: 'ip-already-bound', change: undefined }
const lost = genericFaults.find(({ name }) => name === 'lost')

function call(record: JournalRecord, parts: Partial<TracedCall> = {}): TracedCall {
  const common = {
    operation: 'orderService',
    run: 1,
    request: '',
    changes: [],
    hasEarlierState: false,
    injected: undefined,
  }
  return { ...common, number: record.id, record, ...parts }
}

const finding = (name: string, ...ids: number[]) =>
  ({ finding: name, severity: 'high', message: 'x', requests: ids.map((id) => ({ id })) }) as never

const lostOrder = (id: number) => call(order(id, { status: null, isUndelivered: true }), { fault: lost })

const base: Outcome = {
  verdict: 'harm',
  findings: [],
  unseen: [],
  calls: [],
  first: { exitCode: 0, timedOut: false, durationMs: 10_000 },
}

const failed = { exitCode: 1, timedOut: false, durationMs: 10 }

test.each<[headline: string, parts: Partial<Outcome>]>([
  [
    'The order was placed twice',
    { findings: [finding('ordered-twice', 1, 2)], calls: [lostOrder(1), call(order(2))] },
  ],
  [
    'The second order was placed 3 times',
    {
      findings: [finding('ordered-twice', 2, 3, 4)],
      calls: [call(order(1)), lostOrder(2), lostOrder(3), call(order(4))],
    },
  ],
  [
    'An order was placed twice',
    {
      findings: [finding('ordered-twice', 2, 3)],
      calls: [
        call(order(1, { status: 503, change: undefined }), { fault: lost }),
        lostOrder(2),
        call(order(3)),
      ],
    },
  ],
  [
    'Orders were placed again: four services instead of two',
    {
      findings: [finding('ordered-twice', 1, 2), finding('ordered-twice', 3, 4)],
      calls: [lostOrder(1), call(order(2)), lostOrder(3), call(order(4))],
      additions: { got: new Map([['service', 4]]), expected: new Map([['service', 2]]) },
    },
  ],
  [
    'Ordered and billed, and nobody knows: service 5101, invoice 9001',
    { verdict: 'orphaned', findings: [finding('order-lost', 1)], calls: [lostOrder(1)] },
  ],
  [
    'Ordered, and nobody knows: service 5101, invoice 9001',
    {
      verdict: 'orphaned',
      findings: [finding('order-lost', 1)],
      calls: [call(order(1, { change: { services: { 5101: {} }, invoices: { 9001: { amount: 0 } } } }))],
    },
  ],
  [
    'The rerun ordered again: two services, two invoices instead of one',
    {
      verdict: 'doubled',
      additions: {
        got: new Map([
          ['service', 2],
          ['invoice', 2],
        ]),
        expected: new Map([
          ['service', 1],
          ['invoice', 1],
        ]),
      },
    },
  ],
  [
    'The second run reported success, but one service was not ordered',
    {
      verdict: 'diverged',
      differences: { missing: [service()], added: [] },
      last: { ...failed, exitCode: 0 },
    },
  ],
  [
    'Two runs at the same time had a different result than two in turn: one service too many was ordered',
    { verdict: 'raced', differences: { missing: [], added: [service()] } },
  ],
  [
    'The second run failed too: POST /api/product/101 was refused with 422 (ip-already-bound)',
    { verdict: 'stuck', calls: [lostOrder(1), call(order(2, refusal), { run: 2 })], last: failed },
  ],
  [
    'The second run failed too (exit code 1), and sent no request',
    { verdict: 'stuck', calls: [call(order(1, { status: 503 }))], last: failed },
  ],
  [
    "The second run didn't end within 8.0 s; its last request, POST /api/product/101, came 0.0 s after the first",
    {
      verdict: 'stuck',
      calls: [lostOrder(1), call(order(2, refusal), { run: 2 })],
      last: { exitCode: 143, timedOut: true, durationMs: 8000 },
    },
  ],
  [
    "The program didn't end within 10.0 s; its last request, POST /api/product/101, came 2.0 s after the first",
    { verdict: 'hang', calls: [call(order(1)), call(order(3))] },
  ],
])('%s', (headline, parts) => {
  const outcome: Outcome = { ...base, ...parts }
  const described = describeRun(outcome, [outcome.first, ...(outcome.last ? [outcome.last] : [])])
  expect(described).toMatchObject({ headline, advice: expect.stringMatching(/^[A-Z][^]+\.$/) })
})

test.each(['swallowed', 'doubled'] as const)('a list that lagged explains why a run %s', (verdict) => {
  const stale = genericFaults.find(({ name }) => name === 'stale')
  const advice = (parts: object, more: Partial<Outcome> = {}) => {
    const calls = [lostOrder(1), call(order(2), { run: 2, ...parts })]
    return describeRun({ ...base, verdict, calls, ...more }, []).advice
  }
  expect(advice({ fault: stale })).toMatch(/^A list may lag behind/)
  const differences = { missing: [change('file got.txt', { line: 'x' })], added: [] }
  expect(advice({ fault: stale }, { differences })).toMatch(/^A list may lag behind/)
  expect(advice({})).not.toMatch(/lag/)
})

test('the requests show what was carried out, the fault, the kill and the second run', () => {
  const read = {
    method: 'GET',
    path: '/api/services',
    operation: 'listServices',
    requestBody: undefined,
    change: undefined,
  }
  const outcome = {
    ...base,
    verdict: 'stuck',
    first: { exitCode: 137, timedOut: false, durationMs: 1 },
    last: { exitCode: 1, timedOut: false, durationMs: 1 },
    calls: [
      ...[1, 2, 3, 4].map((id) => call(order(id, read))),
      call(order(5, { status: null, isUndelivered: true, isAbandoned: true }), { fault: crash }),
      call(order(6, { ...read, responseBody: '[{"service_id":5105}]' }), { run: 2 }),
      call(order(7, refusal), { run: 2 }),
    ],
  } as Outcome
  const runs = [
    { exitCode: 137, timedOut: false, isKilled: true },
    { exitCode: 1, timedOut: false },
  ]
  const { shown } = describeRun(outcome, runs)
  expect(shown.map(({ text }) => text.trim())).toEqual([
    '1. GET /api/services → 200, carried out',
    '2. GET /api/services → 200, carried out',
    '… 1 more',
    '4. GET /api/services → 200, carried out',
    '5. POST /api/product/101 {"clientid":11} → no response, carried out: + service 5105 (Active), + invoice 9005 (20.00)  ← crash',
    'Killed by this sweep, after the order was executed',
    'Second run',
    '6. GET /api/services → 200, carried out',
    '7. POST /api/product/101 {"clientid":11} → 422 ip-already-bound, not carried out',
    'The second run exited with 1',
  ])
})

test.each<[text: string, timedOut: boolean, later: number[]]>([
  ['the program gave up', false, []],
  ['the program gave up', true, [9]],
  ['proxysim killed the program', true, []],
])('no response, because %s', (text, timedOut, later) => {
  const abandoned = order(1, { status: null, isUndelivered: true, isAbandoned: true, durationMs: 500 })
  const first = { exitCode: 143, timedOut, durationMs: 10_000 }
  const calls = [abandoned, ...later.map((id) => order(id))].map((record) => call(record))
  const { shown } = describeRun({ ...base, verdict: 'hang', first, calls }, [first])
  expect(shown[0]?.text).toContain(`→ no response; ${text} after 0.5 s, carried out`)
})

test('advice about a difference in a file alone: the account is right', () => {
  const differences = { missing: [change('file jobs.json', { attempts: '1' })], added: [] }
  const { advice } = describeRun({ ...base, verdict: 'swallowed', differences }, [base.first])
  expect(advice).toMatch(/account is right.*--accept/)
  const shared = { missing: [change('file jobs.json', { 'new record': '2' })], added: [] }
  const other = describeRun({ ...base, verdict: 'diverged', differences: shared }, [base.first])
  expect(other.advice).toMatch(/leave out the ids/)
})

test('what a response showed, and the program then reported as failed', () => {
  const list = {
    method: 'GET',
    path: '/api/services',
    change: undefined,
    responseBody: '[{"service_id":5101}]',
  }
  const calls = [lostOrder(1), call(order(2, list))]
  const first = { exitCode: 1, timedOut: false, durationMs: 1 }
  const remarks = (parts: Partial<Outcome>) =>
    describeRun({ ...base, verdict: 'noticed', first, calls, ...parts }, [first]).remarks
  expect(remarks({})).toEqual([
    'GET /api/services showed service 5101, but the program then reported a failure.',
  ])
  // It had no chance to report anything, or another failure to report.
  expect(remarks({ first: { ...first, timedOut: true } })).toEqual([])
  expect(remarks({ calls: [...calls, call(order(3, list), { fault: crash })] })).toEqual([])
  expect(remarks({ calls: [...calls, call(order(3, { status: 503 }))] })).toEqual([])
})

test('a bad verdict that depends on timing says so', () => {
  const remarks = (isTogether: boolean, ...calls: TracedCall[]) =>
    describeRun({ ...base, verdict: 'swallowed', calls }, [base.first], isTogether).remarks
  const held = call(order(2, { durationMs: 100 }), { fault: lost })
  const [parallel, later] = [1950, 2000].map((at) => call(order(3, { at, durationMs: 20 })))
  expect(remarks(true, held)).toEqual([expect.stringContaining('a repetition may pass')])
  expect(remarks(false, held, parallel as TracedCall)).toEqual([
    expect.stringMatching(/^Several calls of orderService were under way at once: .* may pass\.$/),
  ])
  expect(remarks(false, held, later as TracedCall)).toEqual([])
  const withoutFault = { ...held, fault: undefined }
  expect(remarks(false, withoutFault, parallel as TracedCall)).toEqual([])
})

test('a report has one line about the states of a group, and names faults that did not apply', () => {
  const described = describeRun({ ...base, verdict: 'swallowed' }, [base.first])
  const runsOf = (stage: string, faults: string[]) =>
    faults.map((fault) => ({
      ...described,
      cell: `orderService ${fault}`,
      stage,
      operation: 'orderService',
      fault,
      verdict: 'swallowed',
      accepted: null,
      output: [],
      repeat: `proxysim sweep --faults ${fault} -- x`,
      repro: `x.repro/${fault}.yaml`,
    })) as unknown as SweepRun[]
  const runs = runsOf('first', ['lost', 'reset', '503'])
  const data = { runs, verdicts: {}, leftOut: {}, baseline: { unstable: [] } } as unknown as SweepReport
  const notes = { overlapProblem: undefined, unusedKeys: [], hold: 1, held: [], hanging: [] }
  const lists = (mode: Notes['mode'], reported = runs) =>
    sweepReport({ ...data, runs: reported }, { ...notes, inapplicable: ['cut'], mode }).sections.flatMap(
      (one) => ('list' in one ? one.list : []),
    )
  const untried = 'cut: it applies to no operation that was tried'
  const byAny = expect.stringMatching(/^by any sweep: .*three failures in one run/) as string
  expect(lists('usual')).toEqual([
    'swallowed: orderService × lost, reset, 503',
    expect.stringMatching(/^To do: /),
    'State before the call: x.repro/lost.yaml, and for the other cells 2 files beside it',
    'Repeat with: proxysim sweep --faults lost reset 503 -- x',
    untried,
    expect.stringMatching(/^calls between the second and the last .*: sweep --thorough tries them$/),
    byAny,
  ])
  expect(lists('thorough').slice(-2)).toEqual([untried, byAny])
  expect(lists('quick').slice(-3)).toEqual([untried, expect.stringContaining('--quick'), byAny])

  const many = lists(
    'usual',
    runsOf(
      'later',
      Array.from({ length: 12 }, (_, i) => `f${i}`),
    ),
  )
  expect(many[0]).toMatch(/; orderService f9; and 2 more$/)
  expect(many.slice(3, 7)).toEqual([
    ...['f0', 'f1', 'f2'].map((fault) => `Repeat with: proxysim sweep --faults ${fault} -- x`),
    'The JSON (--json) has the commands for the others: 9 more',
  ])
})
