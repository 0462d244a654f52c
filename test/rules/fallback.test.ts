import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { loadSampler, generateMatching } from '../../src/contract/sample.ts'
import { createValidator } from '../../src/contract/validator/createValidator.ts'
import { writeAlteredContract, getNode, writeContract, setNode } from '../support/contract.ts'
import { start } from '../support/start.ts'
import { scenarioWith } from '../support/scenario.ts'

const id = { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/PathId' } }
const json = (schema: object) => ({ description: 'x', content: { 'application/json': { schema } } })

const string = { type: 'string' }
const date = { type: 'string', format: 'date' }
const having = (name: string, schema: object) => ({
  type: 'object',
  required: [name],
  properties: { [name]: schema },
})
const formats = ['date', 'date-time', 'email', 'ipv4', 'ipv6', 'uuid', 'uri', 'hostname', 'byte']
const report = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'date', 'kind', 'share', 'parts', 'code'],
  properties: {
    id: { $ref: '#/components/schemas/Id' },
    ...Object.fromEntries(formats.map((format) => [format, { type: 'string', format }])),
    name: { type: 'string', minLength: 3, maxLength: 8 },
    kind: { type: 'string', enum: ['a', 'b', 'c'] },
    share: { type: 'number', minimum: 0, maximum: 1 },
    below: { type: 'integer', maximum: -5 },
    even: { type: 'integer', multipleOf: 2, minimum: 100, maximum: 110 },
    open: { type: 'boolean' },
    code: { type: 'string', pattern: '^[A-Z]{2}\\d{4}-(ab|cd)$' },
    colours: { type: 'array', uniqueItems: true, minItems: 2, items: { ...string, enum: ['r', 'g', 'b'] } },
    nothing: { type: 'string', nullable: true },
    parts: {
      type: 'array',
      minItems: 2,
      maxItems: 4,
      items: having('weight', { type: 'number', minimum: 5, exclusiveMinimum: true }),
    },
    owner: { allOf: [having('login', string), having('since', date)] },
    either: { oneOf: [{ type: 'integer' }, { type: 'string', minLength: 1000 }] },
  },
}

/** Adds operations without an implementation to the contract. */
function withMore(): string {
  return writeAlteredContract((document) => {
    const common = { '401': { $ref: '#/components/responses/Unauthenticated' } }
    const paths = getNode(document, 'paths')
    setNode(paths, '/api/report/{id}', {
      get: {
        operationId: 'getReport',
        parameters: [id, { name: 'deep', in: 'query', schema: { type: 'integer', minimum: 1 } }],
        responses: {
          ...common,
          '200': json(report),
          '422': { $ref: '#/components/responses/Unprocessable' },
        },
      },
      post: {
        operationId: 'addReport',
        parameters: [id],
        requestBody: { required: true, ...json(having('title', string)) },
        responses: { ...common, '201': json({ type: 'array', items: report }) },
      },
      delete: {
        operationId: 'removeReport',
        parameters: [id],
        responses: { ...common, '204': { description: 'gone' } },
      },
    })
    setNode(paths, '/api/motto', {
      get: {
        operationId: 'getMotto',
        responses: { '200': { description: 'x', content: { 'text/plain': { schema: string } } } },
      },
    })
  })
}

describe('a generated response', () => {
  it('fits every operation of the shipped contract', async () => {
    const contract = await loadContract()
    const validator = await createValidator(contract)
    const misfits: string[] = []
    for (const operation of contract.operations)
      for (let seed = 0; seed < 20; seed++) {
        const { status, contentType, body } = (await loadSampler())(operation, { seed, url: '' })
        const sent = { status, contentType, body: JSON.stringify(body), value: body }
        misfits.push(
          ...validator.validateResponse(operation, sent).map((one) => `${operation.operationId}: ${one}`),
        )
      }
    expect(misfits).toEqual([])
  })

  it.each(['^[a-f]+[^a-f]$', '^(a|b(c|d)){2,3}$', '^a?b*c+\\.\\d{3,}$', '^x{4}-\\w{2}\\s[\\d-]$', '', 'é'])(
    'matches the pattern %s',
    (pattern) => {
      faker.seed(1)
      for (let i = 0; i < 50; i++) expect(generateMatching(pattern, faker)).toMatch(new RegExp(pattern, 'u'))
    },
  )

  it('reports a pattern that it cannot match', () => {
    expect(() => generateMatching('^(?=x)y$', faker)).toThrow(
      'the pattern ^(?=x)y$. Add an example to the schema',
    )
  })
})

