import { expect, it } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { calibrateRecorded, type Entry } from '../support/calibration/calibrateRecorded.ts'
import { start } from '../support/start.ts'

const { assumptions } = await loadContract()

const reads = [
  'clients',
  'products',
  'services',
  'billing/credit',
  'billing/invoices',
  'products/orderby/price',
]

/** Records our own simulator under an interpretation: reads the state first, then changes it. @param now the time of the recording */
async function recorded(interpretation: Record<string, string | number>, now: string): Promise<Entry[]> {
  const { updateListInterval, ...others } = interpretation
  const sim = await start()
  await sim.call('PUT', '/__admin/clock', { body: { now } })
  const limits = updateListInterval === undefined ? {} : { limits: { updateListInterval } }
  const sticky = { sessions: [{ server: 'us1', session: 'abc' }] } // its end shows the time zone
  const body = { assumptions: others, ...limits, credit: 500, services: { 5101: { sticky } } }
  await sim.call('PATCH', '/__admin/accounts/reseller', { body })
  const { json: world } = await sim.call('GET', '/__admin/accounts/reseller')
  await sim.call('DELETE', '/__admin/requests')
  const { services, products } = world as Record<string, Record<string, { status?: string }>>
  const get = (...paths: string[]) =>
    Promise.all(paths.map((path) => sim.call('GET', `/api/${path}`))).then((all) => all.at(-1)?.json)
  // Recordings have whole milliseconds: two changes in one of them could have been under way at the same time.
  const change = async (method: string, path: string, sent: object) => {
    await sim.call('POST', '/__admin/clock/advance', { body: { by: 'PT1S' } })
    await sim.call(method, path, { body: sent })
  }
  await get(...reads)
  for (const id of Object.keys(products ?? {})) await get(`product/${id}`)
  for (const id of Object.keys(services ?? {})) await get(`service/${id}`)
  for (const of of ['networkstatus/errors', 'stats', 'rate', 'sticky/list', 'iplist/http-ip/json'])
    await get(`${of}/5001`, `${of}/5101`)
  await get('service/999', 'billing/invoice/999', 'products/orderby/odd', 'sticky/changettl/5001/5')
  for (const update of [
    { update_list: 'true' },
    { update_list: 'true' },
    { setip: '203.0.113.9' },
    { setip: '203.0.113.9' },
  ])
    await change('PUT', '/api/service/5001', update)
  for (const clientid of [11, '11']) await change('POST', '/api/product/101', { clientid })
  await get(...reads)
  const { json } = await sim.call('GET', '/__admin/requests.har')
  return (json as { log: { entries: Entry[] } }).log.entries
}

/** Assumptions that the calls above can distinguish */
const told = [
  'productSort',
  'unknownSortField',
  'updateResult',
  'inactiveTtlBody',
  'orderedService',
  'orderedInvoice',
]
  .concat(['unknownInvoice', 'unknownService', 'geo', 'rebindOwn', 'usageOfFpr', 'ipListLayout', 'numbers'])
  .concat(['looseNumbers', 'unsetDates', 'ipListType', 'timeZone', 'updateListInterval'])

/** Interpretations that are recorded together: each run has another alternative of every fourth assumption. */
const runs = [0, 1, 2, 3].map((run) =>
  Object.fromEntries(
    assumptions.flatMap(({ id, alternatives }, i) =>
      alternatives.flatMap((value, at) => ((i + at) % 4 === run ? [[id, value]] : [])),
    ),
  ),
)

it.each(runs)('our own simulator with %j is never misjudged', async (interpretations) => {
  const found = await calibrateRecorded(await recorded(interpretations, '2026-01-15T12:30:00Z'))
  expect(found.violations).toEqual([])
  expect(found.behaviour.differences).toEqual([])
  const expected = found.assumptions.map(({ id }) => {
    const value = interpretations[id]
    if (value !== undefined) return { id, verdict: 'other', interpretation: value }
    return { id, verdict: 'holds' }
  })
  const isOpen = (id: string) => found.assumptions.find((one) => one.id === id)?.verdict === 'undecided'
  expect(found.assumptions).toMatchObject(
    expected.map((one) => (isOpen(one.id) && !told.includes(one.id) ? { id: one.id } : one)),
  )
})

it('an assumption that another one hides needs no call', async () => {
  const entries = await recorded({ ipListJson: 'objects', ipListLayout: 'addresses' }, '2026-01-15T12:30:00Z')
  const needs = [{ reason: "can't be told apart while ipListLayout is addresses" }]
  const isText = ({ request }: Entry) => !request.url.includes('/iplist/') || request.url.endsWith('/5001')
  for (const some of [entries, entries.filter(isText)]) {
    const found = await calibrateRecorded(some)
    expect(found.assumptions.find(({ id }) => id === 'ipListJson')).toMatchObject({
      verdict: 'undecided',
      needs,
    })
  }
})
