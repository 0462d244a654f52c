import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { small } from '../support/scenario.ts'
import { start, type TestSimulator } from '../support/start.ts'

/*
 * Changes in events and in the journal are patches that the control plane accepts unchanged. An account that gets them in
 * order has the same state.
 */

const account = {
  ...small.accounts.reseller,
  credit: 500,
  assumptions: { orderedService: 'Pending', orderedInvoice: 'Unpaid' },
  limits: { updateListInterval: 60, activation: 90, payment: 30, renewal: true },
}
const scenario = { ...small, accounts: { reseller: account } }

type Change = Record<string, unknown>
type Call = (simulator: TestSimulator) => Promise<unknown>
const api =
  (method: string, path: string, body?: object): Call =>
  ({ call }) =>
    call(method, `/api${path}`, body === undefined ? {} : { body })
const control =
  (method: string, path: string, body?: object): Call =>
  ({ admin }) =>
    admin(method, path, body)

const service = fc.integer({ min: 5001, max: 5006 })
const step: fc.Arbitrary<Call> = fc.oneof(
  fc.constantFrom(101, 201).map((product) => api('POST', `/product/${product}`, { clientid: 11 })),
  service.map((id) => api('PUT', `/service/${id}`, { update_list: 'true' })),
  service.map((id) => api('PUT', `/service/${id}`, { setip: `192.0.2.${id - 4900}` })),
  fc
    .constantFrom('/sticky/rotate/5002/us1/abc', '/sticky/changettl/5002/15', '/sticky/resetall/5002')
    .map((path) => api('GET', path)),
  fc.constantFrom('PT1S', 'PT45S', 'P1D', 'P1M').map((by) => control('POST', '/clock/advance', { by })),
  fc
    .tuple(
      fc.constantFrom<object>(
        { activate: 5003 },
        { pay: 9001 },
        { pay: 9002 },
        { renew: 5001 },
        { add: { services: { 5002: { usage: 7 } } } },
        { patch: { services: { 5001: { bindedip: null, status: 'Suspended' } } } },
        {
          patch: {
            services: { 5002: { usage: { limit: null } } },
            invoices: { 9001: { status: 'Refunded' } },
          },
        },
      ),
      fc.constantFrom({}, { every: 'P1M', times: 3 }),
    )
    .map(([effect, repeated]) => control('POST', '/timeline', { after: 'PT20S', ...effect, ...repeated })),
  fc
    .constantFrom<object>(
      { credit: 300 },
      { services: { 5001: { status: 'Active' } } },
      { limits: { renewal: null } },
      { limits: { renewal: true } },
    )
    .map((patch) => control('PATCH', '/accounts/reseller', patch)),
  fc.constant(control('POST', '/faults', { operation: 'getCredit', respond: 'unauthenticated', times: 1 })),
  fc.constant(api('GET', '/billing/credit')),
  fc.constant(control('DELETE', '/timeline')),
)

test('an account that gets the changes of another one has the same state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 40 }), async (steps) => {
      const [simulator, follower] = [await start({ scenario }), await start({ scenario })]
      const changes: Change[] = []
      simulator.simulation.store.on((event) => {
        if (event.type === 'change') changes.push(JSON.parse(JSON.stringify(event.change)) as Change)
      })
      for (const call of steps) await call(simulator)
      for (const change of changes) {
        const { status, text } = await follower.admin('PATCH', '/accounts/reseller', change)
        expect(status, `${JSON.stringify(change)}: ${text}`).toBe(200)
      }
      const getAccount = async ({ admin }: TestSimulator) => (await admin('GET', '/accounts/reseller')).json
      expect(await getAccount(follower)).toEqual(await getAccount(simulator))
      // The journal has the same changes, except for passwords.
      const { json } = await simulator.admin<{ requests: { change: Change | null }[] }>('GET', '/requests')
      const withoutRecords = ({ services: _services, ...rest }: Change): Change => rest
      const journalChanges = json.requests.flatMap(({ change }) => (change ? [withoutRecords(change)] : []))
      expect(changes.map(withoutRecords)).toEqual(expect.arrayContaining(journalChanges))
    }),
    { numRuns: 4, endOnFailure: true },
  )
}, 60_000)
