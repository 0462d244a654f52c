import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ContractOperation } from '../../../src/contract/Contract.ts'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { loadSampler } from '../../../src/contract/sample.ts'
import { createValidator } from '../../../src/contract/validator/createValidator.ts'

/*
 * Valid messages are recognised by the library's compiled schemas alone. Here, the shortcut and the whole library must
 * agree to the word on everything.
 */
const contract = await loadContract()
const short = await createValidator(contract)
const long = await createValidator(contract, { shortcuts: false })

const ids = [
  '1',
  '5001',
  '9999999999',
  '10000000000',
  '0',
  '007',
  '-1',
  '1.5',
  '1e3',
  ' 1',
  '',
  'x',
  '١',
  'a/b',
]
const words = [
  'http-ip',
  'http-auth',
  'ppr-socks',
  'txt',
  'json',
  'csv',
  'xml',
  'price',
  'nothing',
  'us1',
  '5',
]
const pathValue = fc.oneof(fc.constantFrom(...ids, ...words), fc.string())

const scalar = fc.oneof(
  fc.constantFrom(
    'true',
    'false',
    '192.0.2.1',
    '192.0.2.256',
    '::1',
    'US',
    'https',
    'cGFzcw==',
    '',
    11,
    0,
    -1,
    1.5,
  ),
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const field = fc.constantFrom(
  'clientid',
  'setip',
  'update_list',
  'password',
  'geo',
  'protocol',
  'other',
  '__proto__',
)
const body = fc.oneof(
  fc.dictionary(field, fc.oneof(scalar, fc.array(scalar), fc.dictionary(field, scalar))),
  fc.jsonValue(),
  fc.constant(undefined),
)

const requests = fc.constantFrom(...contract.operations).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    path: fc.record(Object.fromEntries(operation.pathNames.map((name) => [name, pathValue]))),
    bodyType: fc.constantFrom(undefined, ...operation.bodyTypes),
    body,
  }),
)

test('both agree on 5,000 requests', () => {
  const said = { fits: 0, breaks: 0 }
  fc.assert(
    fc.property(requests, ({ operation, path, bodyType, body: posted }) => {
      const asked = (value: unknown) => ({
        path: path as Record<string, string>,
        query: undefined,
        headers: {},
        bodyType: bodyType ?? operation.bodyTypes[0],
        body: value,
      })
      const [here, there] = [structuredClone(posted), structuredClone(posted)]
      const violations = short.request(operation, asked(here))
      expect(violations).toEqual(long.request(operation, asked(there)))
      expect(here, 'neither alters the body otherwise than the other').toEqual(there)
      said[violations.length ? 'breaks' : 'fits']++
    }),
    { numRuns: 5000 },
  )
  expect(said.fits).toBeGreaterThan(500)
  expect(said.breaks).toBeGreaterThan(500)
})

test.each(contract.operations)(
  'answers of $operationId: the same is said of good ones and broken ones',
  async (operation) => {
    for (const sent of [...(await good(operation)), ...cases(operation)]) {
      const broken = [
        sent,
        { ...sent, status: 299 },
        { ...sent, type: 'text/html' },
        { ...sent, body: '', value: undefined },
        { ...sent, body: `${sent.body}x`, value: undefined },
        ...mutants(sent),
      ]
      for (const one of broken) expect(short.response(operation, one)).toEqual(long.response(operation, one))
    }
  },
)

interface Sent {
  status: number
  type: string | undefined
  body: string
  value?: unknown
}

async function good(operation: ContractOperation): Promise<Sent[]> {
  const sample = await loadSampler()
  const made = Array.from({ length: 5 }, (_, seed) => sample(operation, { seed, url: '/' }))
  return made.map(({ status, type, body: value }) =>
    typeof value === 'string' && type?.startsWith('text/')
      ? { status, type, body: value }
      : { status, type, body: JSON.stringify(value) ?? '', value },
  )
}

function cases({ cases: all }: ContractOperation): Sent[] {
  return all.map(({ status, type, value }) =>
    typeof value === 'string' && type.startsWith('text/')
      ? { status, type, body: value }
      : { status, type, body: JSON.stringify(value), value },
  )
}

/** Variants of a value, each with one part replaced. */
function mutants(sent: Sent): Sent[] {
  const places: string[] = []
  const found = JSON.stringify(sent.value, (key, value: unknown) => {
    places.push(key)
    return value
  })
  if (found === undefined) return []
  return places.flatMap((_, at) =>
    [null, 'x', -1, [], {}].map((replacement) => {
      let i = -1
      const text = JSON.stringify(sent.value, (_key, value: unknown) => (++i === at ? replacement : value))
      return { ...sent, body: text, value: JSON.parse(text) as unknown }
    }),
  )
}
