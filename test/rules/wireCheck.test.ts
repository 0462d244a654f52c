import { describe, expect, it } from 'vitest'
import { getEntry } from '../../src/journal/getEntry.ts'
import { writeAlteredContract, getNode, setNode, type Node } from '../support/contract.ts'
import { start } from '../support/start.ts'
import { scenarioWith } from '../support/scenario.ts'

const ok = (document: Node, path: string): Node => getNode(document, 'paths', path, 'get', 'responses', '200')
const schema = (document: Node, ...path: string[]): Node =>
  getNode(document, 'components', 'schemas', ...path)
const ipList = '/api/iplist/{typel}/{formatl}/{id}'

/** Description, change to the contract that makes a response invalid, request, and reported violation */
const breaches: Record<string, [alter: (document: Node) => void, path: string, said: string]> = {
  'an undeclared status': [
    (document) => {
      const { responses = {} } = getNode(document, 'paths', '/api/billing/credit', 'get')
      setNode(responses, '202', responses['200'])
      delete responses['200']
    },
    '/api/billing/credit',
    'status 200 is not defined for getCredit (202, 400, 401)',
  ],
  'a missing field': [
    (document) => setNode(schema(document, 'Credit'), 'required', ['credit', 'currency']),
    '/api/billing/credit',
    'currency is required',
  ],
  'an extra field': [
    (document) => delete schema(document, 'Client', 'properties')['email'],
    '/api/clients',
    'must NOT have additional properties',
  ],
  'a value out of range, deep in a list': [
    (document) => setNode(schema(document, 'Invoice', 'properties', 'amount'), 'maximum', 30),
    '/api/billing/invoices',
    'amount must be <= 30',
  ],
  'another content type': [
    (document) => {
      const content = getNode(ok(document, ipList), 'content')
      setNode(content, 'text/tab-separated-values', content['text/plain'])
      delete content['text/plain']
    },
    '/api/iplist/http-ip/txt/5001',
    'content type text/plain is not defined for a 200',
  ],
  'another text': [
    (document) =>
      setNode(getNode(ok(document, ipList), 'content', 'text/csv', 'schema'), 'pattern', '^ip;port'),
    '/api/iplist/http-ip/csv/5001',
    'must match pattern "^ip;port"',
  ],
  'a missing body': [
    (document) => delete getNode(ok(document, '/api/sticky/changettl/{id}/{ttl}'), 'content')['text/plain'],
    '/api/sticky/changettl/5001/5',
    'content type text/plain is not defined for a 200 (application/json)',
  ],
  'an unexpected body': [
    (document) => delete ok(document, '/api/sticky/resetall/{id}')['content'],
    '/api/sticky/resetall/5002',
    'a 200 has no body',
  ],
  'another error text': [
    (document) => setNode(schema(document, 'ErrorBody', 'properties', 'error'), 'maxLength', 5),
    '/api/service/9999',
    'error must NOT have more than 5 characters',
  ],
}

describe('a response that breaks the contract', () => {
  it.each(Object.entries(breaches))(
    'becomes a 500 with the reason: %s',
    async (_what, [alter, path, said]) => {
      const { call, simulation } = await start({
        contract: writeAlteredContract(alter),
        scenario: scenarioWith(),
        mayViolate: true,
      })
      const { status, headers, json } = await call<{ error: string; violations: string[] }>('GET', path)
      expect(json.violations.join('; ')).toContain(said)
      expect(json.error).toContain("The simulator's response breaks the contract: ")
      expect(status).toBe(500)
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(headers['sim-case']).toBe('contract-violation')
      const [record] = (await simulation.store.journal()).records
      expect(record && getEntry(record)).toMatchObject({
        status: 500,
        case: 'contract-violation',
        violations: json.violations,
      })
    },
  )

  it('is also caught if it comes from authentication', async () => {
    const contract = writeAlteredContract((document) =>
      setNode(getNode(document, 'components', 'schemas', 'UnauthenticatedText'), 'enum', ['Not you']),
    )
    const { call } = await start({ contract, mayViolate: true })
    const { status, json } = await call('GET', '/api/services', { login: null })
    expect(status).toBe(500)
    expect(json).toMatchObject({ violations: [expect.stringContaining('must be equal to one of')] })
  })

  it('does not affect other operations', async () => {
    const contract = writeAlteredContract((document) =>
      setNode(getNode(document, 'components', 'schemas', 'Credit'), 'required', ['currency']),
    )
    const { call } = await start({ contract, scenario: scenarioWith() })
    expect((await call('GET', '/api/services')).status).toBe(200)
  })
})
