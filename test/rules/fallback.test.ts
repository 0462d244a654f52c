import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../src/contract/Contract.ts'
import { isMultipleOf } from '../../src/contract/keywords.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { generateMatching } from '../../src/contract/generateText.ts'
import { loadSampler } from '../../src/contract/sample.ts'
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
        const { status, contentType, body } = (await loadSampler(validator))(operation, { seed, url: '' })
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

const textOf = (more: object) => ({ type: 'string', ...more })
const number = (more: object) => ({ type: 'number', ...more })
const object = (more: object) => ({ type: 'object', ...more })
const open = (...names: string[]) =>
  object({ properties: Object.fromEntries(names.map((name) => [name, string])) })
const needing = (...names: string[]) => ({ ...open(...names), required: names })
const listOf = (items: object, more: object = {}) => ({ type: 'array', items, ...more })
const flag = { type: 'boolean' }

/** Schemas whose keywords restrict one another */
const combinations: Record<string, object> = {
  'multiples of 0.1': number({ multipleOf: 0.1 }),
  'multiples in a small range': number({ multipleOf: 0.01, minimum: 143.471, maximum: 143.489 }),
  'integers that are multiples of 1.5': { type: 'integer', multipleOf: 1.5, minimum: 1, maximum: 10 },
  'negative multiples': number({ maximum: -0.5, multipleOf: 0.25 }),
  'a range below the usual step': number({ minimum: 0.001, maximum: 0.004 }),
  'an open range': number({ minimum: 0, exclusiveMinimum: true, maximum: 0.01, exclusiveMaximum: true }),
  'an integer between fractions': { type: 'integer', minimum: 1.5, maximum: 2.5 },
  'pattern and maxLength': textOf({ pattern: '^[a-z]+$', maxLength: 3 }),
  'pattern and minLength': textOf({ pattern: '^[a-z]*$', minLength: 50 }),
  'pattern and length': textOf({ pattern: String.raw`^[A-Z]{2,}-\d+$`, minLength: 12, maxLength: 12 }),
  'an open pattern and minLength': textOf({ pattern: '[A-Z]', minLength: 20 }),
  'a pattern that is not Unicode': textOf({ pattern: String.raw`^[\w-.]+\-$` }),
  'a pattern with look-ahead': textOf({ pattern: String.raw`^(?=.*\d)[a-z\d]{8,}$` }),
  'pattern and format': textOf({ format: 'email', pattern: String.raw`@example\.com$`, maxLength: 30 }),
  ...Object.fromEntries(
    Object.entries({
      uri: [20, 100],
      email: [10, 60],
      'date-time': [20],
      hostname: [5, 100],
      byte: [4, 40],
      ipv6: [5],
      ipv4: [9],
      url: [12, 50],
      'uri-reference': [3, 30],
      time: [10],
      duration: [4],
      regex: [4, 20],
      'json-pointer': [4, 20],
      'relative-json-pointer': [4, 20],
      'uri-template': [4, 20],
      unknown: [4, 30],
    }).flatMap(([format, [maxLength, minLength]]) => [
      [format, textOf({ format })],
      [`${format} with maxLength`, textOf({ format, maxLength })],
      ...(minLength === undefined ? [] : [[`${format} with minLength`, textOf({ format, minLength })]]),
    ]),
  ),
  'oneOf of open objects': { oneOf: [open('a'), object({ properties: { b: { type: 'integer' } } })] },
  'oneOf by required fields': { oneOf: [needing('a'), needing('b')] },
  'oneOf of closed objects': {
    oneOf: [open('a'), open('a', 'b')].map((one) => ({ ...one, additionalProperties: false })),
  },
  'oneOf of integer and number': { oneOf: [{ type: 'integer' }, number({})] },
  'oneOf of texts': { oneOf: [textOf({ maxLength: 5 }), textOf({ minLength: 3 })] },
  'anyOf and properties': { anyOf: [needing('a'), needing('b')], ...needing('c') },
  'allOf with the same field': {
    allOf: [
      object({ required: ['a'], properties: { a: number({ minimum: 5 }) } }),
      object({ properties: { a: { maximum: 6 } } }),
    ],
  },
  'allOf of enums': { allOf: [textOf({ enum: ['a', 'b'] }), { enum: ['b', 'c'] }] },
  'allOf of multiples': { allOf: [number({ multipleOf: 0.2 }), { multipleOf: 0.3 }] },
  'oneOf in allOf': { allOf: [needing('k'), { oneOf: [needing('x'), needing('y')] }] },
  'allOf of examples': { allOf: [{ ...needing('a'), example: { a: 'x' } }, needing('b')] },
  'required without a property': object({ required: ['a'] }),
  'required and additionalProperties': object({ required: ['a'], additionalProperties: { type: 'integer' } }),
  minProperties: object({ minProperties: 3, additionalProperties: string }),
  maxProperties: { ...open('a', 'b', 'c'), maxProperties: 1 },
  'nullable without a type': { nullable: true, allOf: [needing('a')] },
  'nullable oneOf': { nullable: true, oneOf: [string, { type: 'integer' }] },
  'nullable enum': { ...string, nullable: true, enum: ['a', null] },
  'unique choices': listOf({ enum: ['a', 'b', 'c'] }, { uniqueItems: true, minItems: 3 }),
  'unique objects': listOf(
    object({ properties: { a: { type: 'integer', minimum: 1, maximum: 2 }, b: flag }, required: ['a', 'b'] }),
    { uniqueItems: true, minItems: 4 },
  ),
  'many multiples': listOf(number({ multipleOf: 0.1 }), { minItems: 7 }),
  'no items': listOf(string, { maxItems: 0 }),
  not: textOf({ not: { pattern: 'a' } }),
  'not both': { ...open('a', 'b'), not: { required: ['a', 'b'] } },
  'an invalid example': object({
    properties: { a: { type: 'integer', example: 'x' }, b: textOf({ example: 'ok' }) },
  }),
  'an invalid default': { type: 'integer', default: 'x' },
  'an incomplete example': { ...needing('a'), example: {} },
  'writeOnly and required': object({ required: ['p'], properties: { p: textOf({ writeOnly: true }) } }),
  'enum and minLength': textOf({ enum: ['a', 'bb'], minLength: 2 }),
  'enum and type': { type: 'integer', enum: [1, 2.5] },
  'all of it, nested': object({
    required: ['a'],
    properties: {
      a: listOf(
        { oneOf: [object({ properties: { c: number({ multipleOf: 0.01 }) } }), open('d')] },
        { minItems: 2 },
      ),
    },
  }),
}

