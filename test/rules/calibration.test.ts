import { describe, expect, it } from 'vitest'
import { calibrated } from '../support/calibration/calibrated.ts'
import {
  NaiveService,
  usualReadings,
  type NaiveAnswer,
  type NaiveRequest,
} from '../support/calibration/NaiveService.ts'
import { Tape } from '../support/calibration/Tape.ts'
import { fullTour } from '../support/calibration/tours.ts'

function tape(service = new NaiveService()): Tape {
  return new Tape(service)
}

/** Alters the responses of a recording that match. */
function altered(
  recorded: Tape,
  matches: (request: NaiveRequest, answer: NaiveAnswer) => boolean,
  alter: (answer: NaiveAnswer) => NaiveAnswer,
): Tape {
  for (const one of recorded.taped) if (matches(one.request, one.answer)) one.answer = alter(one.answer)
  return recorded
}

const withBody = (alter: (body: never) => unknown) => (answer: NaiveAnswer) => ({
  ...answer,
  body: JSON.stringify(alter(JSON.parse(answer.body) as never)),
})

const withText = (alter: (body: string) => string) => (answer: NaiveAnswer) => ({
  ...answer,
  body: alter(answer.body),
})

describe('drift', () => {
  it.each([
    [
      'an extra field',
      withBody((body: object) => ({ ...body, colour: 'red' })),
      /colour is not in the contract/,
    ],
    [
      'a field less',
      withBody((body: object) => ({ ...body, billingcycle: undefined })),
      /billingcycle is missing/,
    ],
    [
      'a number in quotes',
      withBody((body: { price: number }) => ({ ...body, price: body.price.toFixed(2) })),
      /price must be number/,
    ],
    [
      'an unknown status',
      withBody((body: object) => ({ ...body, billingcycle: 'Weekly' })),
      /billingcycle must be one of/,
    ],
    ['a null', withBody((body: object) => ({ ...body, nextduedate: null })), /nextduedate must be string/],
  ])('%s is reported with its exchanges, but not as a difference', async (_, alter, message) => {
    const recorded = tape()
    recorded.get('/api/service/800')
    recorded.alter = alter
    recorded.get('/api/service/800')
    recorded.get('/api/service/803')
    const { drift, behaviour } = await calibrated(recorded)
    expect(drift).toMatchObject([{ operation: 'getService', status: 200, exchanges: [2, 3] }])
    expect(drift[0]?.message).toMatch(message)
    expect(behaviour).toMatchObject({ same: 1, firstSight: 2, differ: 0 })
  })

  it.each<[string, Partial<NaiveAnswer>]>([
    ['HTML', { type: 'text/html', body: '<html></html>' }],
    ['half of a JSON', { body: '[{"productId":1,"produ' }],
    ['nothing', { body: '' }],
  ])('%s in place of a list is reported, but not as a difference', async (_, alter) => {
    const recorded = tape()
    recorded.get('/api/products')
    recorded.alter = (answer) => ({ ...answer, ...alter })
    recorded.get('/api/products')
    const { behaviour, drift } = await calibrated(recorded)
    expect(drift).toMatchObject([{ operation: 'listProducts', exchanges: [2] }])
    expect(behaviour).toMatchObject({ firstSight: 1, differ: 0 })
  })

  it.each(['Too Many Attempts', 'Too Many Attempts (updateList). Next update possible: tomorrow'])(
    'another text of a 429 (%s) is reported, but not as a difference',
    async (error) => {
      const recorded = tape()
      recorded.call('PUT', '/api/service/800', { body: { update_list: 'true' } })
      recorded.alter = withBody(() => ({ error }))
      recorded.call('PUT', '/api/service/800', { body: { update_list: 'true' } })
      const { behaviour, drift } = await calibrated(recorded)
      expect(drift).toMatchObject([
        { status: 429, message: 'the text is not among those of a 429', exchanges: [2] },
      ])
      expect(behaviour).toMatchObject({ same: 1, firstSight: 1, differ: 0 })
    },
  )

  it('a content type, a status or a text that is not in the contract is reported', async () => {
    const recorded = fullTour(new NaiveService())
    altered(
      recorded,
      ({ path }) => path === '/api/clients',
      (answer) => (answer.status === 401 ? { ...answer, type: 'text/html' } : answer),
    )
    altered(
      recorded,
      ({ path }) => path === '/api/product/4711',
      (answer) => ({ ...answer, status: 404 }),
    )
    altered(
      recorded,
      ({ path }) => path === '/api/service/987654',
      () => ({ status: 422, type: 'application/json', body: '{"error":"Unprocessable Entity"}' }),
    )
    const { drift } = await calibrated(recorded)
    expect(drift.map(({ operation, status, message }) => `${operation} ${status} ${message}`)).toEqual([
      'getProduct 404 status 404 is not among those of getProduct (200, 400, 401, 422)',
      'getService 422 the text is not among those of a 422',
      'listClients 401 content type text/html is not among those of a 401 (text/plain)',
    ])
  })

  it.each<[string, (answer: NaiveAnswer) => NaiveAnswer]>([
    ['times in ISO 8601', withText((text) => text.replace(/(-\d\d) (\d\d:\d\d:\d\d)/g, '$1T$2Z'))],
    ['errors as bare strings', withText((text) => text.replace(/^\{"error":(.*)\}$/, '$1'))],
  ])('%s that the contract does not have leaves no assumption open', async (_, alter) => {
    const found = await calibrated(altered(fullTour(new NaiveService()), () => true, alter))
    expect(found.drift).not.toEqual([])
    const known = found.assumptions.filter(({ id }) => id in usualReadings)
    expect(known.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
  })

  it('a refused request that breaks the contract is not drift', async () => {
    const recorded = tape()
    recorded.call('POST', '/api/product/7', { raw: '{"clientid": "x"' })
    recorded.call('POST', '/api/product/7', { body: { clientid: 'x' } })
    recorded.get('/api/service/abc')
    const found = await calibrated(recorded)
    expect(found.drift).toEqual([])
    expect(found.behaviour.differences).toEqual([])
  })
})

describe('behaviour', () => {
  it('another price is a difference, with the part that differs', async () => {
    const recorded = tape()
    recorded.get('/api/products')
    recorded.get('/api/clients')
    recorded.alter = (answer, { method }) =>
      method === 'POST'
        ? withBody((body: { amount: number }) => ({ ...body, amount: body.amount + 1 }))(answer)
        : answer
    recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
    const { behaviour } = await calibrated(recorded)
    expect(behaviour.differences).toMatchObject([
      { exchange: 3, operation: 'orderService', parts: [{ path: 'amount', real: 16, ours: 15 }] },
    ])
  })

  it('an order that takes no credit is a difference, once', async () => {
    const service = new NaiveService()
    const recorded = new Tape(service)
    recorded.get('/api/clients')
    recorded.get('/api/products')
    recorded.get('/api/billing/credit')
    recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
    recorded.get('/api/billing/invoices')
    service.cents += 500
    recorded.get('/api/billing/credit')
    recorded.get('/api/billing/credit')
    const { behaviour } = await calibrated(recorded)
    expect(behaviour.differences.map(({ exchange, parts }) => [exchange, parts])).toEqual([
      [6, [{ path: 'credit', real: 490, ours: 485 }]],
    ])
  })

  it.each<[string, Partial<NaiveService['services'][number]>, string, string]>([
    ['user name', { user: 'other' }, '/api/service/800', 'username'],
    ['password', { pass: 'other' }, '/api/service/800', 'password'],
    ['due date', { due: '2031-02-03' }, '/api/service/800', 'nextduedate'],
    ['order', { order: 4242 }, '/api/service/800', 'orderid'],
    ['address', { ips: ['10.9.9.9'] }, '/api/iplist/http-ip/txt/800', 'text'],
    ['password', { pass: 'other' }, '/api/iplist/http-auth/json/800', '[] values'],
  ])('another %s is a difference, once, as nothing changed it', async (_, change, path, part) => {
    const recorded = tape()
    recorded.get(path)
    Object.assign(recorded.service.services[0] as object, change)
    recorded.get(path)
    recorded.get(path)
    const { behaviour, assumptions } = await calibrated(recorded)
    expect(behaviour).toMatchObject({ firstSight: 1, same: 1, differ: 1, undecidable: 0 })
    expect(behaviour.differences).toMatchObject([{ exchange: 2, parts: [{ path: part }] }])
    expect(assumptions.filter(({ verdict }) => verdict === 'contradicts')).toEqual([])
  })

  it('another case is a difference, with our case and reason', async () => {
    const recorded = tape()
    recorded.get('/api/services')
    recorded.get('/api/service/803')
    recorded.alter = () => ({
      status: 422,
      type: 'application/json',
      body: '{"error":"Unprocessable Entity. Invalid IPv4 format"}',
    })
    recorded.call('PUT', '/api/service/803', { body: { password: 'bmV3' } })
    const { behaviour } = await calibrated(recorded)
    expect(behaviour.differences).toMatchObject([
      {
        exchange: 3,
        real: { status: 422 },
        ours: { status: 200 },
        parts: [{ path: 'status', real: 422, ours: 200 }],
      },
    ])
  })

  it('what depends on unseen state is undecidable, and does not count as a difference', async () => {
    const recorded = tape()
    recorded.service.cents = 1
    recorded.get('/api/clients')
    recorded.get('/api/products')
    recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
    recorded.call('PUT', '/api/service/806', { body: { setip: '192.0.2.1' } })
    const { behaviour } = await calibrated(recorded)
    expect(behaviour).toMatchObject({ differ: 0, undecidable: 2 })
  })

  it.each([
    ['never', 'undecidable', []],
    ['before', 'differ', ['billing/credit']],
  ])(
    'an order refused for want of funds after an accepted one, with the credit shown %s, is %s',
    async (_, verdict, reads) => {
      const recorded = tape()
      for (const path of ['clients', 'products', ...reads]) recorded.get(`/api/${path}`)
      recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
      recorded.service.cents = 1
      recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
      const { behaviour } = await calibrated(recorded)
      expect(behaviour).toMatchObject({ differ: 0, undecidable: 0, [verdict]: 1 })
    },
  )

  it('a session that was never listed may live on after a change of the TTL', async () => {
    const recorded = tape()
    recorded.get('/api/sticky/changettl/803/3')
    recorded.get('/api/sticky/rotate/803/ams1/s-a')
    recorded.get('/api/sticky/list/803')
    recorded.get('/api/sticky/rotate/803/ams1/s-b')
    recorded.alter = () => ({
      status: 422,
      type: 'application/json',
      body: '{"error":"Unprocessable Entity "}',
    })
    recorded.get('/api/sticky/rotate/803/ams1/s-b') // now it is known to live
    const { behaviour } = await calibrated(recorded)
    expect(behaviour).toMatchObject({
      same: 1,
      firstSight: 3,
      undecidable: 0,
      differ: 1,
      differences: [{ exchange: 5 }],
    })
  })

  it('the initial credit is computed backwards', async () => {
    const recorded = tape()
    recorded.service.cents = 4000
    recorded.get('/api/clients')
    recorded.get('/api/products')
    recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
    recorded.call('POST', '/api/product/9', { body: { clientid: 31 } }) // 42.00: refused
    recorded.get('/api/billing/invoices')
    recorded.get('/api/billing/credit')
    const { calibration, scenario } = await calibrated(recorded)
    expect(calibration.behaviour).toMatchObject({ differ: 0, undecidable: 1 })
    expect(scenario.accounts['recorded']?.credit).toBe(40)
  })

  it('the order of a list only matters if the request asked for one', async () => {
    const isList = ({ path }: NaiveRequest): boolean =>
      ['/api/services', '/api/products', '/api/billing/invoices'].includes(path)
    const { behaviour } = await calibrated(
      altered(
        fullTour(new NaiveService()),
        isList,
        withBody((body: unknown[]) => body.toReversed()),
      ),
    )
    expect(behaviour.differences).toEqual([])
  })
})

describe('an assumption', () => {
  it('that two exchanges contradict names both', async () => {
    const recorded = tape()
    recorded.get('/api/products')
    recorded.get('/api/products/orderby/price')
    ;(recorded.service.readings as { productSort: string }).productSort = 'desc'
    recorded.get('/api/products/orderby/price')
    const { assumptions } = await calibrated(recorded)
    expect(assumptions.find(({ id }) => id === 'productSort')).toEqual({
      id: 'productSort',
      verdict: 'contradicts',
      reading: null,
      default: 'asc',
      evidence: [2, 3],
      needs: [],
    })
  })

  it('without evidence is undecided, and names the calls that would settle it, with their effect', async () => {
    const recorded = tape()
    recorded.get('/api/clients')
    const { assumptions } = await calibrated(recorded)
    expect(assumptions.map(({ verdict, reading, evidence }) => [verdict, reading, evidence])).toEqual(
      assumptions.map(() => ['undecided', null, []]),
    )
    const effects = Object.fromEntries(assumptions.map(({ id, needs }) => [id, needs[0]?.effect]))
    expect(effects).toMatchObject({
      productSort: 'reads',
      unknownSortField: 'reads',
      unknownInvoice: 'reads',
      unknownService: 'reads',
      ipListJson: 'reads',
      geo: 'reads',
      updateResult: 'changes state',
      updateListInterval: 'changes state',
      inactiveTtlBody: 'changes state',
      stickyAuth: 'changes state',
      orderedService: 'costs money',
      orderedInvoice: 'costs money',
    })
  })

  it('of which only the default is refuted names the remaining readings', async () => {
    const recorded = tape(new NaiveService({ orderedInvoice: 'Pending' }))
    recorded.get('/api/clients')
    recorded.get('/api/products')
    recorded.get('/api/billing/credit')
    recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
    recorded.get('/api/billing/credit')
    const { assumptions } = await calibrated(recorded)
    expect(assumptions.find(({ id }) => id === 'orderedInvoice')).toMatchObject({
      verdict: 'undecided',
      reading: null,
      evidence: [5],
      possible: ['Unpaid', 'Payment Pending', 'Pending'],
    })
  })

  it.each([60, 777, 3600])('an interval of %i seconds is worked out', async (updateListInterval) => {
    const recorded = tape(new NaiveService({ updateListInterval }))
    recorded.call('PUT', '/api/service/800', { body: { update_list: 'true' } })
    recorded.call('PUT', '/api/service/800', { body: { update_list: 'true' }, after: 20_600 })
    const { assumptions, behaviour } = await calibrated(recorded)
    expect(assumptions.find(({ id }) => id === 'updateListInterval')).toMatchObject({
      verdict: updateListInterval === 3600 ? 'holds' : 'other',
      reading: updateListInterval,
      evidence: [1, 2],
    })
    expect(behaviour.differ).toBe(0)
  })
})

it.each<[string, number | null, string[]]>([
  ['no limit', null, ['rate/803']],
  ['no limit, whose type is known', null, ['service/803', 'rate/803']],
  ['a rate that is not the sum of its days', 5000, ['stats/803', 'rate/803']],
])('a service with %s responds alike, and so does the scenario', async (_, limit, paths) => {
  const recorded = tape()
  recorded.alter = (answer, { path }) =>
    path !== '/api/rate/803'
      ? answer
      : { ...answer, body: JSON.stringify(limit === null ? [] : [{ limit, rate: 7 }]) }
  for (const path of [...paths, ...paths]) recorded.get(`/api/${path}`)
  const { behaviour, drift, assumptions, scenario } = await calibrated(recorded)
  expect(drift).toEqual([])
  expect(behaviour).toMatchObject({ differ: 0, undecidable: 0, firstSight: paths.length, same: paths.length })
  expect(assumptions.find(({ id }) => id === 'usageOfFpr')).not.toMatchObject({ verdict: 'other' })
  const usage = limit === null ? { limit: null } : { limit, rate: 7 }
  expect(scenario.accounts['recorded']?.services?.['803']).toMatchObject({ usage })
})

describe('an undocumented response', () => {
  it('may have any shape, which is neither drift nor a difference', async () => {
    const recorded = fullTour(new NaiveService({ ipListJson: 'objects', geo: 'object' }))
    const isOf =
      (start: string) =>
      ({ path }: NaiveRequest, { status, body }: NaiveAnswer): boolean =>
        path.startsWith(start) && status === 200 && body.length > 2
    altered(
      recorded,
      isOf('/api/sticky/list'),
      withBody((body: { session: string }[]) => body.map(({ session }) => ({ name: session }))),
    )
    altered(recorded, isOf('/api/sticky/rotate'), () => ({ status: 200, type: 'text/plain', body: 'OK' }))
    altered(
      recorded,
      isOf('/api/sticky/changettl'),
      withBody(() => ({ result: 1 })),
    )
    altered(
      recorded,
      isOf('/api/sticky/resetall'),
      withBody(() => ({ success: true })),
    )
    altered(
      recorded,
      isOf('/api/iplist/http-ip/json'),
      withBody((body: { ip: string; port: number }[]) =>
        body.map(({ ip, port }) => ({ address: ip, port, kind: 'x' })),
      ),
    )
    altered(
      recorded,
      isOf('/api/product/'),
      withBody((body: { geo?: { code: string }[] }) => ({
        ...body,
        ...(body.geo && { geo: body.geo.map(({ code }) => ({ iso: code, region: 'x' })) }),
      })),
    )
    const found = await calibrated(recorded)
    expect(found.drift).toEqual([])
    expect(found.behaviour.differences).toEqual([])
    const readings = Object.fromEntries(found.assumptions.map(({ id, reading }) => [id, reading]))
    expect(readings).toMatchObject({ ipListJson: 'objects', geo: 'object', inactiveTtlBody: 'none' })
  })
})
