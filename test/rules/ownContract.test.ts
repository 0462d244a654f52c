import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { startServer } from '../../src/server.ts'
import type { CoverageReport } from '../../src/contract/shapes.ts'
import { getNode, type Node, setNode, writeAlteredContract, writeContract } from '../support/contract.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { scenarioWith } from '../support/scenario.ts'
import { createFolder, getState, start } from '../support/start.ts'

const json = (more: object) => ({ description: 'x', content: { 'application/json': more } })
const pet = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
const error = { type: 'object', properties: { error: { type: 'string' } } }
const pets = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1.0.0' },
  paths: {
    '/api/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getPet',
        responses: {
          200: json({ schema: pet, examples: { fido: { value: { name: 'Fido' } } } }),
          404: json({ schema: error, examples: { 'out of stock': { value: { error: 'none' } } } }),
        },
      },
      delete: { operationId: 'deletePet', responses: { 204: { description: 'gone' } } },
    },
  },
}
const own = () => writeContract(stringify(pets))

describe('a contract without our x-… fields', () => {
  test.each([
    [undefined, 401, 'unauthenticated'],
    [`Basic ${btoa('reseller:wrong')}`, 401, 'unauthenticated'],
    ['Bearer x', 400, 'invalid-authorization-header'],
    [`Basic ${btoa('no colon')}`, 400, 'invalid-credentials-format'],
  ])('an Authorization header %s is answered %i %s', async (authorization, status, name) => {
    const { call } = await start({ contract: own() })
    const answer = await call('GET', '/api/pets/1', { login: null, headers: { authorization } })
    expect([answer.status, answer.headers['sim-case']]).toEqual([status, name])
    expect(answer.headers['www-authenticate']).toBe(
      status === 401 ? 'Basic realm="Pets", charset="UTF-8"' : undefined,
    )
    expect(answer.json).toEqual({ error: expect.any(String) as string })
  })

  test.each([
    ['Pets – API', 'Pets ? API'],
    ['Größe\n', 'Gr??e?'],
    ['The "Pets" \\ API', String.raw`The \"Pets\" \\ API`],
    ['', ''],
  ])('its title %j is the realm', async (title, realm) => {
    const contract = writeContract(stringify({ ...pets, info: { ...pets.info, title } }))
    const { call } = await start({ contract })
    const { status, headers } = await call('GET', '/api/pets/1', { login: null })
    expect([status, headers['www-authenticate']]).toEqual([401, `Basic realm="${realm}", charset="UTF-8"`])
  })

  test('an example of a success is not a case, so one response covers the success', async () => {
    const { call } = await start({ contract: own() })
    expect((await call('GET', '/api/pets/1')).status).toBe(200)
    const { json: report } = await call<CoverageReport>('GET', '/__admin/coverage')
    expect(report.operations[0]?.responses).toEqual([
      { status: 200, case: null, hits: 1 },
      { status: 404, case: 'out of stock', hits: 0 },
    ])
  })

  test('pages of an allowed origin may use its methods', async () => {
    const { call } = await start({ contract: own(), cors: ['http://app.example'] })
    const headers = { origin: 'http://app.example', 'access-control-request-method': 'DELETE' }
    const answer = await call('OPTIONS', '/api/pets/1', { login: null, headers })
    expect(answer.headers['access-control-allow-methods']).toBe('GET, DELETE')
  })

  test('a state with a fault of an unknown operation is refused at the start', async () => {
    const db = join(createFolder(), 'db.json')
    const scenario = { accounts: { ana: { password: 'x', faults: [{ operation: 'getCredit', delay: 1 }] } } }
    await (await start({ db, scenario })).close()
    await expect(startServer({ db, contract: own() })).rejects.toThrow(
      `${db} has a fault of "ana" that does not fit the contract: Unknown operation "getCredit"`,
    )
    const again = await start({ db })
    expect((await again.call('GET', '/__admin/faults?account=ana')).json).toMatchObject([{ delay: 1 }])
  })
})