const bySchema = (schemas: Record<string, object>) => {
  const operations = Object.entries(schemas).map(([operationId, schema]) => [
    `/api/${encodeURIComponent(operationId)}`,
    { get: { operationId, responses: { 200: json(schema) } } },
  ])
  return {
    openapi: '3.0.3',
    info: { title: 'x', version: '1' },
    paths: Object.fromEntries(operations) as object,
  }
}

describe('keywords that restrict one another', async () => {
  const { operations } = readContract(bySchema(combinations))
  const validator = await createValidator(readContract(bySchema(combinations)))
  const sample = await loadSampler(validator)

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'are satisfied by generated data: %s',
    (_name, operation) => {
      for (let seed = 0; seed < 25; seed++) {
        const { body, ...sent } = sample(operation, { seed, url: `/${seed}` })
        const violations = validator.validateResponse(operation, {
          ...sent,
          body: JSON.stringify(body),
          value: body,
        })
        expect(violations, JSON.stringify(body)).toEqual([])
      }
    },
  )

  it.each<[what: string, schema: object, where: string]>([
    [
      'an empty range',
      object({ required: ['a'], properties: { a: { type: 'integer', minimum: 3, maximum: 2 } } }),
      'Thing/a: no value satisfies it, because minimum 3 is above maximum 2. Correct the schema.',
    ],
    ['a pattern', listOf(textOf({ pattern: '^(?=x)y$' })), 'Thing/[]: no text is found for its pattern'],
    ['equal alternatives', { oneOf: [string, string] }, 'Thing: must match exactly one schema in oneOf'],
    [
      'a forbidden field',
      object({ required: ['a'], additionalProperties: false }),
      'Thing: a must NOT have additional',
    ],
    [
      'too few choices',
      listOf(flag, { uniqueItems: true, minItems: 3 }),
      'Thing: must NOT have fewer than 3 items',
    ],
    [
      'a long format',
      textOf({ format: 'date', maxLength: 5 }),
      'Thing: must NOT have more than 5 characters',
    ],
    [
      'an invalid pattern',
      textOf({ pattern: '[' }),
      'getThing has an invalid schema: Invalid regular expression',
    ],
    ['an unknown type', { type: 'file' }, 'getThing has an invalid schema: type must be'],
    ['an empty enum', textOf({ enum: [] }), 'getThing has an invalid schema: enum must have non-empty array'],
  ])('are refused at the start if nothing fits: %s', async (_what, Thing, where) => {
    const document = bySchema({ getThing: { $ref: '#/components/schemas/Thing' } })
    const refused = start({
      contract: writeContract(JSON.stringify({ ...document, components: { schemas: { Thing } } })),
    })
    await expect(refused).rejects.toThrow(where)
    await expect(refused).rejects.toThrow(/^The contract \S+ can't be used: /)
  })

  it.each<[what: string, response: object, text: string]>([
    ['an example of the schema', json(textOf({ pattern: '^(?=x)x$', example: 'x' })), '"x"'],
    [
      'an example of the response',
      {
        description: 'x',
        content: {
          'application/json': {
            schema: { oneOf: [string, number({})], not: string, enum: [7.5, 'x'] },
            example: 7.5,
          },
        },
      },
      '7.5',
    ],
    [
      'one of several',
      {
        description: 'x',
        content: {
          'text/plain': {
            schema: textOf({ pattern: '^(?=x)x$' }),
            examples: { a: { value: 'y' }, b: { value: 'x' } },
          },
        },
      },
      'x',
    ],
    [
      'JSON with a charset',
      {
        description: 'x',
        content: { 'application/json; charset=utf-8': { schema: textOf({ enum: ['a'] }) } },
      },
      '"a"',
    ],
    ['any type', { description: 'x', content: { '*/*': { schema: textOf({ enum: ['a'] }) } } }, '"a"'],
  ])('or that an example satisfies: %s', async (_what, response, expected) => {
    const paths = { '/api/thing': { get: { operationId: 'getThing', responses: { 200: response } } } }
    const { call } = await start({ contract: writeContract(JSON.stringify({ ...bySchema({}), paths })) })
    expect(await call('GET', '/api/thing')).toMatchObject({ status: 200, text: expected })
  })

  it('are decimal for multipleOf', () => {
    const steps: [value: number, step: number][] = [
      [143.48, 0.01],
      [1.15, 0.05],
      [0.3, 0.1],
      [1e21, 0.1],
      [4.5e-7, 1e-8],
      [-0.7, 0.1],
      [0, 5],
    ]
    for (const [value, step] of steps)
      expect([value, step, isMultipleOf(value, step)]).toEqual([value, step, true])
    for (const [value, step] of [
      [143.485, 0.01],
      [1.151, 0.05],
      [143.480000001, 0.01],
      [7, 2],
      [Infinity, 0.05], // 1e400 in JSON
    ] as const)
      expect([value, step, isMultipleOf(value, step)]).toEqual([value, step, false])
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
    ['', 'the input is empty'],
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