describe('an operation without an implementation', () => {
  it('responds with valid data, the same for the same seed and request', async () => {
    const contract = withMore()
    const first = await start({ contract, scenario: scenarioWith({ seed: 7 }) })
    const answers = new Set<string>()
    for (let i = 1; i <= 30; i++) {
      const { status, text, headers } = await first.call('GET', `/api/report/${i}?deep=1`)
      expect({ status, text }).toMatchObject({ status: 200 })
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect((await first.call('GET', `/api/report/${i}?deep=1`)).text).toBe(text)
      answers.add(text)
    }
    expect(answers.size).toBe(30)
    await first.call('POST', '/__admin/clock/advance', { body: { by: 'P400D' } })
    expect(answers).toContain((await first.call('GET', '/api/report/1?deep=1')).text)
    const same = await start({ contract, scenario: scenarioWith({ seed: 7 }) })
    expect(answers).toContain((await same.call('GET', '/api/report/1?deep=1')).text)
    const other = await start({ contract, scenario: scenarioWith({ seed: 8 }) })
    expect(answers).not.toContain((await other.call('GET', '/api/report/1?deep=1')).text)
  })

  it('accepts valid requests, and refuses the rest', async () => {
    const { call } = await start({ contract: withMore(), scenario: scenarioWith() })
    const added = await call('POST', '/api/report/5', { body: { title: 'x' } })
    expect(added.status).toBe(201)
    expect(added.json).toBeInstanceOf(Array)
    for (const body of [{}, { title: 5 }, [], 'x'])
      expect(await call('POST', '/api/report/5', { body })).toMatchObject({
        status: 400,
        json: { error: expect.stringContaining('Bad Request') },
      })
    expect((await call('POST', '/api/report/0', { body: { title: 'x' } })).status).toBe(400)
    expect((await call('POST', '/api/report/5', { raw: '{' })).status).toBe(400)
    // the contract declares a 422
    for (const path of ['abc', '5?deep=0', '5?deep=x', '__proto__'])
      expect(await call('GET', `/api/report/${path}`)).toMatchObject({
        status: 422,
        text: '{"error":"Unprocessable Entity "}',
      })
    expect((await call('GET', '/api/report/5', { login: null })).status).toBe(401)
  })

  it('may respond with text or an empty body', async () => {
    const { call } = await start({ contract: withMore(), scenario: scenarioWith() })
    expect(await call('DELETE', '/api/report/5')).toMatchObject({ status: 204, text: '' })
    const motto = await call('GET', '/api/motto')
    expect(motto.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(motto.text).toMatch(/\w/)
    expect((await call('PUT', '/api/report/5')).headers.allow).toBe('GET, HEAD, POST, DELETE')
    expect((await call('GET', '/api/motto', { login: null })).status).toBe(401)
  })
})

describe('a contract that cannot be used', () => {
  const contract = (paths: unknown, more: object = {}): string =>
    JSON.stringify({ openapi: '3.0.3', info: { title: 'x', version: '1' }, paths, ...more })
  const one = (operation: unknown): string => contract({ '/api/x': { get: operation } })
  const responding = ($ref: string, more?: object): string =>
    contract({ '/api/x': { get: { operationId: 'a', responses: { '200': { $ref } } } } }, more)
  const twice = { operationId: 'a', responses: {} }
  const recursive = {
    schemas: { A: { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } } },
  }

  it.each([
    ['openapi: [', 'is not valid YAML'],
    ['', 'not an OpenAPI 3.0 document'],
    ['swagger: "2.0"', 'not an OpenAPI 3.0 document'],
    ['openapi: 3.1.0', 'not an OpenAPI 3.0 document: `openapi` is "3.1.0"'],
    [one({ responses: {} }), 'GET /api/x has no operationId'],
    [
      contract({ '/api/x': { get: twice, put: twice } }),
      'GET /api/x and PUT /api/x have the same operationId, a',
    ],
    [one({ operationId: 'a', responses: { default: {} } }), 'a has a response "default"'],
    [
      responding('#/components/responses/None'),
      '#/paths/~1api~1x/get/responses/200 refers to #/components/responses/None, which does not exist.',
    ],
    [responding('other.yaml'), 'refers to other.yaml, which is not in the document'],
    [
      responding('#/components/schemas/A', { components: recursive }),
      'refers to #/components/schemas/A, which contains itself',
    ],
  ])('is refused with its file and the problem: %s', async (text, why) => {
    const file = writeContract(text)
    const refused = start({ contract: file })
    await expect(refused).rejects.toThrow(why)
    await expect(refused).rejects.toThrow(file)
  })

  it('is refused if it is missing', async () => {
    await expect(start({ contract: 'none.yaml' })).rejects.toThrow("can't be read (ENOENT)")
  })
})
