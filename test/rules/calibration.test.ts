import { describe, expect, it } from 'vitest'
import { calibrateRecorded, changeEntry } from '../support/calibration/calibrateRecorded.ts'
import {
  NaiveService,
  defaultInterpretations,
  type NaiveResponse,
  type NaiveInterpretations,
  type NaiveRequest,
} from '../support/calibration/NaiveService.ts'
import { Tape, toHarEntry } from '../support/calibration/Tape.ts'
import { recordFullTour } from '../support/calibration/tours.ts'

const invoices = [
  {
    id: 3299,
    description: 'Seven Static',
    status: 'Unpaid',
    created_at: '2026-03-01',
    amount: 15,
    paymentmethod: 'card',
    serviceid: 800,
  },
]

type Alter = (answer: NaiveResponse) => NaiveResponse

const tape = (interpretations: Partial<NaiveInterpretations> = {}): Tape =>
  new Tape(new NaiveService(interpretations))
const get =
  (...paths: string[]) =>
  (recorded: Tape) =>
    paths.forEach((path) => recorded.get(`/api/${path}`))
const order = (recorded: Tape, pid = 7) =>
  recorded.call('POST', `/api/product/${pid}`, { body: { clientid: 31 } })
const update = (recorded: Tape, after = 1500) =>
  recorded.call('PUT', '/api/service/800', { body: { update_list: 'true' }, after })

const withText =
  (alter: (body: string) => string): Alter =>
  ({ body, ...answer }) => ({ ...answer, body: alter(body) })
const withBody = (alter: (body: never) => unknown): Alter =>
  withText((body) => JSON.stringify(alter(JSON.parse(body) as never)))
const withFields = (fields: object): Alter => withBody((body: object) => ({ ...body, ...fields }))

/** Alters the matching responses of a recording. */
function altered(
  recorded: Tape,
  matches: (request: NaiveRequest, answer: NaiveResponse) => boolean,
  alter: Alter,
): Tape {
  for (const one of recorded.exchanges) if (matches(one.request, one.answer)) one.answer = alter(one.answer)
  return recorded
}

const broken = { type: 'application/json', status: 200 }

/** A recording that begins with these reads, whose next responses are altered. */
async function afterReads(paths: readonly string[], calls: (recorded: Tape) => unknown, alter: Alter) {
  const recorded = tape()
  recorded.service.invoices.push(...invoices)
  get(...paths)(recorded)
  recorded.alter = alter
  calls(recorded)
  return { ...(await calibrateRecorded(recorded)), first: paths.length + 1 }
}

