import * as fc from 'fast-check'
import { naiveChoices, type NaiveInterpretations, type NaiveService } from './NaiveService.ts'
import { Tape, type CallOptions } from './Tape.ts'

/** Values of path variables. The service and invoice with the highest number may not exist. */
const values: Record<string, fc.Arbitrary<string | number>> = {
  list: fc.constantFrom('clients', 'products', 'services', 'billing/credit', 'billing/invoices'),
  field: fc.constantFrom('price', 'productName', 'productId', 'created_at', 'groupId', 'odd'),
  product: fc.constantFrom(5, 7, 9, 13, 77),
  service: fc.nat({ max: 8 }).map((at) => `#${at}`),
  invoice: fc.nat({ max: 4 }).map((at) => `##${at}`),
  of: fc.constantFrom(
    'stats',
    'rate',
    'networkstatus/errors',
    'networkstatus/inactive',
    'sticky/list',
    'sticky/resetall',
  ),
  kind: fc.constantFrom('http-ip', 'socks-ip', 'http-auth', 'ppr-http'),
  format: fc.constantFrom('json', 'txt', 'csv'),
  session: fc.constantFrom('s-a', 's-b', 's-c'),
  ttl: fc.constantFrom(1, 5, 15, 4),
}

const address = fc.constantFrom('203.0.113.1', '203.0.113.2', '198.51.100.200', '300.1.1.1', 'here')
const order = fc.record(
  { clientid: fc.constantFrom(31, 32, 99), setip: address },
  { requiredKeys: ['clientid'] },
)
const update = fc.record(
  {
    setip: address,
    update_list: fc.constantFrom('true', 'true', 'false'),
    password: fc.constantFrom('bmV3', 'b3RoZXI=', '?'),
  },
  { requiredKeys: [] },
)

export interface Call {
  method: string
  path: string
  options?: CallOptions
}

/** Draws a call with values for the variables of its path. */
function drawCall(
  call: string,
  options: { [Name in keyof CallOptions]: fc.Arbitrary<CallOptions[Name]> } = {},
): fc.Arbitrary<Call> {
  const [method = '', template = ''] = call.split(' ')
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const filled = fc.tuple(...names.map((name) => values[name] as fc.Arbitrary<string | number>))
  return fc.tuple(filled, fc.record(options, { requiredKeys: [] })).map(([found, given]) => ({
    method,
    path: found.reduce<string>((path, value) => path.replace(/\{\w+\}/, String(value)), template),
    options: given,
  }))
}

/** Draws calls of every kind, valid and invalid ones. */
const anyCall = fc.oneof(
  drawCall('GET {list}'),
  drawCall('GET products/orderby/{field}'),
  drawCall('GET product/{product}'),
  drawCall('GET service/{service}'),
  drawCall('GET billing/invoice/{invoice}'),
  drawCall('GET {of}/{service}'),
  drawCall('GET iplist/{kind}/{format}/{service}'),
  drawCall('GET sticky/rotate/{service}/ams1/{session}'),
  drawCall('GET sticky/changettl/{service}/{ttl}', { authorization: fc.constant(null) }),
  drawCall('POST product/{product}', { body: order }),
  drawCall('PUT service/{service}', { body: update }),
  drawCall('GET clients', { authorization: fc.constantFrom(null, 'Bearer x', 'Basic !', 'Basic bm86bm8=') }),
)

/** Draws a sequence of calls for any service. Each has the time in ms that passes before it. */
export const randomCalls = fc.array(fc.tuple(anyCall, fc.constantFrom(300, 1500, 40_700, 700_100)), {
  minLength: 3,
  maxLength: 60,
})

/** Makes the calls, and records them. */
export function recordTour(service: NaiveService, calls: readonly (readonly [Call, number])[]): Tape {
  const tape = new Tape(service)
  const id = (records: readonly { id: number }[], at: string): string =>
    String(records[Number(at)]?.id ?? 424_242)
  for (const [{ method, path, options }, after] of calls) {
    const filledPath = path
      .replace(/##(\d+)/, (_, at: string) => id(service.invoices, at))
      .replace(/#(\d+)/, (_, at: string) => id(service.services, at))
    tape.call(method, `/api/${filledPath}`, { ...options, after })
  }
  return tape
}

/** Draws any combination of interpretations. */
export const randomInterpretations = fc.record(
  Object.fromEntries(Object.entries(naiveChoices).map(([name, of]) => [name, fc.constantFrom(...of)])),
) as fc.Arbitrary<NaiveInterpretations>
