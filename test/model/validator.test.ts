import express, { type ErrorRequestHandler } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import * as fc from 'fast-check'
import request from 'supertest'
import { expect, test } from 'vitest'
import type { Contract, ContractOperation } from '../../src/contract/Contract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { loadSampler } from '../../src/contract/sample.ts'
import { createValidator, describeViolation } from '../../src/contract/validator/createValidator.ts'

/*
 * The validator uses the schemas of express-openapi-validator without its middleware. Here, both must agree on what is
 * valid, in requests and in responses.
 */
const contract = await loadContract()
const validator = await createValidator(contract)

interface Sent {
  status: number
  type: string | undefined
  body: string
  value?: unknown
}

/** What the next response of the application below is */
let response: Sent = { status: 200, type: undefined, body: '' }
const app = appOf(contract)

/** The library as it is meant to be used: as middleware of an application. */
function appOf({ document }: Contract) {
  const made = express()
  made.use(express.json({ strict: false }))
  made.use(
    OpenApiValidator.middleware({
      apiSpec: structuredClone(document) as never,
      validateApiSpec: false,
      validateSecurity: false,
      validateRequests: { allowUnknownQueryParameters: true },
      validateResponses: true,
    }),
  )
  made.use((_req, res) => {
    if (response.type) res.type(response.type)
    res.status(response.status)
    if (response.value === undefined) res.send(response.body)
    else res.json(response.value)
  })
  made.use(((error: { status?: number; errors?: { path: string }[] }, _req, res, _next) => {
    res
      .status(599)
      .set('x-status', String(error.status ?? 500))
      .end()
  }) satisfies ErrorRequestHandler)
  return made
}

/** The status with which the library refuses a request (4xx) or a response (500); 0 if it doesn't. */
async function refusal({ method, path }: ContractOperation, values: Record<string, string>, body?: unknown) {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const asked = request(app)[method.toLowerCase() as 'get' | 'post' | 'put'](url)
  const answer = await (body === undefined
    ? asked
    : asked.set('content-type', 'application/json').send(JSON.stringify(body)))
  return answer.status === 599 ? Number(answer.headers['x-status']) : 0
}

const pathValue = fc.oneof(
  fc.constantFrom('1', '5001', '9999999999', '10000000000', '0', '007', '-1', '1.5', '1e3', ' 1', 'x', '١'),
  fc.constantFrom('http-ip', 'http-auth', 'ppr-socks', 'txt', 'json', 'csv', 'xml', 'price', 'us1', '5'),
)
const scalar = fc.oneof(
  fc.constantFrom('true', 'false', '192.0.2.1', '192.0.2.256', '::1', 'cGFzcw==', '', 11, 0, -1, 1.5),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
)
const field = fc.constantFrom('clientid', 'setip', 'update_list', 'password', 'geo', 'protocol', 'other')
const body = fc.oneof(
  fc.dictionary(field, fc.oneof(scalar, fc.array(scalar), fc.dictionary(field, scalar))),
  fc.jsonValue(),
)
const requests = fc.constantFrom(...contract.operations).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    path: fc.record(Object.fromEntries(operation.pathNames.map((name) => [name, pathValue]))),
    body: operation.bodyTypes.length > 0 ? body : fc.constant(undefined),
  }),
)

test('of 600 requests, the library takes those that ours takes', { timeout: 60_000 }, async () => {
  const said = { fits: 0, breaks: 0 }
  await fc.assert(
    fc.asyncProperty(requests, async ({ operation, path, body: posted }) => {
      const values = path as Record<string, string>
      const violations = validator.request(operation, {
        path: values,
        query: undefined,
        headers: {},
        bodyType: operation.bodyTypes[0],
        body: structuredClone(posted),
      })
      ;[response] = (await good(operation)) as [Sent]
      const theirs = await refusal(operation, values, posted)
      expect(theirs !== 0, JSON.stringify(violations)).toBe(violations.length > 0)
      said[violations.length ? 'breaks' : 'fits']++
    }),
    { numRuns: 600 },
  )
  expect(said.fits).toBeGreaterThan(60)
  expect(said.breaks).toBeGreaterThan(60)
})

test.each(contract.operations.filter(({ responses }) => responses[200]?.content['application/json']))(
  'of good and broken responses of $operationId, the library takes those that ours takes',
  async (operation) => {
    const values = Object.fromEntries(operation.pathNames.map((name) => [name, exampleOf(operation, name)]))
    const posted = operation.bodyTypes.length > 0 ? { clientid: 11 } : undefined
    for (const sent of [...(await good(operation)), ...cases(operation)].flatMap((one) => [
      one,
      ...mutants(one),
    ])) {
      if (sent.value === undefined || sent.value === null) continue
      response = sent
      const violations = validator.response(operation, sent)
      const theirs = await refusal(operation, values, posted)
      expect(theirs, `${sent.body}: ${violations.join()}`).toBe(violations.length ? 500 : 0)
    }
  },
)

test('what is wrong is said in plain words', () => {
  const update = contract.operation('updateService') as ContractOperation
  const said = (path: Record<string, string>, posted: unknown) =>
    validator
      .request(update, { path, query: undefined, headers: {}, bodyType: 'application/json', body: posted })
      .map(describeViolation)
  expect(said({ id: '007' }, {})).toEqual([
    'id must be a positive integer of at most ten digits, without leading zeros',
  ])
  expect(said({ id: '1' }, [])).toEqual(['the body must be object'])
})

/** A value that the parameter takes. */
function exampleOf({ schema }: ContractOperation, name: string): string {
  const parameters = schema['parameters'] as { name: string; schema: { enum?: string[] } }[]
  return parameters.find((one) => one.name === name)?.schema.enum?.[0] ?? '1'
}

async function good(operation: ContractOperation): Promise<Sent[]> {
  const sample = await loadSampler()
  return Array.from({ length: 3 }, (_, seed) => sample(operation, { seed, url: '/' })).map(sentOf)
}

function cases({ cases: all }: ContractOperation): Sent[] {
  return all.map(({ status, type, value }) => sentOf({ status, type, body: value }))
}

function sentOf({
  status,
  type,
  body: value,
}: {
  status: number
  type: string | undefined
  body: unknown
}): Sent {
  return typeof value === 'string' && type?.startsWith('text/')
    ? { status, type, body: value }
    : { status, type, body: JSON.stringify(value) ?? '', value }
}

/** Variants of a value, each with one part replaced. */
function mutants(sent: Sent): Sent[] {
  const places: string[] = []
  JSON.stringify(sent.value, (key, value: unknown) => {
    places.push(key)
    return value
  })
  return places.slice(0, 40).flatMap((_, at) =>
    [null, 'x', -1, {}].map((replacement) => {
      let i = -1
      const text =
        JSON.stringify(sent.value, (_key, value: unknown) => (++i === at ? replacement : value)) ?? ''
      return { ...sent, body: text, value: text === '' ? undefined : (JSON.parse(text) as unknown) }
    }),
  )
}