describe('a response that breaks the contract', () => {
  it.each<[what: string, path: string, alter: Alter, message: string]>([
    ['no field', 'service/800', withFields({ billingcycle: undefined }), 'billingcycle is missing'],
    ['a text', 'service/800', withFields({ price: 'free' }), 'price must be number, not string'],
    ['a value', 'service/800', withFields({ billingcycle: 'Weekly' }), 'billingcycle must be one of: '],
    ['a date', 'service/800', withFields({ regdate: '2026-02-30' }), 'regdate must match format "date"'],
    ['a fraction', 'product/7', withFields({ ip_count: 4.5 }), 'ip_count must be integer, not 4.5'],
    ['decimals', 'billing/credit', withFields({ credit: '250' }), 'credit must be number, not "250"'],
    ['an id', 'clients', withBody(() => [{ id: null, email: 'a@b.co' }]), '[].id must be integer, not null'],
    ['a day', 'stats/803', withBody(() => [{ date: '2026-03-02', rate: null }]), '[].rate must be number'],
    [
      'a date of an invoice',
      'billing/invoices',
      withBody((all: object[]) => all.map((one) => ({ ...one, date_paid: false }))),
      '[].date_paid must be one of: null, "", 0000-00-00',
    ],
    ['an object around it', 'services', withBody((data) => ({ data })), 'the body must be array, not object'],
    ['a list', 'service/999', withBody(() => [null]), 'the text is not one of'],
    ['a time', 'product/7', withFields({ update_time: '2026-02-03T04:05:06Z' }), 'update_time must match'],
    ['HTML', 'products', () => ({ status: 200, type: 'text/html', body: '<p>' }), 'content type text/html'],
    ['half of a JSON', 'products', withText((body) => body.slice(0, 20)), 'the body is not valid JSON'],
    ['a status', 'products', (answer) => ({ ...answer, status: 201 }), 'status 201 is not defined for'],
    ['a text', 'service/999', withFields({ error: 'Unprocessable' }), 'the text is not one of'],
    ['a limit', 'clients', () => ({ ...broken, status: 429, body: '{"error":"x"}' }), 'status 429 is not'],
    ['an outage', 'clients', () => ({ ...broken, status: 503, body: '{"error":"x"}' }), 'status 503 is not'],
  ])('in %s (%s) is listed with its exchanges, and set aside', async (_, path, alter, message) => {
    const reads = ['clients', 'services', 'service/800', 'stats/803']
    const found = await afterReads(reads, get(path, path), alter)
    const { violations, assumptions, behaviour, first } = found
    expect(violations[0]?.message).toContain(message)
    expect(violations).toMatchObject([{ exchanges: [first, first + 1] }])
    expect(behaviour).toMatchObject({ same: 0, differ: 0, undecidable: 2, firstObservation: first - 1 })
    const evidence = assumptions.flatMap((one) => one.evidence)
    expect(Math.max(...evidence)).toBeLessThan(first)
  })

  it.each<[string, Alter]>([
    ['an order without a number', withFields({ orderId: null })],
    ['a text as id', withFields({ serviceId: 'x' })],
    ['half of a JSON', withText((body) => body.slice(0, 9))],
    ['another status', (answer) => ({ ...answer, status: 201 })],
    ['a gateway error', () => ({ status: 504, type: 'text/html', body: 'Gateway Timeout' })],
  ])(
    'to an order (%s) leaves the state unknown: all later reads are first observations',
    async (_, alter) => {
      const recorded = tape()
      const reads = get('clients', 'products', 'billing/credit', 'services', 'billing/invoices')
      reads(recorded)
      recorded.alter = alter
      order(recorded)
      recorded.alter = (answer) => answer
      reads(recorded)
      const { behaviour, assumptions } = await calibrateRecorded(recorded)
      expect(behaviour).toMatchObject({ differ: 0, firstObservation: 10, undecidable: 1 })
      expect(assumptions.filter(({ verdict }) => verdict === 'contradicts')).toEqual([])
    },
  )

  it.each(['colour', '__proto__'])('only by an additional field (%s) is read past', async (name) => {
    const { violations, behaviour } = await afterReads(
      ['service/800'],
      get('service/800'),
      withText((text) => text.replace('{', `{"${name}":1,`)),
    )
    expect(violations).toMatchObject([{ message: `${name} is not in the contract`, exchanges: [2] }])
    expect(behaviour).toMatchObject({ same: 1, firstObservation: 1, undecidable: 0 })
  })
})

