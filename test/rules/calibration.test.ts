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

/** Makes the same calls three times, and alters the responses from the second time on. */
async function alterRounds(call: (recorded: Tape) => unknown, alter: Alter) {
  const recorded = tape()
  call(recorded)
  recorded.alter = alter
  call(recorded)
  call(recorded)
  return { ...(await calibrateRecorded(recorded)), count: recorded.exchanges.length }
}

describe('violations', () => {
  it.each<[string, (recorded: Tape) => unknown, Alter, RegExp]>([
    ['an extra field', get('service/800'), withFields({ colour: 'red' }), /colour is not in the contract/],
    [
      'a field named __proto__',
      get('service/800'),
      withText((text) => text.replace('{', '{"__proto__":1,')),
      /__proto__ is not in the contract/,
    ],
    ['a field less', get('service/800'), withFields({ billingcycle: undefined }), /billingcycle is missing/],
    ['a text for a number', get('service/800'), withFields({ price: 'free' }), /price must be number/],
    ['an amount below the bound', get('service/800'), withFields({ price: -1 }), /price must be at least 0/],
    ['an unknown status', get('service/800'), withFields({ billingcycle: 'Weekly' }), /cycle must be one of/],
    ['a null', get('service/800'), withFields({ nextduedate: null }), /nextduedate must be string/],
    [
      'a day without a rate',
      get('service/803', 'stats/803'),
      withBody((body) => (Array.isArray(body) ? [{ ...Object(body[0]), rate: null }] : body)),
      /rate must be number/,
    ],
  ])(
    '%s is reported with its exchanges, and counts neither as the same nor as a difference',
    async (_, call, alter, message) => {
      const { violations, behaviour, count } = await alterRounds(call, alter)
      const broken = [2, 3].map((round) => round * (count / 3))
      expect(violations).toMatchObject([{ exchanges: broken }])
      expect(violations[0]?.message).toMatch(message)
      expect(behaviour).toMatchObject({ same: broken[0] === 2 ? 0 : 2, differ: 0, undecidable: 2 })
    },
  )

  it('a valid part that differs is a difference, although another part violates the contract', async () => {
    const recorded = tape()
    get('services', 'service/800')(recorded)
    recorded.alter = withFields({ price: null, status: 'Suspended' })
    get('service/800', 'service/800')(recorded)
    const { behaviour, differingParts } = await calibrateRecorded(recorded)
    expect(behaviour).toMatchObject({ same: 0, differ: 1, undecidable: 1 })
    expect(differingParts).toMatchObject([[{ path: 'status', real: 'Suspended' }]])
  })

  it('a day without a rate that is read first is no difference', async () => {
    const recorded = tape()
    recorded.alter = withBody(() => [{ date: '2026-03-01', rate: null }])
    get('stats/803')(recorded)
    const { behaviour } = await calibrateRecorded(recorded)
    expect(behaviour).toMatchObject({ same: 0, differ: 0, fidelity: null })
  })

  it.each<[string, (recorded: Tape) => unknown, Alter, RegExp]>([
    [
      'HTML',
      get('products'),
      () => ({ status: 200, type: 'text/html', body: '<p>' }),
      /content type text.html/,
    ],
    ['half of a JSON', get('products'), withText((body) => body.slice(0, 20)), /not valid JSON/],
    ['nothing', get('products'), withText(() => ''), /JSON/],
    [
      'another text',
      update,
      withFields({ error: 'Too Many Attempts' }),
      /not one of the contract's texts for 429/,
    ],
    [
      'no time in a text',
      update,
      withFields({ error: 'Too Many Attempts (updateList). Next update possible: tomorrow' }),
      /not one of the contract's texts for 429/,
    ],
  ])('%s is reported with its exchanges, and not compared', async (_, call, alter, message) => {
    const { violations, behaviour } = await alterRounds(call, alter)
    expect(violations).toMatchObject([{ exchanges: [2, 3] }])
    expect(violations[0]?.message).toMatch(message)
    expect(behaviour).toMatchObject({
      firstObservation: 1,
      same: 0,
      differ: 0,
      undecidable: 2,
      fidelity: null,
    })
  })

  it.each([[null], [-5], ['much'], ['250'], [undefined], [true], [{ usd: 5 }], [[5]]])(
    'a response of which nothing can be compared is never the same, even if it repeats: credit %j',
    async (credit) => {
      const recorded = tape()
      recorded.alter = withFields({ credit })
      get('billing/credit', 'billing/credit', 'billing/credit')(recorded)
      const { violations, behaviour, scenario } = await calibrateRecorded(recorded)
      expect(violations).toMatchObject([{ exchanges: [1, 2, 3] }])
      expect(behaviour).toMatchObject({ same: 0, differ: 0, firstObservation: 0, undecidable: 3 })
      expect(behaviour.fidelity).toBeNull()
      const isRead = credit === '250'
      expect(scenario.accounts['recorded']?.credit).toBe(isRead ? 250 : undefined)
    },
  )

  it.each([[null], [-5], [4.5], ['x'], [undefined]])(
    'items of a list whose ids are %j are not compared',
    async (id) => {
      const recorded = tape()
      recorded.alter = withBody((all: object[]) => all.map((one) => ({ ...one, id })))
      get('clients', 'clients')(recorded)
      const { violations, behaviour } = await calibrateRecorded(recorded)
      expect(violations).toMatchObject([{ exchanges: [1, 2] }])
      expect(behaviour).toMatchObject({ same: 0, differ: 0, undecidable: 2 })
    },
  )

  it.each<[string, unknown]>([
    ['networkstatus/errors/800', [null]],
    ['networkstatus/errors/800', ['192.0.2.300']],
    ['services', [{ service_id: 0 }]],
    ['services', [null]],
    ['rate/803', [{ limit: null, rate: -1 }]],
  ])('%s %j is not compared', async (path, body) => {
    const recorded = tape()
    recorded.alter = withBody(() => body)
    get(path, path)(recorded)
    const { violations, behaviour } = await calibrateRecorded(recorded)
    expect(violations).not.toEqual([])
    expect(behaviour).toMatchObject({ same: 0, differ: 0 })
  })

  it.each<[string, string, object, RegExp]>([
    ['a date', 'service/800', { regdate: '2026-02-30' }, /regdate must match format/],
    ['a time', 'product/7', { update_time: '2026-02-30 10:00:00' }, /update_time must be a time that exists/],
    ['a time of zeros', 'product/7', { update_time: '0000-00-00 00:00:00' }, /a time that exists/],
    ['part of a count', 'product/7', { ip_count: 4.5 }, /ip_count must be a whole number, not 4.5/],
  ])('%s that does not exist is a violation', async (_, path, fields, message) => {
    const recorded = tape()
    recorded.alter = withFields(fields)
    get(path)(recorded)
    const { violations } = await calibrateRecorded(recorded)
    expect(violations).toMatchObject([{ message: expect.stringMatching(message) as string }])
  })

  it('a content type, a status or a text that is not in the contract is reported', async () => {
    const recorded = recordFullTour(new NaiveService())
    const changes: [string, Partial<NaiveResponse>][] = [
      ['/api/clients', { type: 'text/html' }],
      ['/api/product/4711', { status: 404 }],
      ['/api/service/987654', { body: '{"error":"Unprocessable Entity"}' }],
    ]
    for (const [to, change] of changes)
      altered(
        recorded,
        ({ path }, { status }) => path === to && status > 400,
        (answer) => ({ ...answer, ...change }),
      )
    const { violations } = await calibrateRecorded(recorded)
    expect(violations.map(({ operation, status, message }) => `${operation} ${status} ${message}`)).toEqual([
      'getProduct 404 status 404 is not defined for getProduct (200, 400, 401, 422)',
      "getService 422 the text is not one of the contract's texts for 422",
      'listClients 401 content type text/html is not defined for a 401 (text/plain)',
    ])
  })

  it.each<[string, Alter]>([
    ['times in ISO 8601', withText((text) => text.replace(/(-\d\d) (\d\d:\d\d:\d\d)/g, '$1T$2Z'))],
    ['errors as bare strings', withText((text) => text.replace(/^\{"error":(.*)\}$/, '$1'))],
  ])('%s that the contract does not have leaves no assumption open', async (_, alter) => {
    const { violations, assumptions } = await calibrateRecorded(
      altered(recordFullTour(new NaiveService()), () => true, alter),
    )
    expect(violations).not.toEqual([])
    expect(
      assumptions.filter(({ id, verdict }) => id in defaultInterpretations && verdict !== 'holds'),
    ).toEqual([])
  })

  const inAll =
    (change: (name: string, value: unknown) => unknown): Alter =>
    ({ body, ...answer }) => {
      if (answer.status !== 200 || !/^[[{]/.test(body)) return { ...answer, body }
      return { ...answer, body: JSON.stringify(JSON.parse(body), change) }
    }
  it.each<[string, Alter, string[], number?]>([
    [
      'flags as 0 and 1',
      inAll((_, one) => (typeof one === 'boolean' ? Number(one) : one)),
      ['product', 'group'],
    ],
    [
      'flags as text',
      inAll((_, one) => (typeof one === 'boolean' ? String(one) : one)),
      ['product', 'group'],
    ],
    ['a flag that is always 0', inAll((name, one) => (name === 'product_hidden' ? 0 : one)), ['product']],
    [
      'a flag that is missing',
      inAll((name, one) => (name === 'product_hidden' ? undefined : one)),
      ['product'],
    ],
    [
      'a status in small letters',
      inAll((name, one) => (name === 'status' ? String(one).toLowerCase() : one)),
      ['status'],
      3,
    ],
    [
      '201 for orders',
      (answer) => (answer.body.includes('orderId') ? { ...answer, status: 201 } : answer),
      ['status 201'],
    ],
    [
      'byte order marks',
      ({ body, ...answer }) => ({ ...answer, body: `\uFEFF${body}` }),
      ['byte order mark'],
    ],
  ])('%s are violations, and change nothing else', async (_, alter, parts, partlyCompared = 0) => {
    const { violations, assumptions, behaviour } = await calibrateRecorded(
      altered(recordFullTour(new NaiveService()), () => true, alter),
    )
    const isOpen = ({ id, verdict }: { id: string; verdict: string }) =>
      id in defaultInterpretations && verdict !== 'holds'
    expect(assumptions.filter(isOpen)).toEqual([])
    expect(behaviour).toMatchObject({ differ: 0, firstObservation: 32 })
    expect(behaviour).toMatchObject({ same: 34 - partlyCompared, undecidable: partlyCompared })
    expect(violations).not.toEqual([])
    expect(violations.filter(({ message }) => !parts.some((part) => message.includes(part)))).toEqual([])
  })

  /** The name of each field → whether its numbers are in quotes */
  it.each<[string, (name: string, value: number) => boolean]>([
    ['amounts', (name) => /price|amount|credit/.test(name)],
    ['ids', (name) => /id$/i.test(name)],
    ['all but ids', (name) => !/id$/i.test(name)],
    ['one credit', (name) => name === 'credit'],
    ['the ids of services', (name) => name === 'service_id'],
  ])('mixed notations are violations only: %s in quotes', async (_, isQuoted) => {
    const toText = (name: string, value: number): string =>
      /price|amount|credit/.test(name) ? value.toFixed(2) : String(value)
    const alter = inAll((name, value) =>
      typeof value === 'number' && name !== 'ttl' && isQuoted(name, value) ? toText(name, value) : value,
    )
    const { violations, assumptions, behaviour } = await calibrateRecorded(
      altered(recordFullTour(new NaiveService()), () => true, alter),
    )
    expect(violations).not.toEqual([])
    expect(violations.filter(({ message }) => !message.endsWith(' quotes, unlike other numbers'))).toEqual([])
    const keys = violations.map(({ operation, message }) => `${operation} ${message}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(behaviour.differences).toEqual([])
    const contradicted = assumptions.filter(({ verdict }) => verdict === 'contradicts').map(({ id }) => id)
    expect(contradicted).toEqual(['numbers'])
    const open = ({ id, verdict }: { id: string; verdict: string }) =>
      id in defaultInterpretations && verdict !== 'holds'
    expect(assumptions.filter(open)).toEqual([])
  })

  it.each<[string, (body: unknown) => unknown]>([
    ['in an object', (data) => ({ data })],
    ['in an object with a status', (data) => ({ status: 'ok', data })],
    ['one by one', (body) => (Array.isArray(body) ? body : [body]).map((data) => ({ data }))],
    [
      'with its items in objects',
      (body) => (Array.isArray(body) ? body.map((data) => ({ data })) : { data: body }),
    ],
    ['replaced by an empty object', () => ({})],
  ])('a body %s confirms no assumption about it, and is not compared', async (_, wrap) => {
    const recorded = tape()
    recorded.alter = (answer) =>
      answer.status === 200 && answer.body !== '' ? withBody(wrap)(answer) : answer
    get('service/800', 'service/806', 'product/7', 'billing/credit', 'services')(recorded)
    recorded.call('PUT', '/api/service/800', { body: { setip: '203.0.113.9' } })
    get('service/800', 'billing/credit')(recorded)
    const { violations, assumptions, behaviour } = await calibrateRecorded(recorded)
    expect(new Set(violations.flatMap(({ exchanges }) => exchanges)).size).toBeGreaterThanOrEqual(7)
    expect(assumptions.filter(({ verdict }) => ['holds', 'other'].includes(verdict))).toEqual([])
    const isValid = JSON.stringify(wrap([])) === '{}' // an update without requested changes has no fields
    expect(behaviour.differences.map(({ exchange }) => exchange)).toEqual(isValid ? [6] : [])
  })

  const foreignBodies = ['null', '{}', '""', 'false', '0', '{"data":[]}', '{"error":"x"}', '[[]]', '[null]']
  const unreadableBodies = ['', ' ', 'OK']
  it.each([...foreignBodies, ...unreadableBodies])(
    '%j in place of an empty list confirms no assumption',
    async (body) => {
      const recorded = tape()
      get('services', 'billing/invoices', 'service/800', 'service/806')(recorded)
      recorded.alter = ({ type }) => ({ status: 200, type, body })
      get('service/9999', 'billing/invoice/9999', 'stats/800', 'products/orderby/odd')(recorded)
      recorded.alter = () => ({ status: 200, type: 'text/plain', body })
      if (!body.startsWith('[') && body !== '') get('sticky/changettl/806/10')(recorded)
      const { assumptions } = await calibrateRecorded(recorded)
      const isConfirmed = ({ verdict }: { verdict: string }) => ['holds', 'other'].includes(verdict)
      const confirmed = assumptions.filter(isConfirmed).map(({ id }) => id)
      expect(confirmed).toEqual(['emptyBind', 'numbers']) // by the reads before
      const unknown = assumptions.find(({ id }) => id === 'unknownService')
      expect(unknown?.verdict).toBe(unreadableBodies.includes(body) ? 'undecided' : 'contradicts')
    },
  )

  it.each([408, 425, 429, 500, 503])(
    'a %d that any request may get confirms no assumption',
    async (status) => {
      const recorded = tape()
      get('clients', 'services', 'billing/invoices', 'billing/credit', 'product/7', 'service/800')(recorded)
      recorded.alter = () => ({ status, type: 'application/json', body: '{"error":"Too Many Requests"}' })
      get('service/9999', 'billing/invoice/9999', 'stats/800', 'products/orderby/odd')(recorded)
      get('sticky/changettl/800/10')(recorded)
      recorded.call('PUT', '/api/service/800', { body: { setip: '203.0.113.8' } })
      recorded.call('POST', '/api/product/7', { body: { clientid: '31' } })
      const { assumptions } = await calibrateRecorded(recorded)
      const decided = assumptions.filter(({ verdict }) => verdict !== 'undecided').map(({ id }) => id)
      expect(decided).toEqual(['geo', 'numbers']) // by the reads before
    },
  )

  it('a refusal that no interpretation has does not confirm the only one that may have had another', async () => {
    const recorded = tape()
    get('clients', 'products', 'billing/credit')(recorded) // not the type of the product
    recorded.alter = () => ({ status: 409, type: 'application/json', body: '{"error":"Conflict"}' })
    recorded.call('POST', '/api/product/7', { body: { clientid: '31' } })
    const { assumptions } = await calibrateRecorded(recorded)
    expect(assumptions.find(({ id }) => id === 'looseNumbers')?.verdict).toBe('undecided')
  })

  const foreignItems = ['x', null, 5, true, [], {}, [null]]
  /** Reads a list, then with each foreign item after, before and instead of its items, then as before. */
  const readForeign = async (path: string, items: readonly unknown[]) => {
    const recorded = tape()
    recorded.service.invoices.push(...invoices)
    get('service/800', 'service/803', path)(recorded)
    const alterations = items.flatMap((item) => [
      (list: unknown[]) => [...list, item],
      (list: unknown[]) => [item, ...list],
      () => [item],
    ])
    for (const alter of alterations) {
      recorded.alter = withBody((body: unknown[] | { geo: unknown[] }) =>
        Array.isArray(body) ? alter(body) : { ...body, geo: alter(body.geo) },
      )
      get(path)(recorded)
    }
    recorded.alter = (answer) => answer
    get('service/800', 'service/803', path)(recorded)
    const { violations, behaviour } = await calibrateRecorded(recorded)
    const broken = new Set(violations.flatMap(({ exchanges }) => exchanges))
    return { behaviour, broken: [...broken].toSorted((a, b) => a - b), count: alterations.length }
  }
  const lists = ['clients', 'products', 'products/orderby/price', 'services', 'billing/invoices']
  const ofServices = ['networkstatus/errors/800', 'networkstatus/inactive/800', 'stats/803', 'rate/803']
  it.each<[string, unknown[]?]>([
    ...[...lists, 'billing/invoice/3299', ...ofServices].map((path): [string] => [path]),
    ['sticky/list/803', [null, true, [], [null]]], // sessions have an undocumented shape, maybe that of a text
  ])('foreign items in %s are violations only', async (path, items = foreignItems) => {
    const { broken, behaviour, count } = await readForeign(path, items)
    expect(broken).toEqual(Array.from({ length: count }, (_, i) => 4 + i))
    expect(behaviour).toMatchObject({ differ: 0, same: 3, undecidable: count })
  })

  it.each([
    ['iplist/http-ip/json/800'],
    ['iplist/http-auth/json/800'],
    ['iplist/ppr-http/json/803'],
    ['product/7'],
  ])('foreign items in a list of undocumented items are no violations: %s', async (path) => {
    const { broken, behaviour, count } = await readForeign(path, foreignItems)
    expect(broken).toEqual([])
    expect(behaviour).toMatchObject({ undecidable: 0, firstObservation: 3 })
    expect(behaviour.same + behaviour.differ).toBe(count + 3)
  })

  it.each([[1e300], [-5], [null]])('a session with a TTL of %j minutes is read', async (ttl) => {
    const recorded = tape()
    recorded.alter = (answer, { path }) =>
      /list|rotate/.test(path)
        ? withText((text) => text.replaceAll(/"ttl":\d+/g, `"ttl":${ttl}`))(answer)
        : { status: 200, type: 'application/json', body: '{"success":"TTL changed successfully"}' }
    const [list, change] = ['sticky/list/803', `sticky/changettl/803/99999999999999`]
    get(list, 'sticky/rotate/803/ams1/s-a', list, change, list)(recorded)
    expect((await calibrateRecorded(recorded)).exchanges.judged).toBe(5)
  })

  it.each<[string, object, string]>([
    [
      'billing/invoices',
      { status: 'Unpaid', date_paid: false },
      '[].date_paid must be one of: null, "", 0000-00-00',
    ],
    ['billing/invoices', { amount: '20' }, '[].amount must be number, or a string that matches'],
  ])('a message shows all that is allowed: %s %j', async (path, fields, message) => {
    const recorded = tape()
    recorded.service.invoices.push(...invoices)
    recorded.alter = withBody((all: object[]) => all.map((one) => ({ ...one, ...fields })))
    get(path)(recorded)
    const { violations } = await calibrateRecorded(recorded)
    expect(violations.map((one) => one.message).filter((one) => one.startsWith(message))).not.toEqual([])
  })

  it('a missing content type is a violation, once, and the body is read by what it is', async () => {
    const all = ['json', 'csv', 'txt'].map((format) => `iplist/http-ip/${format}/800`)
    const recorded = tape()
    recorded.alter = (answer) => ({ ...answer, type: undefined })
    get('service/800', ...all, ...all)(recorded)
    const { violations, assumptions, behaviour } = await calibrateRecorded(recorded)
    const message = (types: string) => `content type (none) is not defined for a 200 (${types})`
    expect(violations).toMatchObject([
      { message: message('application/json'), exchanges: [1] },
      { operation: 'getIpList', exchanges: [2, 3, 4, 5, 6, 7] },
    ])
    expect(behaviour.differences).toEqual([])
    const verdicts = Object.fromEntries(assumptions.map(({ id, verdict }) => [id, verdict]))
    expect(verdicts).toMatchObject({ ipListJson: 'holds', ipListLayout: 'holds', ipListType: 'undecided' })
  })

  it('a content type that the recorder omits is no violation', async () => {
    const recorded = tape()
    get('service/800', 'iplist/http-ip/json/800')(recorded)
    const entries = recorded.exchanges
      .map(toHarEntry)
      .map((entry) => changeEntry(entry, { response: { headers: [], content: { mimeType: undefined } } }))
    const { violations, assumptions } = await calibrateRecorded(entries)
    expect(violations).toEqual([])
    expect(assumptions.find(({ id }) => id === 'ipListJson')).toMatchObject({ verdict: 'holds' })
  })

  it('a refused request that breaks the contract is no violation', async () => {
    const recorded = tape()
    recorded.call('POST', '/api/product/7', { raw: '{"clientid": "x"' })
    recorded.call('POST', '/api/product/7', { body: { clientid: 'x' } })
    recorded.get('/api/service/abc')
    const { violations, behaviour } = await calibrateRecorded(recorded)
    expect({ violations, differ: behaviour.differ }).toEqual({ violations: [], differ: 0 })
  })
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
    [
      'a hidden product that was ordered is known from its service, and not missed in the list',
      (recorded) => {
        order(recorded, 13)
        get('service/815', 'products', 'service/815')(recorded)
      },
      { same: 1, firstObservation: 3, undecidable: 0, differ: 0 },
    ],
    [
      'a session that was never listed may live on after a change of the TTL, but not be gone once it was seen',
      (recorded) => {
        get('sticky/changettl/803/3', 'sticky/rotate/803/ams1/s-a', 'sticky/list/803')(recorded)
        get('sticky/rotate/803/ams1/s-b')(recorded)
        recorded.alter = () => ({
          status: 422,
          type: 'application/json',
          body: '{"error":"Unprocessable Entity "}',
        })
        get('sticky/rotate/803/ams1/s-b')(recorded)
      },
      { same: 2, firstObservation: 2, undecidable: 0, differ: 1, differences: [{ exchange: 5 }] },
    ],
  ])('%s', async (_, record, expected) => {
    const recorded = tape()
    record(recorded)
    expect((await calibrateRecorded(recorded)).behaviour).toMatchObject(expected)
  })

  it('the initial credit is computed backwards', async () => {
    const recorded = tape()
    recorded.service.cents = 4000
    get('clients', 'products')(recorded)
    order(recorded)
    order(recorded, 9) // 42.00: refused
    get('billing/invoices', 'billing/credit')(recorded)
    const { behaviour, scenario } = await calibrateRecorded(recorded)
    expect(behaviour).toMatchObject({ differ: 0, undecidable: 1 })
    expect(scenario.accounts['recorded']?.credit).toBe(40)
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

  it.each<[string, unknown]>([
    ['service/50010000000001', { service_id: 50010000000001, orderid: 1, status: 'Active' }],
    ['stats/50010000000001', [{ date: '2026-03-01', rate: 5 }]],
    ['iplist/http-ip/json/50010000000001', ['192.0.2.7:8080']],
  ])('is not decided by a record that no interpretation has: %s', async (path, record) => {
    const recorded = tape()
    const { body } = recorded.get('/api/service/800')
    recorded.alter = () => ({
      status: 200,
      type: 'application/json',
      body: JSON.stringify(Array.isArray(record) ? record : { ...JSON.parse(body), ...Object(record) }),
    })
    get(path, path)(recorded)
    const { assumptions, violations } = await calibrateRecorded(recorded)
    expect(violations).toEqual([])
    expect(assumptions.find(({ id }) => id === 'unknownService')).toMatchObject({ verdict: 'undecided' })
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
      'a price that is raised',
      (recorded) => {
        get('products')(recorded)
        const [product] = recorded.service.products
        if (product) product.listed.price = 33
        get('products')(recorded)
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

  it.each([
    [5.75, 15, 'Asia/Kathmandu'], // six hours, if the session ended at once
    [12.75, 15, 'Pacific/Chatham'],
    [-1, 60, 'Etc/GMT+1'],
  ])('about the zone UTC%d is decided by new sessions of %i minutes', async (hours, ttl, zone) => {
    const recorded = new Tape(new NaiveService(), Date.parse('2026-06-04T05:06:07Z'))
    const sessions = (at: number) => [
      { server: 'us1', session: 'a', ip: '10.0.0.9', ttl, expires_at: local(at) },
    ]
    const local = (at: number) =>
      new Date(at + hours * 3_600_000 + ttl * 60_000 - 1000).toISOString().slice(0, 19).replace('T', ' ')
    recorded.alter = withBody(() => sessions(recorded.now))
    get('sticky/list/803')(recorded)
    expect(await found(recorded, 'timeZone')).toMatchObject({ interpretation: zone })
  })

  it.each([[['us']], [[1, 2]], [['US', null]], [[['US']]]])(
    'is contradicted by elements that no interpretation has: geo %j',
    async (geo) => {
      const recorded = tape()
      recorded.alter = withBody((body: object) => ({ ...body, ...('geo' in body && { geo }) }))
      get('products', 'product/7')(recorded)
      expect(await found(recorded, 'geo')).toMatchObject({ verdict: 'contradicts', evidence: [2] })
    },
  )

  const asText = (one: unknown, digits?: number): unknown =>
    typeof one === 'number' ? (digits === undefined ? String(one) : one.toFixed(digits)) : one
  it.each<[string, string, string, (body: never) => unknown]>([
    ['numbers', 'credit "250"', 'billing/credit', () => ({ credit: '250' })],
    ['numbers', 'credit "1.5"', 'billing/credit', () => ({ credit: '1.5' })],
    ['numbers', 'credit null', 'billing/credit', () => ({ credit: null })],
    ['numbers', 'id "0011"', 'clients', () => [{ id: '0011', email: 'a@shop.test' }]],
    ['numbers', 'service_id "0800"', 'service/800', (body: object) => ({ ...body, service_id: '0800' })],
    ['numbers', 'rate "5.00"', 'rate/803', () => [{ limit: '5.00', rate: '5.00' }]],
    ['numbers', 'rate "5.10"', 'stats/803', () => [{ date: '2026-03-01', rate: '5.10' }]],
    ['numbers', 'ip_count "004"', 'product/7', (body: object) => ({ ...body, ip_count: '004' })],
    ['numbers', 'id and number', 'clients', ([one, two]: never[]) => [one, { ...Object(two), id: '32' }]],
    ['geo', '"US"', 'product/7', (body: object) => ({ ...body, geo: 'US' })],
    ['geo', 'null', 'product/7', (body: object) => ({ ...body, geo: null })],
    ['geo', 'an object', 'product/7', (body: object) => ({ ...body, geo: { US: 1 } })],
    ['emptyBind', 'null', 'service/800', (body: object) => ({ ...body, bindedip: null })],
    ['ipListJson', 'null', 'iplist/http-ip/json/800', () => null],
    ['ipListJson', 'a text', 'iplist/http-ip/json/800', () => '192.0.2.1:80'],
  ])(
    '%s is contradicted by what the contract allows in no interpretation: %s',
    async (id, _, path, alter) => {
      const recorded = tape()
      get('service/803', 'iplist/http-auth/csv/800')(recorded)
      recorded.alter = withBody(alter)
      get(path, path)(recorded)
      const evidence = expect.arrayContaining([3, 4]) as number[]
      expect(await found(recorded, id)).toMatchObject({ verdict: 'contradicts', evidence })
    },
  )

  it.each([['0000-00-00 00:00:00'], [0], [false], ['never'], [{}]])(
    'unsetDates is contradicted by the date %j of an unpaid invoice',
    async (date_paid) => {
      const recorded = tape()
      recorded.alter = withBody((all: object[]) =>
        all.map((one) => ({ ...one, status: 'Unpaid', date_paid })),
      )
      recorded.service.invoices.push(...invoices)
      get('billing/invoices')(recorded)
      expect(await found(recorded, 'unsetDates')).toMatchObject({ verdict: 'contradicts', evidence: [1] })
    },
  )

  it('updateResult is contradicted by keys with null', async () => {
    const recorded = tape()
    recorded.alter = withFields({ setip: null, password: null })
    get('service/800', 'networkstatus/errors/800')(recorded)
    recorded.alter = (answer, { method }) =>
      method === 'PUT' ? withFields({ setip: null, password: null })(answer) : answer
    update(recorded)
    expect(await found(recorded, 'updateResult')).toMatchObject({ verdict: 'contradicts', evidence: [3] })
  })

  it.each<[string, (body: never) => unknown, string]>([
    ['a price of null', (all: object[]) => all.map((one) => ({ ...one, price: null })), 'holds'],
    ['a negative price', (all: object[]) => all.map((one) => ({ ...one, price: -5 })), 'holds'],
    ['a missing price', (all: object[]) => all.map((one) => ({ ...one, price: undefined })), 'holds'],
    [
      'texts in all places',
      (all: object[]) =>
        all.map((one) =>
          Object.fromEntries(
            Object.entries(one).map(([name, value]) => [
              name,
              asText(value, name === 'price' ? 2 : undefined),
            ]),
          ),
        ),
      'other',
    ],
  ])('numbers is not contradicted by %s, as the others are written alike', async (_, alter, verdict) => {
    const recorded = tape()
    recorded.alter = withBody(alter)
    get('products')(recorded)
    expect(await found(recorded, 'numbers')).toMatchObject({ verdict })
  })

  it('is not proven by texts whose order depends on how they are compared', async () => {
    const recorded = tape()
    const [first, second] = recorded.service.products
    for (const [product, name] of [
      [first, 'apple'],
      [second, 'Banana'],
    ] as const)
      if (product) product.listed.productName = name
    recorded.service.products.length = 2
    get('products', 'products/orderby/productName')(recorded)
    expect(await found(recorded, 'productSort')).toMatchObject({ verdict: 'undecided' })
  })
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

it.each<[string, string, Alter, string[]]>([
  ['a credit of null', 'billing/credit', withFields({ credit: null }), ['credit']],
  ['an unknown status', 'service/800', withFields({ status: 'Live' }), ['services.800.status']],
  ['an unknown field', 'service/800', withFields({ colour: 'red' }), ['services.800.colour']],
  ['an unknown country', 'product/7', withFields({ geo: ['us'] }), ['products.7.geo']],
  ['a broken day', 'stats/803', withBody(() => [{ date: 'x', rate: 1 }]), ['services.803.usage.stats.*']],
  ['a broken address', 'networkstatus/errors/800', withBody(() => ['x']), ['services.800.errors']],
  ['records without an id', 'clients', withBody(() => [{ id: null, email: 'a@b.co' }]), ['clients.*']],
  ['a count of a ppr service', 'service/803', withFields({ ip_count: 3 }), ['services.803.ip_count']],
  ['a number in quotes', 'billing/credit', withFields({ credit: '250' }), []],
])('%s is named if the scenario leaves it out', async (_, path, alter, expected) => {
  const recorded = tape()
  recorded.alter = alter
  get(path, path)(recorded)
  const { behaviour, leftOut } = await calibrateRecorded(recorded)
  expect(leftOut).toEqual(expected)
  expect(behaviour.same).toBe(0)
})

it('a value that a later response shows correctly is not left out', async () => {
  const recorded = tape()
  recorded.alter = withFields({ credit: null })
  get('billing/credit')(recorded)
  recorded.alter = (answer) => answer
  get('billing/credit')(recorded)
  const { leftOut, scenario } = await calibrateRecorded(recorded)
  expect(leftOut).toEqual([])
  expect(scenario.accounts['recorded']?.credit).toBe(500)
})

it('a list that is shorter than ip_count, which no state contains, shows its layout, and is no difference', async () => {
  const recorded = tape()
  recorded.alter = ({ body, ...answer }, { path }) =>
    path.includes('iplist')
      ? { ...answer, body: body.split('\r\n', 1)[0] as string }
      : { ...answer, body: body.replaceAll('"Active"', '"Live"') }
  const list = 'iplist/http-ip/txt/800'
  get('services', 'service/800', 'service/800', list, list, 'service/800')(recorded)
  const { behaviour, assumptions, violations, leftOut } = await calibrateRecorded(recorded)
  expect(violations).toMatchObject([{ exchanges: [1] }, { exchanges: [2, 3, 6] }])
  expect(behaviour).toMatchObject({ differ: 0, firstObservation: 3, undecidable: 3 })
  expect(assumptions.find(({ id }) => id === 'ipListLayout')).toMatchObject({ verdict: 'holds' })
  expect(leftOut).toContain('services.800.ips')
})

it('a value that no state contains is a difference only where the record was known', async () => {
  const recorded = tape()
  recorded.alter = withFields({ geo: ['us'] })
  get('product/7', 'product/7')(recorded)
  const { behaviour, differingParts } = await calibrateRecorded(recorded)
  expect(behaviour).toMatchObject({ firstObservation: 1, differ: 1, differences: [{ exchange: 2 }] })
  expect(differingParts).toMatchObject([[{ path: 'geo[] values' }]])
})

it.each<[string, Alter]>([
  ['a text as service', withFields({ serviceId: 'x' })],
  ['no order', withFields({ orderId: null })],
  ['a negative invoice', withFields({ invoiceId: -3 })],
  ['an id of eleven digits', withFields({ serviceId: 50_010_000_001 })],
  ['half of a JSON', withText((body) => body.slice(0, 9))],
])('after an order that shows %s, all reads are first observations', async (_, alter) => {
  const recorded = tape()
  const reads = get('clients', 'products', 'billing/credit', 'services', 'billing/invoices')
  reads(recorded)
  recorded.alter = alter
  order(recorded)
  recorded.alter = (answer) => answer
  reads(recorded)
  const { behaviour, assumptions } = await calibrateRecorded(recorded)
  expect(behaviour).toMatchObject({ differ: 0, firstObservation: 10 })
  expect(assumptions.filter(({ verdict }) => verdict === 'contradicts')).toEqual([])
})

it('records whose ids have more than ten digits are skipped, or left out of the comparison', async () => {
  const recorded = tape()
  recorded.alter = withText((text) => text.replaceAll(/\b800\b/g, '80000000001'))
  get('services', 'services')(recorded)
  recorded.call('GET', '/api/service/800')
  for (const { request } of recorded.exchanges) request.path = request.path.replace('800', '80000000001')
  get('service/803', 'service/803')(recorded)
  const { exchanges, behaviour, leftOut } = await calibrateRecorded(recorded)
  const reason = 'a record whose id has more than ten digits'
  expect(exchanges.skipped).toEqual([{ exchange: 3, reason }])
  expect(behaviour).toMatchObject({ differ: 0, firstObservation: 2, same: 1, undecidable: 1 })
  expect(leftOut).toEqual(['services.80000000001'])
})

it('a response that differs only in its content type says so', async () => {
  const recorded = tape()
  const path = 'sticky/changettl/806/5'
  recorded.alter = (answer, request) =>
    request.path.endsWith(path) ? { status: 200, type: 'text/plain', body: '[]' } : answer
  get('service/806', path)(recorded)
  const { behaviour } = await calibrateRecorded(recorded)
  const reason = 'the content type is application/json, not text/plain'
  expect(behaviour.differences).toMatchObject([{ real: { body: [] }, ours: { body: [], reason } }])
})

it('an undocumented response may have any shape, without a violation or difference', async () => {
  const recorded = recordFullTour(new NaiveService({ ipListJson: 'objects', geo: 'object' }))
  const shapes: [string, Alter][] = [
    [
      'sticky/list',
      withBody((body: { session: string }[]) => body.map(({ session }) => ({ name: session }))),
    ],
    ['sticky/rotate', () => ({ status: 200, type: 'text/plain', body: 'OK' })],
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
