import { describe, expect, test } from 'vitest'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import { crash, genericFaults } from '../../src/faults/presets.ts'
import type { Effect } from '../../src/lab/runs/ClientChanges.ts'
import { explain, wrongCalls, type Basis } from '../../src/lab/runs/explain.ts'
import type { TracedCall } from '../../src/lab/runs/Injector.ts'
import { listProblems } from '../../src/lab/runs/problems.ts'
import { showCalls } from '../../src/lab/runs/shown.ts'
import { sweepReport, type SweepReport, type SweepRun } from '../../src/lab/runs/sweepReport.ts'
import { judge, redVerdicts, verdicts, type Evidence, type Verdict } from '../../src/lab/runs/verdict.ts'
import { markdown } from '../../src/report/markdown.ts'

test('eight verdicts, of which five are red', () => {
  expect(verdicts.join(' ')).toBe(
    'ordered-twice order-lost wrong-result stuck bad-habit not-tried reported ok',
  )
  expect(redVerdicts).toEqual(verdicts.slice(0, 5))
})

test.each<[Verdict, (keyof Evidence)[]]>([
  ['not-tried', []],
  ['not-tried', ['isOrderedTwice', 'differs']],
  ['ordered-twice', ['isTried', 'isOrderedTwice', 'isOrderLost', 'differs', 'isStuck']],
  ['order-lost', ['isTried', 'isOrderLost', 'hasFailed', 'isStuck']],
  ['wrong-result', ['isTried', 'differs', 'hasBadHabit']],
  ['stuck', ['isTried', 'differs', 'hasFailed', 'isStuck', 'hasBadHabit']],
  ['bad-habit', ['isTried', 'hasFailed', 'hasBadHabit']],
  ['reported', ['isTried', 'hasFailed', 'differs']],
  ['ok', ['isTried']],
])('%s if %j', (verdict, facts) => {
  const evidence = Object.fromEntries(facts.map((name) => [name, true])) as Partial<Evidence>
  expect(judge(evidence as Evidence)).toBe(verdict)
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

const read = { method: 'GET', path: '/api/services', requestBody: undefined, change: undefined }
const refusal = { status: 422, case: 'ip-already-bound', change: undefined }
const fault = (name: string) => genericFaults.find((one) => one.name === name)

function call(record: JournalRecord, parts: Partial<TracedCall> = {}): TracedCall {
  const common = { operation: 'orderService', run: 1, request: '', changes: [], hasEarlierState: false }
  return { ...common, injected: undefined, number: record.id, record, ...parts }
}

describe('a list of requests', () => {
  test('shows what was carried out, the fault, the wrong call, the kill and the second run', () => {
    const calls = [
      ...[1, 2, 3, 4].map((id) => call(order(id, { ...read, path: `/api/service/500${id}` }))),
      call(order(5, { status: null, isUndelivered: true, isAbandoned: true }), { fault: crash }),
      call(order(6, read), { run: 2 }),
      call(order(7, refusal), { run: 2 }),
    ]
    const runs = [
      { exitCode: 137, timedOut: false },
      { exitCode: 1, timedOut: false },
    ]
    expect(
      showCalls(calls, { runs, wrong: new Map([[7, 'ordered-twice']]) }).map(({ text }) => text.trim()),
    ).toEqual([
      '1. GET /api/service/5001 → 200, carried out',
      '2. GET /api/service/5002 → 200, carried out',
      '… 1 more',
      '4. GET /api/service/5004 → 200, carried out',
      '5. POST /api/product/101 {"clientid":11} → no response, carried out: + service 5105 (Active), + invoice 9005 (20.00)  ← crash',
      'Killed by this sweep, after POST /api/product/101 {"clientid":11} was carried out',
      'Run 2',
      '6. GET /api/services → 200, carried out',
      '7. POST /api/product/101 {"clientid":11} → 422 ip-already-bound, not carried out  ← ordered-twice',
      'Run 2 exited with 1',
    ])
  })

  test('folds equal lines, and names the accounts if there are several, and the runs at the same time', () => {
    const refused = Array.from({ length: 205 }, (_, i) => call(order(i + 1, { ...refusal, durationMs: i })))
    const run = { exitCode: 0, timedOut: false }
    expect(showCalls(refused, { runs: [run] })[0]?.text).toMatch(/^ 1\. .* not carried out {2}× 205$/)
    const two = [call(order(1)), call(order(2, { account: 'b' }), { worker: 2 })]
    expect(
      showCalls(two, { runs: [run, run], isTogether: true }).map(({ text }) => text.slice(0, 14)),
    ).toEqual(
      [' 1. [run 1, a] ', ' 2. [run 2, b] ', '    Run 1 exit', '    Run 2 exit'].map((text) =>
        text.slice(0, 14),
      ),
    )
  })

  test.each<[executed: string, name: string, parts: Partial<JournalRecord>]>([
    ['504, carried out: + service', 'gateway-timeout', { status: 504 }],
    ['504, nothing changed', 'gateway-timeout', { status: 504, change: undefined }],
    ['503, not carried out', '503', { status: 503, change: undefined }],
  ])('says whether a call was carried out: %s', (executed, name, parts) => {
    const one = call(order(1, { forced: true, ...parts }), { fault: fault(name) })
    expect(showCalls([one], { runs: [{ exitCode: 0, timedOut: false }] })[0]?.text).toContain(`→ ${executed}`)
  })

  test.each<[text: string, timedOut: boolean, later: number[]]>([
    ['the program gave up', false, []],
    ['the program gave up', true, [9]],
    ['proxysim killed the program', true, []],
  ])('says why there was no response: %s', (text, timedOut, later) => {
    const abandoned = order(1, { status: null, isUndelivered: true, isAbandoned: true, durationMs: 500 })
    const calls = [abandoned, ...later.map((id) => order(id))].map((record) => call(record))
    const [first] = showCalls(calls, { runs: [{ exitCode: 143, timedOut }] })
    expect(first?.text).toContain(`→ no response; ${text} after 0.5 s, carried out`)
  })
})

const basis: Basis = {
  verdict: 'wrong-result',
  findings: [],
  differences: { missing: [], added: [] },
  calls: [],
  last: { exitCode: 0, timedOut: false, durationMs: 10_000 },
  run: 1,
}
const effect = (subject: string, ...fields: [string, string][]): Effect => ({
  subject,
  isNew: subject.includes(': new '),
  fields,
})
const failed = { exitCode: 1, timedOut: false, durationMs: 10 }
const twice = [
  { finding: 'ordered-twice', message: 'x', severity: 'high', requests: [{ id: 1 }, { id: 3 }] },
] as never

describe('a red verdict is explained', () => {
  test.each<[why: string, parts: Partial<Basis>]>([
    [
      'missing: a: + service (product 101)',
      { differences: { missing: [effect('a: new service', ['product', '101'])], added: [] } },
    ],
    [
      'added: IP list of 5001 renewed',
      { differences: { missing: [], added: [effect('service 5001', ['IP list', 'renewed'])] } },
    ],
    [
      'a: credit → 250.00 instead of 230.00',
      {
        differences: {
          missing: [effect('a:', ['credit', '230.00'])],
          added: [effect('a:', ['credit', '250.00'])],
        },
      },
    ],
    [
      'file x.csv: "new" instead of "done"',
      {
        differences: {
          missing: [effect('file x.csv', ['line', 'done'])],
          added: [effect('file x.csv', ['line', 'new'])],
        },
      },
    ],
    [
      'missing: file x.csv: "done"',
      { differences: { missing: [effect('file x.csv', ['line', 'done'])], added: [] } },
    ],
    [
      'Run 2 exited with 1, after /api/product/101 gave ip-already-bound.',
      { verdict: 'stuck', calls: [call(order(2, refusal), { run: 2 })], last: failed, run: 2 },
    ],
    [
      'Run 2 exited with 1, and sent no request; these files were left in its folder: worker.lock.',
      { verdict: 'stuck', calls: [call(order(1))], last: failed, run: 2, filesLeft: ['worker.lock'] },
    ],
    [
      'The program did not end within 10.0 s. Its last request, POST /api/product/101, came 2.0 s after its first. If it is right to wait longer, use --timeout.',
      {
        verdict: 'stuck',
        calls: [call(order(1)), call(order(3))],
        last: { ...failed, timedOut: true, durationMs: 10_000 },
      },
    ],
    [
      'The program did not end within 0.0 s, and sent no request.',
      { verdict: 'stuck', last: { ...failed, timedOut: true } },
    ],
  ])('%s', (why, parts) => {
    expect(explain({ ...basis, ...parts })).toMatchObject({
      why: [why],
      advice: expect.stringMatching(/^[A-Z][^]+[.']$/),
    })
  })

  test.each<[advice: RegExp, parts: Partial<Basis>]>([
    [
      /look again after a while/,
      { verdict: 'ordered-twice', calls: [call(order(1), { fault: fault('stale') })] },
    ],
    [/look again after a while/, { calls: [call(order(1), { fault: fault('stale') })] }],
    [
      /no idempotency key/,
      { verdict: 'ordered-twice', findings: twice, calls: [1, 3].map((id) => call(order(id))) },
    ],
    [
      /did not recognize it/,
      {
        verdict: 'ordered-twice',
        findings: twice,
        calls: [call(order(1)), call(order(2), { operation: 'listServices' }), call(order(3))],
      },
    ],
    [
      /^A second line .* books it twice.* --ignore 'attempts\.jsonl'/,
      { differences: { missing: [], added: [effect('file attempts.jsonl', ['line', 'x'])] } },
    ],
    [
      /^The account is right, but a file differs/,
      { differences: { missing: [effect('file a', ['line', 'x'])], added: [] } },
    ],
    [
      /leave out the ids/,
      { differences: { missing: [effect('file a', ['different ids', '2'])], added: [] } },
    ],
    [/^Use a lock/, { verdict: 'stuck', last: failed, run: 2 }],
    [/Check the status/, { differences: { missing: [effect('a: new service')], added: [] } }],
  ])('with the advice %s', (advice, parts) => {
    expect(explain({ ...basis, ...parts }).advice).toMatch(advice)
  })
})

test.each<[wrong: number[], what: string, parts: Partial<Basis>]>([
  [
    [2],
    'the second call of a finding',
    { findings: [{ finding: 'ordered-twice', requests: [{ id: 1 }, { id: 2 }] }] as never },
  ],
  [
    [2],
    'without a finding, the order that was added',
    { differences: { missing: [], added: [{ ...effect('a: new service'), id: '5102' }] } },
  ],
  [[], 'nothing without evidence', {}],
])('the wrong calls are %j: %s', (wrong, _, parts) => {
  const before = { services: new Map(), invoices: new Map() } as never
  const calls = [1, 2].map((id) => call(order(id, { before })))
  expect([...wrongCalls({ ...basis, verdict: 'ordered-twice', calls, ...parts }).keys()]).toEqual(wrong)
})

test('a report leads with problems: one for each cause, the worst first, with all its cells', () => {
  const run = (cell: string, verdict: Verdict, why: string[] = []): SweepRun =>
    ({
      cell,
      stage: cell.includes(',') ? 'recovery' : 'first',
      operation: 'orderService',
      fault: cell.split(' ')[1],
      verdict,
      accepted: null,
      durationMs: 1,
      findings: [],
      why,
      advice: why.length > 0 ? 'Mend it.' : null,
      shown: [],
      output: [],
      repeat: `proxysim sweep --cell '${cell}' -- x`,
    }) as unknown as SweepRun
  const lost = ['lost', 'cut'].map((name, i) =>
    run(`orderService ${name}`, 'ordered-twice', [`+ service ${i}`]),
  )
  const many = Array.from({ length: 12 }, (_, i) => run(`orderService f${i}`, 'wrong-result', ['missing: a']))
  const runs = [
    run('orderService 503', 'reported'),
    ...many,
    ...lost,
    ...['503', 'reset'].map((name) => run(`orderService lost, then getCredit+1 ${name}`, 'ok')),
  ]
  const data = { runs, leftOut: { recovery: 3 }, baseline: { unstable: [] } } as unknown as SweepReport
  const notes = {
    overlapProblem: undefined,
    unusedKeys: [],
    unexplainedKeys: ['x'],
    uncompared: ['jobs.sqlite'],
    absent: [],
    hold: 1,
    held: [],
    hanging: [],
    inapplicable: ['cut'],
    mode: 'usual',
    isSelective: false,
  } as const
  const report = sweepReport(data, notes)
  expect(report.summary).toBe('2 problems. 17 runs: 2 ordered-twice, 12 wrong-result, 1 reported, 2 ok')
  const page = markdown(report)
  expect(page.indexOf('## 1. ordered-twice: More was ordered')).toBeLessThan(
    page.indexOf('## 2. wrong-result: '),
  )
  for (const part of [
    '- + service 0\n- 2 cells: orderService lost, cut',
    '- 12 cells: orderService f0, f1, f2, f3, f4, f5, f6, f7, f8, f9; and 2 more',
    "- To do: Mend it.\n- Repeat with: proxysim sweep --cell 'orderService lost' -- x",
    '| recovery | orderService | ok: lost, then getCredit+1 503; lost, then getCredit+1 reset |',
    '- cells left out: recovery: 3',
    '- cut: it applies to no operation that was tried',
    '- invalid-authorization-header, invalid-credentials-format, empty, bad-gateway: their verdicts never differed',
    '## Accepted, but without a reason of your own:\n\n- x',
    '## Files whose content is not judged:\n\n- jobs.sqlite',
    '- reported: The program exited with an error.',
  ])
    expect(page).toContain(part)
  const selected = markdown(sweepReport(data, { ...notes, mode: 'quick', isSelective: true }))
  expect(selected).toContain(
    '- what --cell, --only or --faults leave out\n- all stages after the first calls',
  )
  expect(selected).not.toContain('never differed')
  expect(report.suites.map(({ name, note }) => [name, note?.split('\n').length])).toEqual([
    ['orderService', 3],
    ['orderService recovery', 1],
  ])
})

test.each([
  ['The program exited with 1.', 'The program exited with 1.', 1],
  ['The program exited with 1.', 'The program exited with 4.', 2],
  ['added: service 5104', 'added: service 5105', 1],
])('runs that are explained by %j and %j are %i problems', (one, other, count) => {
  const runs = [one, other].map((why) => ({
    verdict: 'stuck' as const,
    accepted: null,
    findings: [],
    why: [why],
  }))
  expect(listProblems(runs)).toHaveLength(count)
})