test.each<[path: string, schema: object, problem: string]>([
  ['/z', pet, 'no request can reach own (GET /z), which is outside /api. Write the path as /api/z, even'],
  ['/apis/z', pet, 'Write the path as /api/apis/z'],
  ['/api/z', { type: 'integer', minimum: 5, maximum: 3 }, 'because minimum 5 is above maximum 3. Correct'],
  ['/api/z', { type: 'string', minLength: 2, allOf: [{ maxLength: 1 }] }, 'minLength 2 is above maxLength 1'],
  [
    '/api/z',
    { ...pet, properties: { name: { type: 'string', enum: ['a'], minLength: 2 } } },
    'because of its schema/name: no value satisfies it, because none of its enum does. Correct the schema.',
  ],
  [
    '/api/z',
    { type: 'integer', minimum: 4, maximum: 5, multipleOf: 3 },
    'Add a valid example to the schema or to the response, or correct the schema if no value satisfies it.',
  ],
])('a contract with %s and %j is refused at the start', async (path, schema, problem) => {
  const get = { operationId: 'own', responses: { 200: json({ schema }) } }
  const contract = writeContract(
    JSON.stringify({ ...pets, servers: [{ url: '/api' }], paths: { [path]: { get } } }),
  )
  await expect(startServer({ contract })).rejects.toThrow(problem)
})

/** A contract whose only operation has these parameters, and this request body. */
function ownOperation(parameters: object[], body?: object): string {
  const requestBody = body && { required: true, content: body }
  const operation = { operationId: 'own', parameters, requestBody, responses: { 204: { description: 'x' } } }
  const path = parameters.some((one) => (one as { in: string }).in === 'path') ? '/api/own/{p}' : '/api/own'
  return writeContract(JSON.stringify({ ...pets, paths: { [path]: { [body ? 'post' : 'get']: operation } } }))
}

const integer = { type: 'integer', minimum: 1 }
const integers = { type: 'array', items: integer, maxItems: 3 }
const filter = { type: 'object', properties: { a: integer, b: { type: 'string' }, c: integers } }
const query = (schema: object, more: object = {}) => ({ name: 'p', in: 'query', schema, ...more })
const inPath = (schema: object, more: object = {}) => ({
  name: 'p',
  in: 'path',
  required: true,
  schema,
  ...more,
})
const deep = query({ ...filter, required: ['a'] }, { style: 'deepObject', explode: true })

/** A parameter, and paths or headers that are valid (`+`) or not (`-`) */
const requests: [what: string, parameter: object, ...sent: string[]][] = [
  [
    'integer',
    query(integer),
    '+',
    '+?p=2',
    '-?p=0',
    '-?p=x',
    '-?p=',
    '-?p=1.5',
    '-?p=0x10',
    '-?p=+1',
    '-?p=%201',
    '-?p=1e3',
    '-?p=1&p=2',
    '-?p=1&p=x',
  ],
  ['required', query(integer, { required: true }), '-', '+?p=1', '-?P=1', '-?p'],
  ['string', query({ type: 'string', minLength: 1 }), '+?p=5', '-?p=', '-?p=a&p=b', '+?p=true'],
  ['empty', query(integer, { allowEmptyValue: true }), '+?p=', '+?p', '+?p=1', '-?p=x'],
  [
    'number',
    query({ type: 'number', multipleOf: 0.05 }),
    '+?p=1.15',
    '+?p=143.45',
    '-?p=1.16',
    '-?p=Infinity',
    '-?p=1.15.0',
  ],
  ['boolean', query({ type: 'boolean' }), '+?p=true', '-?p=1', '-?p=TRUE'],
  ['choices', query({ enum: [1, 'a'] }), '+?p=1', '+?p=a', '-?p=2'],
  [
    'either',
    query({ oneOf: [integer, { type: 'string', enum: ['all'] }] }),
    '+?p=3',
    '+?p=all',
    '-?p=0',
    '-?p=x',
  ],
  ['list', query(integers), '+?p=1', '+?p=1&p=2', '-?p=1&p=x', '-?p=1,2', '-?p=1&p=2&p=3&p=4'],
  [
    'list with commas',
    query(integers, { explode: false }),
    '+?p=1,2',
    '-?p=1,x',
    '-?p=1&p=2',
    '-?p=1,2,3,4',
    '+?p=',
  ],
  ['list with spaces', query(integers, { style: 'spaceDelimited', explode: false }), '+?p=1%202', '-?p=1,2'],
  ['list with bars', query(integers, { style: 'pipeDelimited', explode: false }), '+?p=1|2', '-?p=1|x'],
  ['fields', query(filter), '+?a=1&other=x', '-?a=x', '+?c=1&c=2', '-?c=x'],
  ['fields with commas', query(filter, { explode: false }), '+?p=a,1,b,x', '-?p=a,x'],
  [
    'deep object',
    deep,
    '+',
    '+?p[a]=1',
    '-?p[a]=x',
    '-?p[b]=x',
    '-?p=x',
    '-?p[a]=1&p[a]=2',
    '+?p[a]=1&p[c]=1',
    '+?p[a]=1&p[c][]=1&p[c][]=2',
    '-?p[a]=1&p[c]=x',
    '-?p[a][b]=1',
  ],
  [
    'JSON',
    { name: 'p', in: 'query', content: { 'application/json': { schema: filter } } },
    '+?p={"a":1}',
    '-?p={"a":"1"}',
    '-?p={',
  ],
  ['path', inPath(integer), '+/7', '-/x', '-/0', '-/7,8', '-/07'],
  ['list in the path', inPath(integers), '+/1,2', '-/1,x'],
  ['label', inPath(integers, { style: 'label', explode: true }), '+/.1.2', '-/1.2', '-/.x', '-/.1,2'],
  ['matrix', inPath(integers, { style: 'matrix', explode: true }), '+/;p=1;p=2', '-/;p=x', '-/1'],
  ['object in the path', inPath(filter, { explode: true }), '+/a=1,b=x', '-/a=x'],
  [
    'header',
    { name: 'X-P', in: 'header', required: true, schema: integer },
    '-',
    '+x-p: 1',
    '-x-p: x',
    '-x-p: 1, 2',
  ],
  ['list in a header', { name: 'X-P', in: 'header', schema: integers }, '+x-p: 1, 2', '-x-p: 1, x'],
  ['ignored header', { name: 'Accept', in: 'header', schema: integer }, '+accept: x'],
  [
    'cookie',
    { name: 'sess', in: 'cookie', schema: integer },
    '+',
    '+cookie: sess=1',
    '-cookie: sess=x',
    '+cookie: other=x',
    '-cookie: a=b; sess=x',
  ],
  [
    'required cookie',
    { name: 'sess', in: 'cookie', required: true, schema: integer },
    '-',
    '-cookie: other=1',
    '+cookie: a=b; sess=1',
  ],
]
test.each(requests)('parameters as in the contract: %s', async (_what, parameter, ...sent) => {
  const { call } = await start({ contract: ownOperation([parameter]) })
  const answers = await Promise.all(
    sent.map(async (one) => {
      const [, header, value = ''] = /^([a-z-]+): (.*)$/.exec(one.slice(1)) ?? []
      const path = `/api/own${header === undefined ? one.slice(1) : ''}`
      const { status } = await call('GET', path, { headers: header === undefined ? {} : { [header]: value } })
      return `${status === 204 ? '+' : status === 400 ? '-' : status}${one.slice(1)}`
    }),
  )
  expect(answers).toEqual(sent)
})

