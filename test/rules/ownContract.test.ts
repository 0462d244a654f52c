import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { startServer } from '../../src/server.ts'
import type { CoverageReport } from '../../src/contract/shapes.ts'
import { writeContract } from '../support/contract.ts'
import { createFolder, start } from '../support/start.ts'

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