describe('no violation is', () => {
  it('a content type that the recorder omits', async () => {
    const recorded = tape()
    get('service/800', 'iplist/http-ip/json/800')(recorded)
    const entries = recorded.exchanges
      .map(toHarEntry)
      .map((entry) => changeEntry(entry, { response: { headers: [], content: { mimeType: undefined } } }))
    const { violations, assumptions } = await calibrateRecorded(entries)
    expect(violations).toEqual([])
    expect(assumptions.find(({ id }) => id === 'ipListJson')).toMatchObject({ verdict: 'holds' })
  })

  it('a refused request that breaks the contract', async () => {
    const recorded = tape()
    recorded.call('POST', '/api/product/7', { raw: '{"clientid": "x"' })
    recorded.call('POST', '/api/product/7', { body: { clientid: 'x' } })
    recorded.get('/api/service/abc')
    const { violations, behaviour } = await calibrateRecorded(recorded)
    expect({ violations, differ: behaviour.differ }).toEqual({ violations: [], differ: 0 })
  })

  it.each<[string, (name: string) => boolean]>([['amounts', (name) => /price|amount|credit/.test(name)]])(
    'another notation: %s in quotes only contradict numbers',
    async (_, isQuoted) => {
      const quote = (name: string, value: unknown): unknown =>
        typeof value === 'number' && isQuoted(name)
          ? /price|amount|credit/.test(name)
            ? value.toFixed(2)
            : String(value)
          : value
      const alter: Alter = ({ body, ...answer }) => ({
        ...answer,
        body: answer.status === 200 && /^[[{]/.test(body) ? JSON.stringify(JSON.parse(body), quote) : body,
      })
      const { violations, assumptions, behaviour } = await calibrateRecorded(
        altered(recordFullTour(new NaiveService()), () => true, alter),
      )
      expect([...violations, ...behaviour.differences]).toEqual([])
      const verdicts = assumptions.filter(({ verdict }) => verdict === 'contradicts').map(({ id }) => id)
      expect(verdicts).toEqual(['numbers'])
      const isOpen = ({ id, verdict }: { id: string; verdict: string }) =>
        id in defaultInterpretations && verdict !== 'holds'
      expect(assumptions.filter(isOpen)).toEqual([])
    },
  )
})

describe('behaviour', () => {
  it.each<[string, (recorded: Tape) => unknown, difference: object, part: object]>([
    [
      'another price',
      (recorded) => {
        get('products', 'clients')(recorded)
        recorded.alter = withFields({ amount: 16 })
        order(recorded)
      },
      { exchange: 3, operation: 'orderService' },
      { path: 'amount', real: 16, ours: 15 },
    ],
    [
      'an order that takes no credit',
      (recorded) => {
        get('clients', 'products', 'billing/credit')(recorded)
        order(recorded)
        recorded.service.cents += 500
        get('billing/invoices', 'billing/credit', 'billing/credit')(recorded)
      },
      { exchange: 6 },
      { path: 'credit', real: 490, ours: 485 },
    ],
    [
      'another case',
      (recorded) => {
        get('services', 'service/803', 'networkstatus/errors/803')(recorded)
        const body = '{"error":"Unprocessable Entity. Invalid IPv4 format"}'
        recorded.alter = () => ({ status: 422, type: 'application/json', body })
        recorded.call('PUT', '/api/service/803', { body: { password: 'bmV3' } })
      },
      { exchange: 4, real: { status: 422 }, ours: { status: 200 } },
      { real: 422, ours: 200 },
    ],
  ])('%s is a difference, once, with the part that differs', async (_, record, difference, part) => {
    const recorded = tape()
    record(recorded)
    const { behaviour, differingParts } = await calibrateRecorded(recorded)
    expect(behaviour.differences).toMatchObject([difference])
    expect(differingParts).toMatchObject([[part]])
  })

  it.each<[string, Partial<NaiveService['services'][number]>, string, string]>([
    ['user name', { user: 'other' }, 'service/800', 'username'],
    ['password', { pass: 'other' }, 'service/800', 'password'],
    ['due date', { due: '2031-02-03' }, 'service/800', 'nextduedate'],
    ['order', { order: 4242 }, 'service/800', 'orderid'],
    ['address', { ips: ['10.9.9.9'] }, 'iplist/http-ip/txt/800', 'ips'],
    ['password', { pass: 'other' }, 'iplist/http-auth/json/800', 'password'],
  ])('another %s is a difference, once, as nothing changed it', async (_, change, path, part) => {
    const recorded = tape()
    get(path)(recorded)
    Object.assign(recorded.service.services[0] as object, change)
    get(path, path)(recorded)
    const { behaviour, assumptions, differingParts } = await calibrateRecorded(recorded)
    expect(behaviour).toMatchObject({ firstObservation: 1, same: 1, differ: 1, undecidable: 0 })
    expect(behaviour.differences).toMatchObject([{ exchange: 2 }])
    expect(differingParts).toMatchObject([[{ path: part }]])
    expect(assumptions.filter(({ verdict }) => verdict === 'contradicts')).toEqual([])
  })

  it.each<[string, (recorded: Tape) => unknown, object]>([
    [
      'what depends on unseen state is undecidable',
      (recorded) => {
        recorded.service.cents = 1
        get('clients', 'products')(recorded)
        order(recorded)
        recorded.call('PUT', '/api/service/806', { body: { setip: '192.0.2.1' } })
      },
      { differ: 0, undecidable: 2 },
    ],
    ...(['undecidable', 'differ'] as const).map((verdict): [string, (recorded: Tape) => unknown, object] => [
      `an order refused for want of funds after an accepted one is ${verdict}, as the credit is ${verdict === 'differ' ? 'known' : 'not'}`,
      (recorded) => {
        get('clients', 'products', 'product/7', ...(verdict === 'differ' ? ['billing/credit'] : []))(recorded)
        order(recorded)
        recorded.service.cents = 1
        order(recorded)
      },
      { differ: 0, undecidable: 0, [verdict]: 1 },
    ]),
  ])('%s', async (_, record, expected) => {
    const recorded = tape()
    record(recorded)
    expect((await calibrateRecorded(recorded)).behaviour).toMatchObject(expected)
  })

  it('the order of a list only matters if the request asked for one', async () => {
    const isList = ({ path }: NaiveRequest) => /^\/api\/(services|products|billing\/invoices)$/.test(path)
    const reversed = withBody((body: unknown[]) => body.toReversed())
    const { behaviour } = await calibrateRecorded(
      altered(recordFullTour(new NaiveService()), isList, reversed),
    )
    expect(behaviour.differences).toEqual([])
  })
})

describe('an assumption', () => {
  const found = async (recorded: Tape, id: string) =>
    (await calibrateRecorded(recorded)).assumptions.find((one) => one.id === id)

  it('lists both exchanges that contradict it', async () => {
    const recorded = tape()
    get('products', 'products/orderby/price')(recorded)
    Object.assign(recorded.service.interpretations, { productSort: 'desc' })
    get('products/orderby/price')(recorded)
    const evidence = [2, 3]
    expect(await found(recorded, 'productSort')).toEqual({
      id: 'productSort',
      verdict: 'contradicts',
      interpretation: null,
      default: 'asc',
      evidence,
      needs: [],
    })
  })

  it('without evidence is undecided, and lists the calls that would decide it, with their effect', async () => {
    const recorded = tape()
    get('networkstatus/errors/800')(recorded)
    const { assumptions } = await calibrateRecorded(recorded)
    expect(
      assumptions.map(({ verdict, interpretation, evidence }) => [verdict, interpretation, evidence]),
    ).toEqual(assumptions.map(() => ['undecided', null, []]))
    const effects = Object.fromEntries(
      assumptions.map(({ id, needs }) => [id, needs.map((one) => 'effect' in one && one.effect)[0]]),
    )
    expect(effects).toMatchObject({
      productSort: 'reads',
      orderedService: 'costs money',
    })
    expect(Object.values(effects)).not.toContain(undefined)
  })

  it('is decided by an empty body, whatever its type', async () => {
    const recorded = tape()
    recorded.alter = (answer) => (answer.body === '' ? { ...answer, type: 'text/plain' } : answer)
    get('service/809', 'sticky/changettl/809/5')(recorded)
    expect(await found(recorded, 'inactiveTtlBody')).toMatchObject({ verdict: 'holds', evidence: [2] })
  })

  it('stays undecided if only its default is refuted', async () => {
    const recorded = tape({ orderedInvoice: 'Pending' })
    get('clients', 'products', 'billing/credit')(recorded)
    order(recorded)
    get('billing/credit')(recorded)
    expect(await found(recorded, 'orderedInvoice')).toMatchObject({
      verdict: 'undecided',
      interpretation: null,
      evidence: [5],
    })
  })

  it.each<[string, (recorded: Tape) => unknown]>([
    [
      'a credit that is topped up',
      (recorded) => {
        get('billing/credit')(recorded)
        recorded.service.cents += 6000
        get('billing/credit')(recorded)
      },
    ],
    [
      'an invoice that is paid meanwhile',
      (recorded) => {
        get('clients', 'products')(recorded)
        order(recorded)
        get('billing/invoices')(recorded)
        recorded.alter = withBody((all: object[]) =>
          all.map((one) => ({ ...one, date_refunded: '2026-03-04' })),
        )
        get('billing/invoices')(recorded)
      },
    ],
  ])('about the notation of values is not contradicted by %s', async (_, record) => {
    const recorded = tape()
    record(recorded)
    const { assumptions } = await calibrateRecorded(recorded)
    const verdicts = Object.fromEntries(assumptions.map(({ id, verdict }) => [id, verdict]))
    expect(verdicts['numbers']).toBe('holds')
    expect(['holds', 'undecided']).toContain(verdicts['unsetDates'])
  })

  it.each<[hours: number, paths: string[], zone: [string, unknown], interval: string]>([
    [0, [], ['undecided', null], 'undecided'],
    [3, [], ['undecided', null], 'undecided'],
    [-5, [], ['undecided', null], 'undecided'], // in UTC, the time has passed
    [-9, [], ['undecided', null], 'undecided'],
    [0, ['sticky/list/803'], ['holds', 'UTC'], 'holds'],
    [3, ['sticky/list/803'], ['other', 'Etc/GMT-3'], 'holds'],
    [-5, ['sticky/rotate/803/ams1/s-a'], ['other', 'Etc/GMT+5'], 'holds'],
    [5.5, ['sticky/list/803'], ['other', 'Asia/Kolkata'], 'holds'],
    [5.75, ['sticky/list/803'], ['other', 'Asia/Kathmandu'], 'holds'],
    [8.75, ['sticky/list/803'], ['other', 'Australia/Eucla'], 'holds'],
    [13.75, ['sticky/list/803'], ['other', 'Pacific/Chatham'], 'holds'], // in summer
    [-9.5, ['sticky/rotate/803/ams1/s-a'], ['other', 'Pacific/Marquesas'], 'holds'],
  ])('about time in a zone of UTC%i and after %j', async (hours, paths, zone, interval) => {
    const recorded = tape()
    const shifted = (time: string) =>
      new Date(Date.parse(`${time}Z`) + hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
    recorded.alter = withText((text) => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, shifted))
    get(...paths, 'service/800')(recorded)
    update(recorded)
    update(recorded)
    const { assumptions, behaviour, scenario } = await calibrateRecorded(recorded)
    const of = (id: string) => assumptions.find((one) => one.id === id)
    expect(of('timeZone')).toMatchObject({ verdict: zone[0], interpretation: zone[1] })
    expect(of('updateListInterval')).toMatchObject({ verdict: interval })
    // Both updates were recorded, so only the zone may be missing.
    expect(of('updateListInterval')?.needs).toEqual(of('timeZone')?.needs)
    expect(behaviour.differ).toBe(0)
    const confirmed = scenario.accounts['recorded']?.confirmed ?? []
    expect(confirmed.includes('timeZone')).toBe(zone[0] !== 'undecided')
    expect(confirmed.includes('updateListInterval')).toBe(interval !== 'undecided')
  })

  it.each([[['us']], [[1, 2]], [['US', null]]])(
    'is contradicted by elements that no interpretation has: geo %j',
    async (geo) => {
      const recorded = tape()
      recorded.alter = withBody((body: object) => ({ ...body, ...('geo' in body && { geo }) }))
      get('products', 'product/7')(recorded)
      expect(await found(recorded, 'geo')).toMatchObject({ verdict: 'contradicts', evidence: [2] })
    },
  )
})

it.each<[string, number | null, string[]]>([
  ['no limit', null, ['rate/803']],
  ['no limit, whose type is known', null, ['service/803', 'rate/803']],
  ['a rate that is not the sum of its days', 5000, ['stats/803', 'rate/803']],
])('a service with %s responds alike, and so does the scenario', async (_, limit, paths) => {
  const recorded = tape()
  const rates = withBody(() => (limit === null ? [] : [{ limit, rate: 7 }]))
  recorded.alter = (answer, { path }) => (path === '/api/rate/803' ? rates(answer) : answer)
  get(...paths, ...paths)(recorded)
  const { behaviour, violations, assumptions, scenario } = await calibrateRecorded(recorded)
  expect(violations).toEqual([])
  expect(behaviour).toMatchObject({
    differ: 0,
    undecidable: 0,
    firstObservation: paths.length,
    same: paths.length,
  })
  expect(assumptions.find(({ id }) => id === 'usageOfFpr')).not.toMatchObject({ verdict: 'other' })
  const usage = limit === null ? { limit: null } : { limit, rate: 7 }
  expect(scenario.accounts['recorded']?.services?.['803']).toMatchObject({ usage })
})

it('values that a state cannot contain are left out of the scenario', async () => {
  const recorded = tape()
  const [first, , third] = recorded.service.services
  if (first && third) third.bound = first.bound // an address of two services
  get('service/800', 'service/806')(recorded)
  const { scenario, leftOut } = await calibrateRecorded(recorded)
  expect(leftOut).toMatchObject([expect.stringMatching(/^services\.80[06]\.bindedip$/)])
  const { services } = scenario.accounts['recorded'] ?? {}
  expect(services).toMatchObject({ 800: { status: 'Active' }, 806: { status: 'Suspended' } })
  const bound = Object.values(services ?? {}).filter(({ bindedip }) => bindedip === '192.0.2.1')
  expect(bound).toHaveLength(1)
})

it('an undocumented response may have any shape, without a violation or difference', async () => {
  const recorded = recordFullTour(new NaiveService({ ipListJson: 'objects', geo: 'object' }))
  const shapes: [string, Alter][] = [
    [
      'sticky/list',
      withBody((body: { session: string }[]) => body.map(({ session }) => ({ name: session }))),
    ],
    ['sticky/rotate', withBody(() => ({ result: 'OK' }))],
    ['sticky/changettl', withBody(() => ({ result: 1 }))],
    ['sticky/resetall', withBody(() => ({ success: true }))],
    [
      'iplist/http-ip/json',
      withBody((body: { ip: string; port: number }[]) =>
        body.map(({ ip, port }) => ({ address: ip, port, kind: 'x' })),
      ),
    ],
    [
      'product/',
      withBody((body: { geo?: { code: string }[] }) => ({
        ...body,
        ...(body.geo && { geo: body.geo.map(({ code }) => ({ iso: code, region: 'x' })) }),
      })),
    ],
  ]
  for (const [start, alter] of shapes)
    altered(
      recorded,
      ({ path, method }, { status, body }) =>
        method === 'GET' && path.startsWith(`/api/${start}`) && status === 200 && body.length > 2,
      alter,
    )
  const { violations, behaviour, assumptions } = await calibrateRecorded(recorded)
  expect({ violations, differences: behaviour.differences }).toEqual({ violations: [], differences: [] })
  const interpretations = Object.fromEntries(
    assumptions.map(({ id, interpretation }) => [id, interpretation]),
  )
  expect(interpretations).toMatchObject({ ipListJson: 'objects', geo: 'object', inactiveTtlBody: 'none' })
})