describe('operations with rules', () => {
  test.each([
    ['a query', { name: 'limit', in: 'query', schema: integer }, '?limit=x', {}],
    ['a repeated query', { name: 'limit', in: 'query', schema: integer }, '?limit=1&limit=2', {}],
    ['a deep object', { ...deep, name: 'filter' }, '?filter[a]=x', {}],
    ['a required header', { name: 'X-Page', in: 'header', required: true, schema: integer }, '', {}],
    ['a cookie', { name: 'sess', in: 'cookie', schema: integer }, '', { cookie: 'sess=x' }],
  ])('check added parameters: %s', async (_what, parameter, sent, headers) => {
    const contract = writeAlteredContract((document) => {
      for (const path of Object.values(getNode(document, 'paths')))
        for (const operation of Object.values(path)) {
          const { parameters = [] } = operation as unknown as { parameters?: object[] }
          setNode(operation, 'parameters', [...parameters, parameter])
        }
    })
    const simulator = await start({ contract, scenario: scenarioWith() })
    const { call } = simulator
    const before = getState(simulator)
    for (const [operation, [method, path, body]] of Object.entries(callByOperation)) {
      const { status, headers: got } = await call(method, `${path}${sent}`, { headers, body })
      expect([operation, status, got['sim-case']]).toEqual([operation, 400, 'bad-request'])
      expect(got['sim-reason']).toMatch(/^(?:limit|filter|x-page|sess)\b/)
    }
    expect(getState(simulator)).toEqual(before)
  })

  test('serve requests whose added parameters are valid', async () => {
    const contract = writeAlteredContract((document) =>
      setNode(getNode(document, 'paths', '/api/products', 'get'), 'parameters', [
        { name: 'limit', in: 'query', schema: integer },
      ]),
    )
    const { call } = await start({ contract })
    expect((await call('GET', '/api/products?limit=2')).status).toBe(200)
  })

  const rename = (from: string, to: string) => (document: Node) => {
    const paths = getNode(document, 'paths')
    setNode(paths, to, paths[from])
    delete paths[from]
  }
  const order = (document: Node) => getNode(document, 'paths', '/api/product/{pid}', 'post')
  test.each<[string, (document: Node) => unknown, string]>([
    [
      'a renamed path parameter',
      rename('/api/product/{pid}', '/api/product/{key}'),
      "getProduct (GET /api/product/{key}) lacks the path parameter {pid} and has the path parameter {key}, which the simulator doesn't know. Keep what the bundled openapi.yaml has, or choose another operationId",
    ],
    ['no path parameter', rename('/api/product/{pid}', '/api/one'), 'lacks the path parameter {pid}.'],
    [
      'an added path parameter',
      rename('/api/services', '/api/{region}/services'),
      "listServices (GET /api/{region}/services) has the path parameter {region}, which the simulator doesn't know.",
    ],
    [
      'no body',
      (document) => delete order(document)['requestBody'],
      'takes no body of type application/json.',
    ],
    [
      'a body of another type',
      (document) => {
        const content = getNode(order(document), 'requestBody', 'content')
        setNode(content, 'text/xml', content['application/json'])
        delete content['application/json']
      },
      'orderService (POST /api/product/{pid}) takes no body of type application/json.',
    ],
    [
      'an added body',
      (document) =>
        setNode(
          getNode(document, 'paths', '/api/services', 'get'),
          'requestBody',
          getNode(order(document), 'requestBody'),
        ),
      'listServices (GET /api/services) takes a body.',
    ],
    [
      'no error response',
      (document) => delete getNode(order(document), 'responses')['422'],
      'orderService (POST /api/product/{pid}) has no error response with an example named product-not-found and has no',
    ],
  ])('are refused at the start with %s', async (_what, alter, problem) => {
    const contract = writeAlteredContract(alter)
    await expect(startServer({ contract })).rejects.toThrow(problem)
  })
})

