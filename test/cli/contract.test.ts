import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { checkExamples } from '../../src/http/examples.ts'
import { createFolder } from '../support/start.ts'
import { launch, proxysim } from './proxysim.ts'

/*
 * `openapi.yaml` drives routes, validation and the responses of operations without rules. These tests edit it in a copy of the
 * package, as people do in a clone.
 */

const root = fileURLToPath(new URL('../../', import.meta.url))
const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8')

/** Returns the command of a copy of the package with another contract. */
function copyWith(text: string): { program: string[] } {
  const copy = createFolder()
  for (const name of ['bin', 'dist', 'scenarios', 'fixtures', 'admin.openapi.yaml', 'package.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  mkdirSync(join(copy, 'docs'))
  writeFileSync(join(copy, 'openapi.yaml'), text)
  return { program: [process.execPath, join(copy, 'bin/proxysim.mjs')] }
}

function operation(response: string): string {
  const added = `paths:
  /api/added/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, pattern: '^[0-9]+$' } }]
    get:
      operationId: getAdded
      responses:
        '200': { description: Added., ${response} }
        '400': { $ref: '#/components/responses/BadAuthorization' }
        '401': { $ref: '#/components/responses/Unauthenticated' }
`
  return contract.replace(/^paths:\n/m, () => added)
}

const schema = 'schema: { type: object, required: [n], properties: { n: { type: integer } } }'

test('an added operation responds with its example, and a response that breaks the contract becomes a 500', async () => {
  const example = operation(
    `content: { application/json: { ${schema}, examples: { one: { value: { n: 7 } } } } }`,
  )
  const edited = example.replace(
    /(\n {4}Credit:\n(?:.*\n)*? {6}required: )\[credit\]/,
    '$1[credit, currency]',
  )
  expect(edited).not.toBe(example)
  const { printed } = launch(['--port', '0', '--in-memory'], copyWith(edited))
  const [url = ''] = await printed(/http:\/\/127\.0\.0\.1:\d+/)
  const ask = async (path: string, authorization = `Basic ${btoa('reseller:secret')}`) => {
    const response = await fetch(url + path, { headers: { authorization } })
    return { status: response.status, case: response.headers.get('sim-case'), text: await response.text() }
  }
  expect(await ask('/api/added/1')).toEqual({ status: 200, case: null, text: '{"n":7}' })
  expect(await ask('/api/added/1', 'Basic x')).toMatchObject({ status: 400 })
  expect((await ask('/openapi.json')).text).toContain('getAdded')
  expect(await ask('/api/billing/credit')).toMatchObject({ status: 500, case: 'contract-violation' })
  expect((await ask('/api/billing/credit')).text).toContain('currency')
  expect((await ask('/api/services')).status).toBe(200)
})

const withoutExample = operation(`content: { application/json: { ${schema} } }`)

test.each([
  ['no example', withoutExample, 'getAdded has neither rules nor an example'],
  [
    'an example that breaks its schema',
    operation(`content: { application/json: { ${schema}, example: { n: x } } }`),
    'The example of getAdded breaks its schema: n must be integer',
  ],
  [
    'a merge key',
    contract.replace(/^paths:\n/m, 'paths:\n  <<: *x\n').replace('\ntags:', '\nx-y: &x {}\ntags:'),
    /openapi\.yaml:\d+:3 has a merge key/,
  ],
  ['no YAML', `${contract}\n  - [`, /openapi\.yaml:\d+:\d+ is not valid YAML/],
])('%s is refused', async (_what, text, message) => {
  const file = join(createFolder(), 'openapi.yaml')
  writeFileSync(file, text)
  await expect(loadContract(file).then(checkExamples)).rejects.toThrow(message)
})

test('the start is refused in one line', async () => {
  const started = await proxysim(['--port', '0', '--in-memory'], copyWith(withoutExample))
  expect(started).toMatchObject({ code: 2, stdout: '' })
  expect(started.stderr).toMatch(/^proxysim: getAdded has neither rules nor an example[^\n]*\n$/)
})
