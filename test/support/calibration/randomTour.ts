import * as fc from 'fast-check'
import { naiveChoices, type NaiveReadings, type NaiveService } from './NaiveService.ts'
import { Tape } from './Tape.ts'

const address = fc.constantFrom('203.0.113.1', '203.0.113.2', '198.51.100.200', '300.1.1.1', 'here')
const product = fc.constantFrom(5, 7, 9, 13, 77)
const client = fc.constantFrom(31, 32, 99)
/** A service by its index; past the last one, a service that doesn't exist */
const place = fc.nat({ max: 8 })

type Call = (tape: Tape, after: number) => void

const id = (tape: Tape, at: number): number => tape.service.services[at]?.id ?? 424_242

const get =
  (path: (tape: Tape) => string): Call =>
  (tape, after) =>
    void tape.get(path(tape), { after })

/** Calls of every kind, valid and invalid ones. */
const call: fc.Arbitrary<Call> = fc.oneof(
  fc
    .constantFrom('clients', 'products', 'services', 'billing/credit', 'billing/invoices')
    .map((path) => get(() => `/api/${path}`)),
  fc
    .constantFrom('price', 'productName', 'productId', 'created_at', 'groupId', 'odd')
    .map((field) => get(() => `/api/products/orderby/${field}`)),
  product.map((pid) => get(() => `/api/product/${pid}`)),
  place.map((at) => get((tape) => `/api/service/${id(tape, at)}`)),
  fc.nat({ max: 4 }).map((at) => get((tape) => `/api/billing/invoice/${tape.service.invoices[at]?.id ?? 5}`)),
  fc
    .tuple(
      fc.constantFrom(
        'stats',
        'rate',
        'networkstatus/errors',
        'networkstatus/inactive',
        'sticky/list',
        'sticky/resetall',
      ),
      place,
    )
    .map(([path, at]) => get((tape) => `/api/${path}/${id(tape, at)}`)),
  fc
    .tuple(
      fc.constantFrom('http-ip', 'socks-ip', 'http-auth', 'ppr-http'),
      fc.constantFrom('json', 'txt', 'csv'),
      place,
    )
    .map(([kind, format, at]) => get((tape) => `/api/iplist/${kind}/${format}/${id(tape, at)}`)),
  fc
    .tuple(place, fc.constantFrom('s-a', 's-b', 's-c'))
    .map(([at, session]) => get((tape) => `/api/sticky/rotate/${id(tape, at)}/ams1/${session}`)),
  fc.tuple(place, fc.constantFrom(1, 5, 15, 4), fc.boolean()).map(
    ([at, ttl, isOpen]): Call =>
      (tape, after) =>
        void tape.get(`/api/sticky/changettl/${id(tape, at)}/${ttl}`, {
          after,
          ...(isOpen && { authorization: null }),
        }),
  ),
  fc.tuple(product, client, fc.option(address, { nil: undefined })).map(
    ([pid, clientid, setip]): Call =>
      (tape, after) =>
        void tape.call('POST', `/api/product/${pid}`, { after, body: { clientid, ...(setip && { setip }) } }),
  ),
  fc
    .tuple(
      place,
      fc.record(
        {
          setip: address,
          update_list: fc.constantFrom('true', 'true', 'false'),
          password: fc.constantFrom('bmV3', 'b3RoZXI=', '?'),
        },
        { requiredKeys: [] },
      ),
    )
    .map(
      ([at, body]): Call =>
        (tape, after) =>
          void tape.call('PUT', `/api/service/${id(tape, at)}`, { after, body }),
    ),
  fc.constantFrom(null, 'Bearer x', 'Basic !', 'Basic bm86bm8=').map(
    (authorization): Call =>
      (tape, after) =>
        void tape.get('/api/clients', { after, authorization }),
  ),
)

/** A sequence of calls that works with any service. */
export const randomCalls = fc.array(fc.tuple(call, fc.constantFrom(300, 1500, 40_700, 700_100)), {
  minLength: 3,
  maxLength: 60,
})

export function tourOf(service: NaiveService, calls: readonly (readonly [Call, number])[]): Tape {
  const tape = new Tape(service)
  for (const [one, after] of calls) one(tape, after)
  return tape
}

/** Any combination of readings. */
export const randomReadings = fc.record(
  Object.fromEntries(
    Object.entries(naiveChoices).map(([name, values]) => [name, fc.constantFrom(...values)]),
  ),
) as fc.Arbitrary<NaiveReadings>