test('the reason names a parameter that appears twice', async () => {
  const { call } = await start({ contract: ownOperation([query(integer)]) })
  const { headers } = await call('GET', '/api/own?p=1&p=2')
  expect(headers['sim-reason']).toBe('p appears more than once')
})

const shape = { type: 'object', required: ['a'], properties: { a: integer, b: { type: 'boolean' } } }
test.each([
  ['application/json', '{"a":1}', 204],
  ['application/json; charset=utf-8', '{"a":"1"}', 400],
  ['application/json', '{"a":1', 400],
  ['application/x-www-form-urlencoded', 'a=1&b=true', 204],
  ['application/x-www-form-urlencoded', 'b=true', 400],
  ['application/x-www-form-urlencoded', 'a=x', 400],
  ['application/x-www-form-urlencoded', 'a=1&a=2', 400],
  ['text/plain', 'x', 204],
  ['text/plain', 'xyz', 400],
  ['text/csv', 'x', 400],
])('a body of one of several types: %s %s', async (type, raw, status) => {
  const contract = ownOperation([], {
    'application/json; charset=utf-8': { schema: shape },
    'application/x-www-form-urlencoded': { schema: shape },
    'text/*': { schema: { type: 'string', maxLength: 2 } },
  })
  const { call } = await start({ contract })
  expect((await call('POST', '/api/own', { raw, headers: { 'content-type': type } })).status).toBe(status)
})

test('an interpretation can set the status of a case without code', async () => {
  const text = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
  const named = "insufficient-funds: { $ref: '#/components/examples/insufficient-funds'"
  const responses = `        '402':
          description: Payment required.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/ErrorBody' }
              examples:
                ${named}, x-unreachable-when: { geo: code } }
`
  const contract = writeContract(
    text
      .replace(`${named} }`, `${named}, x-unreachable-when: { geo: object } }`)
      .replace(
        "        '422':\n          description: The order",
        `${responses}        '422':\n          description: The order`,
      ),
  )
  const { call, admin } = await start({ contract, scenario: 'low-funds' })
  const order = async () => {
    const { status, headers } = await call('POST', '/api/product/101', { body: { clientid: 11 } })
    const { json: coverage } = await admin<CoverageReport>('GET', '/coverage')
    const { responses: all } = coverage.operations.find(({ operation }) => operation === 'orderService') ?? {}
    const statuses = all
      ?.filter((one) => one.case === 'insufficient-funds')
      .map((one) => [one.status, one.hits])
    return [status, headers['sim-case'], statuses]
  }
  expect(await order()).toEqual([422, 'insufficient-funds', [[422, 1]]])
  await admin('POST', '/reset')
  await admin('PATCH', '/accounts/reseller', { assumptions: { geo: 'object' } })
  expect(await order()).toEqual([402, 'insufficient-funds', [[402, 1]]])
  await admin('PATCH', '/accounts/reseller', { credit: 100 })
  await admin('POST', '/faults', { operation: 'orderService', respond: 'insufficient-funds' })
  expect(await order()).toEqual([402, 'insufficient-funds', [[402, 2]]])
})
