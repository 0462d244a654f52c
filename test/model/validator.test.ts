import express, { type ErrorRequestHandler } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import * as fc from 'fast-check'
import request from 'supertest'
import { expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/cases.gen.ts'
import { asObject, type ContractOperation } from '../../src/contract/Contract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { createValidator } from '../../src/contract/validator/createValidator.ts'
import { drawInputs } from './support/draw.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { seed as fixedSeed } from '../support/fixedSeed.ts'
import { sampled } from '../support/sampled.ts'

/*
 * The validator uses the schemas of express-openapi-validator without its middleware. Here, both must agree on what is
 * valid, in requests and in responses.
 */
const contract = await loadContract()
const validator = await createValidator(contract)
const json = 'application/json'

/** The response of the application below; undefined for valid JSON of its operation */
let response: { status: number; value: unknown } = { status: 200, value: {} }

/** The library as documented: as middleware of an application. */
const app = express()
app.use(express.json({ strict: false }))
app.use(
  OpenApiValidator.middleware({
    apiSpec: structuredClone(contract.document) as never,
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: { allowUnknownQueryParameters: true },
    validateResponses: true,
  }),
)
app.use((_req, res) => void res.status(response.status).json(response.value))
app.use(((error: { status?: number }, _req, res, _next) => {
  const status = String(error.status ?? 500)
  res.status(599).set('x-status', status).end()
}) satisfies ErrorRequestHandler)

/** The status with which the library refuses a request (4xx) or a response (500); 0 if it doesn't. */
async function refusal({ method, path }: ContractOperation, values: Record<string, string>, body?: unknown) {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const asked = request(app)[method.toLowerCase() as 'get' | 'post' | 'put'](url)
  const answer = await (body === undefined
    ? asked
    : asked.set('content-type', json).send(JSON.stringify(body)))
  return answer.status === 599 ? Number(answer.headers['x-status']) : 0
}

function findViolations(operation: ContractOperation, path: Record<string, string>, body: unknown) {
  const [bodyType] = operation.bodyTypes
  return validator.validateRequest(operation, { path, query: undefined, bodyType, body })
}

/** The first example of a JSON response, or an empty body. */
function exampleOf({ schema }: ContractOperation): unknown {
  const { content } = asObject(asObject(schema['responses'])['200'])
  const { example, examples } = asObject(asObject(content)[json])
  return example ?? asObject(Object.values(asObject(examples))[0])['value']
}

/** Draws parameters and a body that an operation accepts. */
function validInput({ operationId, schema, pathParameters }: ContractOperation) {
  const parameters = schema['parameters'] as { name: string; schema: { enum?: string[] } }[]
  const getExampleValue = (name: string) =>
    parameters.find((one) => one.name === name)?.schema.enum?.[0] ?? '1'
  const path = Object.fromEntries(pathParameters.map((name) => [name, getExampleValue(name)]))
  return { path, body: callByOperation[operationId as OperationId][2] }
}

const values =
  '1|5001|9999999999|10000000000|0|007|-1|1.5|1e3| 1|x|١|http-ip|http-auth|ppr-socks|txt|json|csv|xml|price|us1|5'
const field = fc.constantFrom('clientid', 'setip', 'update_list', 'password', 'other')
const anyBody = fc.oneof(fc.dictionary(field, fc.jsonValue()), fc.jsonValue())
const requests = fc.constantFrom(...contract.operations).chain((operation) => {
  const odd = operation.pathParameters.map((name) => [name, fc.constantFrom(...values.split('|'))] as const)
  const body = operation.bodyTypes.length > 0 ? anyBody : fc.constant(undefined)
  return fc
    .oneof(drawInputs(operation), fc.tuple(fc.record(Object.fromEntries(odd)), body))
    .map(([path, sent]) => ({ operation, path, body: sent }))
})

test('of many requests, the library takes those that ours takes', { timeout: 240_000 }, async () => {
  const said = { fits: 0, breaks: 0 }
  await fc.assert(
    fc.asyncProperty(requests, async ({ operation, path, body }) => {
      const violations = findViolations(operation, path, structuredClone(body))
      response = { status: 200, value: exampleOf(operation) }
      const theirs = await refusal(operation, path, body)
      expect(theirs !== 0, JSON.stringify(violations)).toBe(violations.length > 0)
      said[violations.length ? 'breaks' : 'fits']++
    }),
    { numRuns: sampled(200), seed: fixedSeed },
  )
  expect(said.fits).toBeGreaterThan(sampled(20))
  expect(said.breaks).toBeGreaterThan(sampled(20))
})

test.each(contract.operations.filter(({ responses }) => responses[200]?.content[json]))(
  'of good and broken responses of $operationId, the library takes those that ours takes',
  async (operation) => {
    const { path, body } = validInput(operation)
    const good = [
      { status: 200, value: exampleOf(operation) },
      ...operation.cases.filter(({ contentType }) => contentType === json),
    ]
    for (const { status, value: whole } of good)
      for (const value of [whole, ...mutants(whole)]) {
        if (value === null) continue
        response = { status, value }
        const sent = JSON.stringify(value)
        const violations = validator.validateResponse(operation, {
          status,
          contentType: json,
          body: sent,
          value,
        })
        const theirs = await refusal(operation, path, body)
        expect(theirs, `${sent}: ${violations.join()}`).toBe(violations.length ? 500 : 0)
      }
  },
)

/** Variants of a value, each with one part replaced. */
function mutants(value: unknown): unknown[] {
  let parts = 0
  JSON.stringify(value, (_key, part: unknown) => (parts++, part))
  return Array.from({ length: Math.min(parts, sampled(16)) }, (_, at) => at).flatMap((at) =>
    [null, 'x', -1, {}].map((replacement) => {
      let i = -1
      return JSON.parse(
        JSON.stringify(value, (_key, part: unknown) => (++i === at ? replacement : part)),
      ) as unknown
    }),
  )
}
